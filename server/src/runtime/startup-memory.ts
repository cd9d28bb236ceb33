/** Gives back what only the start needed: sources, and the garbage of loading them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Service } from './service.ts';

/** Long enough that whoever waited for the server has been served first. */
const DELAY_MS = 1_000;
/** Threads come later: the main thread makes collecting possible for all of them. */
const THREAD_DELAY_MS = 1_500;
/** Collecting stops the process for about 3 ms per MiB; a server with this much in memory has better things to do. */
const HEAP_BYTES_MAX = 48 * 1024 * 1024;

/** Collects once in the thread that calls it, a while after the main thread did; keeps no process alive. */
export function releaseStartupMemory(): NodeJS.Timeout {
  return setTimeout(collect, THREAD_DELAY_MS).unref();
}

/** The same as a service of the main thread. */
export function createStartupMemoryRelease(): Service {
  let timer: NodeJS.Timeout | null = null;
  return {
    name: 'startup memory',
    async start() {
      timer = setTimeout(() => {
        // Once and for all, and by this thread alone: flags belong to all of them, and one could take back what another one relies
        // on. Not before: with flags that are not its own, Node does without its compiled modules, and a start takes a tenth longer.
        setFlagsFromString('--expose-gc');
        collect();
      }, DELAY_MS).unref();
    },
    async stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Left to itself the heap stays as large as the start made it: it is only made smaller by a collection of everything. */
function collect(): void {
  if (process.memoryUsage().heapUsed > HEAP_BYTES_MAX) return;
  // Contexts that are older than the flag do not have it.
  const gc: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
  void gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}
