/**
 * The jobs that a decision has to look at, after the last events. An event of one job lets few others begin. Checking a thousand jobs after
 * each of a thousand steps would take a tenth of a second.
 */
import { needsOf } from './contexts.ts';
import { keyOf, setsAround } from './job-tree.ts';
import type { Job, Run } from './run.ts';

export class DueJobs {
  /** Keys of all jobs, in their order in the run. */
  readonly #keys: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #isDue: Uint8Array;
  /** By the key of a job: the places of those that need it. Made when it is asked for. */
  #needing: ReadonlyMap<string, readonly number[]> | null = null;
  #isOfAll = true;

  /** All jobs are due. */
  constructor(run: Run) {
    this.#keys = [...run.jobs.keys()];
    this.#places = new Map(this.#keys.map((key, place) => [key, place]));
    this.#isDue = new Uint8Array(this.#keys.length).fill(1);
  }

  /** False where the next pass leaves jobs out, since nothing that they wait for seems to have changed. */
  get isOfAll(): boolean {
    return this.#isOfAll;
  }

  /** One pass over the due jobs. A job that becomes due behind the current one is looked at in the same pass. */
  *keys(): Generator<string, void, undefined> {
    for (
      let place = this.#isDue.indexOf(1);
      place !== -1;
      place = this.#isDue.indexOf(1, place + 1)
    ) {
      this.#isDue[place] = 0;
      yield this.#keys[place] ?? '';
    }
  }

  /** Jobs to look at after an event of this job, and after earlier ones. Null where all jobs must be looked at. */
  after(job: Job, before: Run, now: Run): DueJobs | null {
    if (concernsAll(job, before, now)) return null;
    this.#isOfAll = false;
    this.#needing ??= needingJobs(now, this.#places);
    this.#add(job.key);
    if (job.parent !== null) this.#add(job.parent);
    const after = now.jobs.get(job.key);
    for (const key of after?.bundle?.children ?? []) this.#add(key);
    // Dependent jobs wait for the end of a job, and not for its steps.
    if (after?.phase === job.phase) return this;
    for (const place of this.#needing.get(job.key) ?? []) this.#isDue[place] = 1;
    return this;
  }

  #add(key: string): void {
    const place = this.#places.get(key);
    if (place !== undefined) this.#isDue[place] = 1;
  }
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
