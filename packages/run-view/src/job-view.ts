/** The state of one job, as followers of a run see it. */

import type { RunEventOf } from '@tutti/manifests';
import { cleanLine } from './clean-text.ts';
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
  /** Number of lines that the step has printed. */
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
  /** Number of earlier failed steps of the job. */
  readonly failedBefore: number;
  readonly hasFailures: boolean;
}

/** An error, with its time in epoch milliseconds. */
export interface ShownError {
  readonly at: number;
  readonly text: string;
}

export interface FailedStep extends StepView {
  readonly exitCode: number;
  readonly endedAt: number;
  /** The server could not run it; its output says why. */
  readonly isNotRun: boolean;
}

export interface JobView {
  /** Unique in the run: the names of the bundles around it and its own, joined by slashes. */
  readonly key: string;
  /** Name for readers: the key, except for jobs of a matrix, which the server names. */
  readonly name: string;
  /** The job stands for other jobs, which are known. */
  readonly isBundle: boolean;
  /** WAITING until it has an environment, or its jobs are known. */
  readonly phase: 'WAITING' | 'RUNNING' | 'ENDED';
  readonly result: JobResult | null;
  /** The result is a success because of `continue-on-error`. */
  readonly isForgiven: boolean;
  /** When its first command began; of a bundle, when its jobs became known. */
  readonly startedAt: number | null;
  /** When its environment was free again. Its result may be known before. */
  readonly endedAt: number | null;
  /** Keys of the jobs that have to end before. */
  readonly needs: readonly string[];
  /** The request for an environment, as `asks for an environment`; null before it. */
  readonly asked: string | null;
  /** Why it waits, as a sentence; null if unknown. */
  readonly waiting: string | null;
  readonly current: StepView | null;
  /** The function that it is in. */
  readonly call: CallView | null;
  /** The last ended steps, at most `ENDED_STEPS_MAX`. */
  readonly ended: readonly EndedStep[];
  readonly failed: readonly FailedStep[];
  readonly errors: readonly ShownError[];
  /** Counts of the job's test cases so far. */
  readonly tests: TestCounts;
  /** Reason of the failure as a sentence, if it was no step. */
  readonly why: string | null;
}

/** `needs`: as a workflow has them, the names of jobs beside it. */
export function newJob(key: string, name = key, needs: unknown = []): JobView {
  const around = key.slice(0, key.lastIndexOf('/') + 1);
  return {
    key,
    // The name may contain output of steps, through a matrix.
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

/** The waiting jobs that replace a bundle; `around` is the bundle around it. */
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

/** Jobs that were stopped because of others give no other reason. */
export function reasonIn({ spec }: RunEventOf<'Notification'>): string | null {
  const sentence = spec.logs?.[0] ?? null;
  return sentence === null || sentence.endsWith(' canceled.') ? null : sentence;
}

/** Failed commands of an attempt do not count where the step runs again, or its tests passed in the end. */
export const withoutAttempt = (job: JobView): JobView =>
  job.call === null ? job : { ...job, failed: job.failed.slice(0, job.call.failedBefore) };
