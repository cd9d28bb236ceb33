/** Gives back what only the start needed: sources, code that ran once, and the garbage of loading them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Service } from './service.ts';

/** Long enough that whoever waited for it has been served first. */
const IDLE_MS = 1_000;
/** Collecting stops the process for about 3 ms per MiB; a server with this much in memory has better things to do. */
const HEAP_BYTES_MAX = 48 * 1024 * 1024;
/**
 * Flags are those of the whole process: of two threads that collect at a time, one may collect less. `--bytecode-old-age` says after how many
 * collections V8 forgets what it made of a function that was not called in between. The flags are as they were when all is
 * collected: with flags that are not its own, Node does without its compiled modules, and what is loaded later takes longer.
 */
const FLAGS = ['--expose-gc', '--bytecode-old-age=1'];
const USUAL_FLAGS = ['--no-expose-gc', '--bytecode-old-age=6'];

export interface MemoryRelease {
  /** There is work now: collecting would hold it up. */
  postpone(): void;
  cancel(): void;
}

/** Collects once in the thread that calls it, as soon as that had nothing to do for a while; keeps no process alive. */
export function releaseWhenIdle(): MemoryRelease {
  let isDone = false;
  const timer = setTimeout(() => {
    isDone = true;
    collect();
  }, IDLE_MS).unref();
  return {
    postpone() {
      if (!isDone) timer.refresh();
    },
    cancel: () => clearTimeout(timer),
  };
}

/** The same as a service of the main thread. */
export function createStartupMemoryRelease(): Service {
  let release: MemoryRelease | null = null;
  return {
    name: 'startup memory',
    async start() {
      release = releaseWhenIdle();
    },
    async stop() {
      release?.cancel();
    },
  };
}

/** Left to itself the heap stays as large as the start made it: it is only made smaller by a collection of everything. */
function collect(): void {
  if (process.memoryUsage().heapUsed > HEAP_BYTES_MAX) return;
  for (const flag of FLAGS) setFlagsFromString(flag);
  try {
    // Contexts that are older than the flag do not have it.
    const gc: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
    void gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
  } finally {
    for (const flag of USUAL_FLAGS) setFlagsFromString(flag);
  }
}
