/**
 * Loads the program in one of three forms: one script with code that V8 made of it, for runs and servers; the files that
 * `scripts/build` makes; or the sources, where they have changed since. Plain JavaScript that older versions of Node read too.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import vm from 'node:vm';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const RECORD = 'built.json';
const SCRIPT = 'run.js';

/** What was built of the sources as they are now, or else the sources. */
export async function loadProgram() {
  const built = builtProgram(DIST);
  if (built === null) return await import('../src/main.ts');
  const script = isForEngine(process.argv.slice(2)) ? loadScript(built) : null;
  return script ?? (await import(pathToFileURL(join(built, 'main.js')).href));
}

/** The script is loaded sooner, and in less memory, than the files of what needs most of it; what needs a tenth loads these sooner. */
function isForEngine([command, ...args]) {
  const isMeant = command === 'server' || (command === 'run' && isRunHere(args));
  return isMeant && !args.some((arg) => arg === '--help' || arg === '-h');
}

const ELSEWHERE = /^--(server|context|client-config)(=|$)/;

/** As far as the command line tells. */
function isRunHere(args) {
  const { TUTTI_SERVER, TUTTI_CONTEXT, TUTTI_CLIENT_CONFIG } = process.env;
  const isElsewhere = Boolean(TUTTI_SERVER || TUTTI_CONTEXT || TUTTI_CLIENT_CONFIG);
  return !isElsewhere && !args.some((arg) => ELSEWHERE.test(arg));
}

/** What was built last: its folder, and each file that it was made of with its time and size. Null where nothing was. */
export function readRecord(dist) {
  try {
    return JSON.parse(readFileSync(join(dist, RECORD), 'utf8'));
  } catch {
    return null;
  }
}

/** Where the record of a build belongs. */
export const recordIn = (dist) => join(dist, RECORD);

/** The folder of the program, or null where none was built of the sources as they are now. */
export function builtProgram(dist) {
  const record = readRecord(dist);
  if (record === null || !record.sources.every((source) => isUnchanged(dist, source))) return null;
  const folder = join(dist, record.folder);
  return existsSync(folder) ? folder : null;
}

/** What to keep of a file to see later whether it is still the same. */
export function stampOf(dist, path) {
  const { mtimeMs, size } = statSync(`${dist}/${path}`);
  return [path, mtimeMs, size];
}

function isUnchanged(dist, [path, mtimeMs, size]) {
  // Of a thousand paths, joining takes longer than the look at the files.
  const now = statSync(`${dist}/${path}`, { throwIfNoEntry: false });
  return now !== undefined && now.mtimeMs === mtimeMs && now.size === size;
}

export const scriptIn = (folder) => join(folder, SCRIPT);

/** V8 takes no code of another version; where there is none of this one, files that Node has in its cache are loaded faster. */
export const codeIn = (folder) => join(folder, `run-${process.version}-${process.arch}.code`);

/** What the script of the folder exports; null where there is no code of it for this version of Node. */
export function loadScript(folder) {
  const code = codeIn(folder);
  if (!existsSync(code)) return null;
  return runScript(folder, readFileSync(code)).exported;
}

/** `code` may be absent, and is not used where V8 was started with other settings. */
export function runScript(folder, code) {
  const file = scriptIn(folder);
  // All of its characters have one byte, so that nothing is to be decoded.
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: code,
    // Libraries import modules of Node when they need them.
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const run = script.runInThisContext();
  run(module.exports, createRequire(file), module, file, dirname(file));
  return { exported: module.exports, script };
}
