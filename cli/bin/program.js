/**
 * Loads the program in one of three forms. Runs and servers load one script with compiled code of V8. Other commands load the files that
 * `scripts/build` makes. If the sources have changed since, all commands load the sources. The file is plain JavaScript that older versions of Node
 * read too.
 */
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
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
export function isForEngine([command, ...args]) {
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

/** V8 accepts only code of its own version. */
export const codeIn = (folder) => join(folder, `run-${process.version}-${process.arch}.code`);

/** The exports of the script in the folder. Null where no code of it can be kept: files from the cache of Node then load faster. */
export function loadScript(folder) {
  const code = codeIn(folder);
  const script = readScript(folder);
  return existsSync(code) ? runModule(script, readFileSync(code)).exported : runCached(script);
}

export function readScript(folder) {
  const file = scriptIn(folder);
  // The script has only ASCII characters, so it needs no decoding.
  return { file, text: readFileSync(file, 'latin1'), require: createRequire(file) };
}

/**
 * Runs a module as a script. The user's cache has the code that V8 made of it in the last run. A run that succeeds without such code keeps
 * it. Null without a cache.
 */
export function runCached(module) {
  const cache = nodeModule.getCompileCacheDir?.();
  if (cache === undefined) return null;
  const place = join(cache, `${basename(dirname(module.file))}.code`);
  const code = existsSync(place) ? readFileSync(place) : undefined;
  const { exported, script } = runModule(module, code);
  if (code === undefined || script.cachedDataRejected) keepAtEnd(script, place);
  return exported;
}

function keepAtEnd(script, place) {
  process.on('exit', (status) => {
    if (status !== 0) return;
    try {
      keepCode(script, place);
    } catch {
      // The next run starts as slowly as this one.
    }
  });
}

/** Writes the code at once, so that nobody reads half of it: V8 only checks the length. */
export function keepCode(script, place) {
  const passing = `${place}.${process.pid}`;
  writeFileSync(passing, script.createCachedData(), { flush: true });
  renameSync(passing, place);
}

/** Runs the text of a module, a function of what CommonJS modules get. `code` may be absent. V8 rejects it if it was started with other settings. */
export function runModule({ file, text, require, exports = {} }, code) {
  const script = new vm.Script(text, {
    filename: file,
    cachedData: code,
    // Libraries import modules of Node on demand.
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  return { exported: module.exports, script };
}
