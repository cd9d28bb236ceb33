/** The versions that a variant was executed on last, and those on which it contradicted itself. */
import { LEDGER_LIMITS } from './limits.ts';

/** A version on which a variant both failed and passed. */
export interface Contradiction {
  readonly version: number;
  /** The run whose outcome it contradicted, and the run that did; twice the same for a retry. */
  readonly runs: readonly [before: number, after: number];
  readonly atMs: number;
}

interface Known {
  readonly version: number;
  readonly run: number;
  readonly outcome: 'failed' | 'passed' | 'both';
}

const OUTCOMES: readonly Known['outcome'][] = ['failed', 'passed', 'both'];

export class KnownVersions {
  #known: readonly Known[];
  #contradictions: readonly Contradiction[];

  constructor(numbers: readonly number[] = [], contradictions: readonly number[] = []) {
    this.#known = groupsOf(numbers, 3).map(([version = 0, run = 0, outcome = 0]) => ({
      version,
      run,
      outcome: OUTCOMES[outcome] ?? 'both',
    }));
    this.#contradictions = groupsOf(contradictions, 4).map(
      ([version = 0, before = 0, after = 0, atMs = 0]) => ({
        version,
        runs: [before, after],
        atMs,
      }),
    );
  }

  /** Null before the first execution. */
  get newest(): number | null {
    return this.#known.at(-1)?.version ?? null;
  }

  /** The oldest first. */
  get contradictions(): readonly Contradiction[] {
    return this.#contradictions;
  }

  /** Whether the execution is the first to contradict another one of its version. */
  add(at: { version: number; run: number; atMs: number; isFailed: boolean }): boolean {
    const { version, run, atMs } = at;
    const outcome = at.isFailed ? 'failed' : 'passed';
    const newest = this.#known.at(-1);
    // Almost every execution repeats the one before.
    if (newest?.version === version && newest.outcome === outcome) return false;
    const before = this.#known.find((known) => known.version === version);
    const isContradicted = before !== undefined && before.outcome !== outcome;
    const isFirst = isContradicted && before.outcome !== 'both';
    if (isFirst) {
      const all = [...this.#contradictions, { version, runs: [before.run, run] as const, atMs }];
      this.#contradictions = all.slice(-LEDGER_LIMITS.contradictionsMax);
    }
    const others = this.#known.filter((known) => known !== before);
    const known: Known = {
      version,
      run: before?.run ?? run,
      outcome: isContradicted ? 'both' : outcome,
    };
    this.#known = [...others, known].slice(-LEDGER_LIMITS.versionsMax);
    return isFirst;
  }

  /** Numbers that make an equal one. */
  get numbers(): { readonly known: readonly number[]; readonly contradictions: readonly number[] } {
    return {
      known: this.#known.flatMap(({ version, run, outcome }) => [
        version,
        run,
        OUTCOMES.indexOf(outcome),
      ]),
      contradictions: this.#contradictions.flatMap(({ version, runs, atMs }) => [
        version,
        ...runs,
        atMs,
      ]),
    };
  }
}

function groupsOf(numbers: readonly number[], size: number): readonly (readonly number[])[] {
  return Array.from({ length: numbers.length / size }, (_, at) =>
    numbers.slice(at * size, (at + 1) * size),
  );
}
