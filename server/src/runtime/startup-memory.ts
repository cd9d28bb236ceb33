/**
 * Ends the start: optimizing begins, and what only the start needed is given back, as sources and the garbage of loading them. The
 * command line sets the flags of V8 that this needs (`server-flags.js`); without them, nothing changes.
 */
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

/** The same as a service of the main thread. It comes first: those after it may have much to do. */
export function createStartupMemoryRelease(): Service {
  let timer: NodeJS.Timeout | null = null;
  return {
    name: 'startup memory',
    async start() {
      allowOptimizing();
      timer = releaseStartupMemory();
    },
    async stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The only flags that change while there are threads, which wait for their first work then: all threads read the same flags. */
function allowOptimizing(): void {
  setFlagsFromString('--maglev-filter=*');
  setFlagsFromString('--turbo-filter=*');
}

/** Left to itself the heap stays as large as the start made it: it is only made smaller by a collection of everything. */
function release(): void {
  if (process.memoryUsage().heapUsed > HEAP_BYTES_MAX) return;
  // The context of the main thread is older than the flag.
  const collect: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
  void collect?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}
