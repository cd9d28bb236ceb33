/** Gives back what only the start needed: sources, code that ran once, and the garbage of loading them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Service } from './service.ts';

/** Long enough that whoever waited for the server has been served first. */
const DELAY_MS = 1_000;
/** Threads come later: the main thread makes collecting possible for all of them. */
const THREAD_DELAY_MS = 1_500;
/** When all of them have collected. */
const DONE_DELAY_MS = 2_000;
/** Collections after which V8 forgets what it made of a function that was not called in between: as it comes, and at once. */
const USUAL_CODE_AGE = 6;
const NO_CODE_AGE = 1;
/** Collecting stops the process for about 3 ms per MiB; a server with this much in memory has better things to do. */
const HEAP_BYTES_MAX = 48 * 1024 * 1024;

/** Collects once in the thread that calls it, a while after the main thread did; keeps no process alive. */
export function releaseStartupMemory(): NodeJS.Timeout {
  return after(THREAD_DELAY_MS, collect);
}

/** The same as a service of the main thread. */
export function createStartupMemoryRelease(): Service {
  const timers: NodeJS.Timeout[] = [];
  return {
    name: 'startup memory',
    async start() {
      timers.push(
        after(DELAY_MS, collectForAll),
        after(DONE_DELAY_MS, () => setCodeAge(USUAL_CODE_AGE)),
      );
    },
    async stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/**
 * Flags are set by the main thread alone: they belong to all of them, and one could take back what another one relies on. Not before:
 * with flags that are not its own, Node does without its compiled modules, and a start takes a tenth longer.
 */
function collectForAll(): void {
  setFlagsFromString('--expose-gc');
  setCodeAge(NO_CODE_AGE);
  collect();
}

function setCodeAge(collections: number): void {
  setFlagsFromString(`--bytecode-old-age=${collections}`);
}

function after(delayMs: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, delayMs).unref();
}

/** Left to itself the heap stays as large as the start made it: it is only made smaller by a collection of everything. */
function collect(): void {
  if (process.memoryUsage().heapUsed > HEAP_BYTES_MAX) return;
  // Contexts that are older than the flag do not have it.
  const gc: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
  void gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}
