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

/** Loads the built program, or the sources where they have changed since the build. */
export async function loadProgram() {
  const built = builtProgram(DIST);
  if (built === null) return await import('../src/main.ts');
  const script = isForEngine(process.argv.slice(2)) ? loadScript(built) : null;
  return script ?? (await import(pathToFileURL(join(built, 'main.js')).href));
}

/** True for commands that need most of the program: the script loads sooner, in less memory. Other commands load the few files they need. */
function isForEngine([command, ...args]) {
  const isMeant = command === 'server' || (command === 'run' && isRunHere(args));
  return isMeant && !args.some((arg) => arg === '--help' || arg === '-h');
}

const ELSEWHERE = /^--(server|context|client-config)(=|$)/;

/** True if the run is local, as far as the command line shows. */
function isRunHere(args) {
  const { TUTTI_SERVER, TUTTI_CONTEXT, TUTTI_CLIENT_CONFIG } = process.env;
  const isElsewhere = Boolean(TUTTI_SERVER || TUTTI_CONTEXT || TUTTI_CLIENT_CONFIG);
  return !isElsewhere && !args.some((arg) => ELSEWHERE.test(arg));
}

/** The record of the last build: its folder, and each source file with its time and size. Null without a build. */
export function readRecord(dist) {
  try {
    return JSON.parse(readFileSync(join(dist, RECORD), 'utf8'));
  } catch {
    return null;
  }
}

/** Path of the record of a build. */
export const recordIn = (dist) => join(dist, RECORD);

/** The folder of the program, or null if no build has the current sources. */
export function builtProgram(dist) {
  const record = readRecord(dist);
  if (record === null || !record.sources.every((source) => isUnchanged(dist, source))) return null;
  const folder = join(dist, record.folder);
  return existsSync(folder) ? folder : null;
}

/** A file's path, time and size, which show later whether the file is still the same. */
export function stampOf(dist, path) {
  const { mtimeMs, size } = statSync(`${dist}/${path}`);
  return [path, mtimeMs, size];
}

function isUnchanged(dist, [path, mtimeMs, size]) {
  // Joining a thousand paths would take longer than the checks of the files.
  const now = statSync(`${dist}/${path}`, { throwIfNoEntry: false });
  return now !== undefined && now.mtimeMs === mtimeMs && now.size === size;
}

export const scriptIn = (folder) => join(folder, SCRIPT);

/** V8 accepts only code of its own version. Without such code, files from the cache of Node load faster. */
export const codeIn = (folder) => join(folder, `run-${process.version}-${process.arch}.code`);

/** The exports of the script in the folder; null where there is no code of it for this version of Node. */
export function loadScript(folder) {
  const code = codeIn(folder);
  if (!existsSync(code)) return null;
  return runScript(folder, readFileSync(code)).exported;
}

/** `code` may be absent. V8 rejects it if it was started with other settings. */
export function runScript(folder, code) {
  const file = scriptIn(folder);
  // The script has only ASCII characters, so it needs no decoding.
  const script = new vm.Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: code,
    // Libraries import modules of Node on demand.
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const run = script.runInThisContext();
  run(module.exports, createRequire(file), module, file, dirname(file));
  return { exported: module.exports, script };
}
