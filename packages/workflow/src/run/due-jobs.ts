/**
 * The jobs that a decision has to look at, after the last events. An event of one job lets few others begin. Checking a thousand jobs after
 * each of a thousand steps would take a tenth of a second.
 */
import { needsOf } from './contexts.ts';
import { keyOf, setsAround } from './job-tree.ts';
import { isQuietList } from './quiet-jobs.ts';
import type { Job, Run } from './run.ts';
import { LIST_LENGTH, placesOf } from './with-entry.ts';

export class DueJobs {
  readonly #index: JobIndex;
  readonly #isDue: Uint8Array;
  #isOfAll: boolean;

  private constructor(run: Run, isOfAll: boolean) {
    this.#index = indexOf(run);
    this.#isDue = new Uint8Array(this.#index.keys.length).fill(isOfAll ? 1 : 0);
    this.#isOfAll = isOfAll;
  }

  static all(run: Run): DueJobs {
    return new DueJobs(run, true);
  }

  static none(run: Run): DueJobs {
    return new DueJobs(run, false);
  }

  /** False where the next pass leaves jobs out, since nothing that they wait for seems to have changed. */
  get isOfAll(): boolean {
    return this.#isOfAll;
  }

  /**
   * One pass over the due jobs. A job that becomes due behind the current one is looked at in the same pass. `now` is the run as the pass
   * has changed it so far. The pass leaves out lists of jobs that have nothing to do.
   */
  *keys(now: () => Run): Generator<string, void, undefined> {
    for (let place = this.#next(0, now); place !== -1; place = this.#next(place + 1, now)) {
      this.#isDue[place] = 0;
      yield this.#index.keys[place] ?? '';
    }
  }

  #next(from: number, now: () => Run): number {
    let place = this.#isDue.indexOf(1, from);
    while (place !== -1 && place % LIST_LENGTH === 0 && isQuietList(now(), place / LIST_LENGTH)) {
      this.#isDue.fill(0, place, place + LIST_LENGTH);
      place = this.#isDue.indexOf(1, place + LIST_LENGTH);
    }
    return place;
  }

  /** Jobs to look at after an event of this job, and after earlier ones. Null where all jobs must be looked at. */
  after(job: Job, before: Run, now: Run): DueJobs | null {
    if (concernsAll(job, before, now)) return null;
    this.#isOfAll = false;
    this.#add(job.key);
    if (job.parent !== null) this.#add(job.parent);
    const after = now.jobs.get(job.key);
    for (const key of after?.bundle?.children ?? []) this.#add(key);
    // Dependent jobs wait for the end of a job, and not for its steps.
    if (after?.phase === job.phase) return this;
    this.#index.needing ??= needingJobs(now, this.#index.places);
    for (const place of this.#index.needing.get(job.key) ?? []) this.#isDue[place] = 1;
    return this;
  }

  #add(key: string): void {
    const place = this.#index.places.get(key);
    if (place !== undefined) this.#isDue[place] = 1;
  }
}

interface JobIndex {
  /** Keys of all jobs, in their order in the run. */
  readonly keys: readonly string[];
  readonly places: ReadonlyMap<string, number>;
  /** By the key of a job: the places of those that need it. Made when it is asked for. */
  needing: ReadonlyMap<string, readonly number[]> | null;
}

/** Indexes of runs with many jobs. Making one for each decision on a thousand jobs would take longer than all else. */
const indexes = new WeakMap<object, JobIndex>();

function indexOf({ jobs }: Run): JobIndex {
  const shared = placesOf(jobs);
  const known = shared === null ? undefined : indexes.get(shared);
  if (known?.keys.length === jobs.size) return known;
  const keys = [...jobs.keys()];
  const places = new Map(keys.map((key, place) => [key, place]));
  const index = { keys, places, needing: null };
  if (shared !== null) indexes.set(shared, index);
  return index;
}

/** True for a change of the whole run, or in a set of jobs with `max-parallel`. */
function concernsAll(job: Job, before: Run, now: Run): boolean {
  return (
    before.jobs.size !== now.jobs.size ||
    before.cancellation !== now.cancellation ||
    before.granted !== now.granted ||
    before.set.halted !== now.set.halted ||
    setsAround(now, job).some(({ maxParallel }) => maxParallel !== null)
  );
}

function needingJobs(
  run: Run,
  places: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly number[]> {
  const needing = new Map<string, number[]>();
  for (const job of run.jobs.values()) {
    const place = places.get(job.key);
    if (place === undefined) continue;
    for (const name of needsOf(job)) {
      const key = keyOf(job.parent, name);
      const known = needing.get(key);
      if (known === undefined) needing.set(key, [place]);
      else known.push(place);
    }
  }
  return needing;
}
