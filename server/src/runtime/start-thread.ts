/** Starts threads of this process. */
import { getCompileCacheDir } from 'node:module';
import { getAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Number of calls after which V8 compiles code for an import of WebAssembly: the default, and never. */
const USUAL_CALLS = 1_000;
const NEVER = 1_000_000_000;
/** Asset with the code that an executable begins with. */
const EXECUTABLE = 'executable.js';
const COMPILER = 'NativeModule internal/deps/amaro/dist/index';

let started = 0;
let beginning = 0;

/**
 * Starts a thread for the file at `entry`. The file is TypeScript if this one is, and it sends a message when it has started. All threads
 * must start here. Node compiles sources with WebAssembly, and V8 frees code that the next thread still uses. The process then dies of
 * SIGSEGV or SIGTRAP, about once in a thousand threads. The compiler of a thread started here has no such code.
 */
export function startThread(entry: URL, options: Omit<WorkerOptions, 'env'>): Worker {
  const isFirst = started === 0;
  started += 1;
  // With changed flags, Node ignores its compiled modules, and a start takes a tenth longer.
  if (isFirst && !hasCompiled()) return newThread(entry, options);
  beginning += 1;
  setCallsToJoin(NEVER);
  const worker = newThread(entry, options);
  let hasBegun = false;
  const begun = () => {
    if (hasBegun) return;
    hasBegun = true;
    beginning -= 1;
    // Code compiled from now on can be kept for the next start.
    if (beginning === 0) setCallsToJoin(USUAL_CALLS);
  };
  worker.once('message', begun);
  worker.once('exit', begun);
  return worker;
}

function newThread(entry: URL, options: WorkerOptions): Worker {
  const all = { ...options, env: environment() };
  // A thread of an executable begins as its process does, and is told its module.
  if (isSea())
    return new Worker(getAsset(EXECUTABLE, 'utf8'), {
      ...all,
      eval: true,
      argv: [fileURLToPath(entry)],
    });
  return new Worker(entry, all);
}

function setCallsToJoin(calls: number): void {
  setFlagsFromString(`--wasm-wrapper-tiering-budget=${calls}`);
}

/** False in a process that found all of its sources in the cache. */
function hasCompiled(): boolean {
  const { moduleLoadList } = process as { moduleLoadList?: readonly string[] };
  return moduleLoadList?.includes(COMPILER) ?? true;
}

/** A thread has a cache of compiled code only if its environment names one. Without it the thread loads the compiler. */
function environment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  const cache = directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
  return { ...process.env, ...cache };
}
