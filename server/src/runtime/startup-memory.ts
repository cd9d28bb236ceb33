/** Frees memory that only the start needed: sources, code that ran once, and garbage. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Service } from './service.ts';

/** Idle time before the collection, so that waiting clients are served first. */
const IDLE_MS = 1_000;
/** A collection stops the process for about 3 ms per MiB, so larger heaps are skipped. */
const HEAP_BYTES_MAX = 48 * 1024 * 1024;
/**
 * Flags belong to the whole process, so concurrent collections may disturb each other. `--bytecode-old-age` is the number of
 * collections after which V8 drops code that was not called. The flags are restored after the collection. With changed flags,
 * Node ignores its compiled modules, and later loading takes longer.
 */
const FLAGS = ['--expose-gc', '--bytecode-old-age=1'];
const USUAL_FLAGS = ['--no-expose-gc', '--bytecode-old-age=6'];

export interface MemoryRelease {
  /** New work arrived: a collection would delay it. */
  postpone(): void;
  cancel(): void;
}

/** Collects once in the calling thread when it is idle; keeps no process alive. */
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

/** The release as a service of the main thread. */
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

/** The heap keeps its size from the start until a full collection. */
function collect(): void {
  if (process.memoryUsage().heapUsed > HEAP_BYTES_MAX) return;
  for (const flag of FLAGS) setFlagsFromString(flag);
  try {
    // Only a new context has the flag.
    const gc: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
    void gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
  } finally {
    for (const flag of USUAL_FLAGS) setFlagsFromString(flag);
  }
}
