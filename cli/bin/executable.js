/**
 * Starts the command line from a single executable. Its assets have the names of the files of an installation. Threads and the process
 * that starts processes get the path of their module as an argument, and begin here, too.
 */
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { isMainThread } from 'node:worker_threads';
import { isForEngine, runCached, runModule } from './program.js';
import { prepareProcess, startProgram } from './start.js';

/** Folder that the assets seem to be in. It need not exist. */
const ROOT = resolve('/tutti-executable');

const loaded = new Map();

/** Loads a module of the program and those that it needs. */
function load(file) {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  // Modules may import each other in a cycle.
  const exports = {};
  loaded.set(file, exports);
  runModule({ ...moduleAt(file, requireFrom(file)), exports });
  return exports;
}

function requireFrom(file) {
  const requireFile = createRequire(file);
  return (name) => (name.startsWith('./') ? load(join(dirname(file), name)) : requireFile(name));
}

function moduleAt(file, require) {
  const name = file
    .slice(ROOT.length + 1)
    .split(sep)
    .join('/');
  return { file, text: Buffer.from(getRawAsset(name)).latin1Slice(), require };
}

function loadProgram() {
  const folder = join(ROOT, getAsset('folder', 'utf8'));
  const file = join(folder, 'run.js');
  const exported = isForEngine(process.argv.slice(2))
    ? runCached(moduleAt(file, requireFrom(file)))
    : null;
  return exported ?? load(join(folder, 'main.js'));
}

/** The module that this thread or process was started for; null for the command itself. */
function startedModule() {
  const [, , file = ''] = process.argv;
  const isOurs = !isMainThread || process.connected === true;
  return isOurs && file.startsWith(ROOT + sep) ? file : null;
}

const started = startedModule();
if (started !== null) load(started);
else if (prepareProcess()) void startProgram(loadProgram, 0);
