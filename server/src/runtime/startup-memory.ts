/** Gives back what only the start needed: sources, and the garbage of loading them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Service } from './service.ts';

/** Long enough that whoever waited for the server has been served first. */
const DELAY_MS = 1_000;
/** Collecting stops the process for about 3 ms per MiB; a server with this much in memory has better things to do. */
const HEAP_BYTES_MAX = 48 * 1024 * 1024;

/** Collects once in the thread that calls it, a second later; keeps no process alive. */
export function releaseStartupMemory(): NodeJS.Timeout {
  return setTimeout(release, DELAY_MS).unref();
}

/** The same as a service of the main thread. */
export function createStartupMemoryRelease(): Service {
  let timer: NodeJS.Timeout | null = null;
  return {
    name: 'startup memory',
    async start() {
      timer = releaseStartupMemory();
    },
    async stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Left to itself the heap stays as large as the start made it: it is only made smaller by a collection of everything. */
function release(): void {
  if (process.memoryUsage().heapUsed > HEAP_BYTES_MAX) return;
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  void collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}
