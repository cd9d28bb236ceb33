/** The newest executions of a variant, one byte each: what rates and pages need of them. */
import { LEDGER_LIMITS } from './limits.ts';
import { Newest } from './newest.ts';

/** An execution as rates see it. */
export interface Counted {
  readonly isFailed: boolean;
  readonly isFirst: boolean;
  readonly version: number;
  readonly atMs: number;
}

const FAILED = 1;
const AGAIN = 2;
const NEXT_VERSION = 4;
/** The days since the execution before are above these three bits. Longer gaps are outside of each window. */
const DAYS = 8;
const DAYS_MAX = 31;
export const DAY_MS = 86_400_000;

const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);

export class Strip {
  readonly #entries: Newest;
  #newestMs: number;

  constructor(newestMs = 0, entries: readonly number[] = []) {
    this.#entries = new Newest(new Uint8Array(LEDGER_LIMITS.executionsMax), entries);
    this.#newestMs = newestMs;
  }

  add(execution: Omit<Counted, 'version'> & { readonly isNextVersion: boolean }): void {
    const { isFailed, isFirst, isNextVersion, atMs } = execution;
    const days = Math.min(Math.max(dayOf(atMs) - dayOf(this.#newestMs), 0), DAYS_MAX);
    this.#entries.add(
      (isFailed ? FAILED : 0) +
        (isFirst ? 0 : AGAIN) +
        (isNextVersion ? NEXT_VERSION : 0) +
        days * DAYS,
    );
    this.#newestMs = Math.max(this.#newestMs, atMs);
  }

  get entries(): readonly number[] {
    return this.#entries.values;
  }

  /** First attempts since a time, and those of them that failed. As of a list, but without making one. */
  firstAttempts(sinceMs: number): { readonly ran: number; readonly failed: number } {
    let [ran, failed, day] = [0, 0, dayOf(this.#newestMs)];
    for (const entry of this.entries.toReversed()) {
      if (day * DAY_MS < sinceMs) break;
      if ((entry & AGAIN) === 0) {
        ran += 1;
        failed += entry & FAILED;
      }
      day -= Math.floor(entry / DAYS);
    }
    return { ran, failed };
  }

  /** One letter for each execution, the oldest first. */
  get letters(): string {
    return this.entries.map((entry) => ((entry & FAILED) === 0 ? 'S' : 'F')).join('');
  }

  /** The oldest first. Versions are numbered within the strip; times are those of days. */
  get counted(): readonly Counted[] {
    const found: Counted[] = [];
    let [version, day] = [0, dayOf(this.#newestMs)];
    const { entries } = this;
    for (const entry of entries) if ((entry & NEXT_VERSION) !== 0) version++;
    for (const entry of entries.toReversed()) {
      const isFirst = (entry & AGAIN) === 0;
      found.push({ isFailed: (entry & FAILED) !== 0, isFirst, version, atMs: day * DAY_MS });
      if ((entry & NEXT_VERSION) !== 0) version--;
      day -= Math.floor(entry / DAYS);
    }
    return found.toReversed();
  }
}
