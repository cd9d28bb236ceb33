/**
 * Removes delivered entries from the outbox. While one write is under way, further delivered entries gather for the next, so that many
 * deliveries cost few writes.
 */
import type { Logger } from '../runtime/logger.ts';
import type { Store } from '../store/store.ts';
import type { BusLimits } from './limits.ts';
import type { Timers } from './timers.ts';

export interface Acknowledger {
  /** `removed` is called once the entry is gone for good. */
  acknowledge(position: number, removed: () => void): void;
  /** The write under way, after which all that was acknowledged is removed, or could not be; null without one. */
  readonly writing: Promise<void> | null;
  /** Resolves when all that was acknowledged so far was written, or could not be: then it is delivered again. */
  stop(): Promise<void>;
}

interface AcknowledgerDeps {
  readonly store: Store;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly limits: BusLimits;
}

export function createAcknowledger(deps: AcknowledgerDeps): Acknowledger {
  const { store, timers, logger, limits } = deps;
  const waiting = new Map<number, () => void>();
  let writing: Promise<void> | null = null;
  let cancelRetry: (() => void) | null = null;
  let stopped = false;

  const writeBatch = async (): Promise<boolean> => {
    const batch = [...waiting].slice(0, limits.acknowledgements);
    try {
      await store.write({ outboxDone: batch.map(([position]) => position) });
    } catch (error) {
      logger.error(
        { err: error, count: batch.length },
        'Delivered publications could not be removed.',
      );
      return false;
    }
    for (const [position] of batch) waiting.delete(position);
    for (const [, removed] of batch) removed();
    return true;
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      if (await writeBatch()) continue;
      if (!stopped) retryLater();
      break;
    }
    writing = null;
  };

  const retryLater = (): void => {
    cancelRetry = timers.after(limits.retryDelayMs, () => {
      cancelRetry = null;
      start();
    });
  };

  const start = (): void => {
    if (cancelRetry === null) writing ??= writeAll();
  };

  return {
    acknowledge(position, removed) {
      waiting.set(position, removed);
      start();
    },
    get writing() {
      return writing;
    },
    async stop() {
      stopped = true;
      cancelRetry?.();
      cancelRetry = null;
      start();
      await writing;
    },
  };
}
