/** What a person following a run needs to know of one job. */
import type { RunEventOf } from '@tutti/manifests';
import { cleanLine } from '../terminal/style.ts';
import { NO_TESTS, type TestCounts } from './test-tally.ts';

export type JobResult = 'success' | 'failure' | 'cancelled' | 'skipped';

/** A step, or a provider's function, that an environment works on. Times are epoch milliseconds. */
export interface StepView {
  readonly id: string;
  readonly label: string;
  /** 0 for a step of the manifest, more for the steps that a provider put in its place. */
  readonly depth: number;
  readonly startedAt: number;
  /** The last lines of its output, at most `LAST_LINES_MAX`. */
  readonly lastLines: readonly string[];
  /** How many lines it has printed. */
  readonly lineCount: number;
  readonly isForgiven: boolean;
  readonly terminated: 'canceled' | 'timeout' | null;
}

/** A step of the manifest that is over. */
export interface EndedStep {
  readonly label: string;
  /** OVER: of a function, in which something failed that was not to fail the job. */
  readonly state: 'SUCCEEDED' | 'FAILED' | 'FORGIVEN' | 'SKIPPED' | 'OVER';
  /** Null for one that did not run. */
  readonly durationMs: number | null;
}

/** A call of a function, which is over when the next step begins. */
export interface CallView {
  readonly label: string;
  readonly startedAt: number;
  /** How many steps of the job had failed before. */
  readonly failedBefore: number;
  readonly hasFailures: boolean;
}

/** Epoch milliseconds, and what went wrong then. */
export interface ToldError {
  readonly at: number;
  readonly text: string;
}

export interface FailedStep extends StepView {
  readonly exitCode: number;
  readonly endedAt: number;
}

export interface JobView {
  /** Unique in the run: the names of the bundles around it and its own, joined by slashes. */
  readonly key: string;
  /** For readers: the key, but for what the server calls the jobs of a matrix. */
  readonly name: string;
  /** It stands for other jobs, which are known. */
  readonly isBundle: boolean;
  /** WAITING until it has an environment, or its jobs are known. */
  readonly phase: 'WAITING' | 'RUNNING' | 'ENDED';
  readonly result: JobResult | null;
  /** Its result is a success because it continues on error. */
  readonly isForgiven: boolean;
  /** When its first command began; of a bundle, when its jobs became known. */
  readonly startedAt: number | null;
  /** When its environment was free again. Its result may be known before. */
  readonly endedAt: number | null;
  /** Keys of the jobs that have to end before. */
  readonly needs: readonly string[];
  /** What it asks for, as `asks for an environment`; null before. */
  readonly asked: string | null;
  /** Why it waits, as a sentence; null when nobody said. */
  readonly waiting: string | null;
  readonly current: StepView | null;
  /** The function that it is in. */
  readonly call: CallView | null;
  /** Its last steps that are over, at most `ENDED_STEPS_MAX`. */
  readonly ended: readonly EndedStep[];
  readonly failed: readonly FailedStep[];
  readonly errors: readonly ToldError[];
  /** Its test cases so far. */
  readonly tests: TestCounts;
  /** Why it did not succeed, as a sentence, where that is no failure of a step. */
  readonly why: string | null;
}

/** `needs`: as a workflow has them, the names of jobs beside it. */
export function newJob(key: string, name = key, needs: unknown = []): JobView {
  const around = key.slice(0, key.lastIndexOf('/') + 1);
  return {
    key,
    // What steps printed may be in it, by way of a matrix.
    name: cleanLine(name),
    isBundle: false,
    phase: 'WAITING',
    result: null,
    isForgiven: false,
    startedAt: null,
    endedAt: null,
    needs: namesIn(needs).map((need) => `${around}${need}`),
    asked: null,
    waiting: null,
    current: null,
    call: null,
    ended: [],
    failed: [],
    errors: [],
    tests: NO_TESTS,
    why: null,
  };
}

function namesIn(needs: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(needs) ? needs : [needs];
  return list.filter((name) => typeof name === 'string');
}

/** The jobs that took the place of a bundle, as they wait; `around` is the bundle that it is in. */
export function jobsOfBundle(
  bundle: JobView,
  around: JobView | null,
  { metadata, jobs }: RunEventOf<'GeneratorResult'>,
): readonly JobView[] {
  const path = around === null ? '' : `${around.name}/`;
  const isMatrix = Object.values(metadata.labels ?? {}).includes('.matrix');
  return Object.entries(jobs).map(([name, job]) =>
    newJob(
      `${bundle.key}/${name}`,
      isMatrix && job.name !== undefined ? `${path}${job.name}` : `${bundle.name}/${name}`,
      job.needs,
    ),
  );
}

/** The jobs with these right behind their bundle. */
export function withJobsOf(
  jobs: ReadonlyMap<string, JobView>,
  bundle: JobView,
  inside: readonly JobView[],
): ReadonlyMap<string, JobView> {
  const all = [...jobs.values()].flatMap((job) =>
    job.key === bundle.key ? [bundle, ...inside] : [job],
  );
  return new Map(all.map((job) => [job.key, job]));
}
