/** Measures how long batches take until they are on the disk. */
import type { Clock } from '../../runtime/clock.ts';
import type { Meters } from '../../runtime/meters.ts';

/** The clock and the meters of commits. */
export interface CommitMeter {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly meters: Pick<Meters, 'commitSeconds' | 'commitOperations'>;
}

/** One batch is on its way to the writer at a time. */
export class CommitWatch {
  readonly #meter: CommitMeter;
  #sinceMs = 0;

  constructor(meter: CommitMeter) {
    this.#meter = meter;
  }

  begin(): void {
    this.#sinceMs = this.#meter.clock.monotonicMs();
  }

  end(operations: number): void {
    const { clock, meters } = this.#meter;
    meters.commitSeconds.observe((clock.monotonicMs() - this.#sinceMs) / 1000);
    meters.commitOperations.observe(operations);
  }
}
