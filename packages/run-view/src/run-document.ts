/** The story of a run as a document in JSON: what a page shows of it. A server answers it, and a page makes it of the events that it has. */
import { formatTimestamp, type JobId, type Timestamp } from '@tutti/manifests';
import { type Failure, failuresOf } from './failures.ts';
import type { JobView } from './job-view.ts';
import type { JobStory, RunStory, StepStory, WaitStory } from './run-story.ts';
import { waitingReason } from './waiting-text.ts';

/** Numbers of test cases by outcome. */
export interface TestNumbers {
  readonly success: number;
  readonly failure: number;
  readonly error: number;
  readonly skipped: number;
}

export interface DocumentOptions {
  /** Key of a bundle, or of a job: only what is in it. */
  readonly parent?: string | null;
  /** Levels of jobs below `parent`; deeper ones are counted in their bundle. */
  readonly depth?: number | null;
  /** Null where nobody counted: of an earlier moment. */
  readonly tests?: ReadonlyMap<JobId, TestNumbers> | null;
}

/** Numbers of parts of a document. A page tells the number of others. */
export const DOCUMENT_LIMITS = {
  /** More than a run has. */
  jobs: 2_000,
  /** About a MiB. Documents of single jobs have all of theirs. */
  steps: 5_000,
  /** A page shows them beside their jobs. */
  waits: 1_000,
  /** A page of a list. */
  files: 1_000,
  /** More do not help. */
  failures: 100,
  /** Characters of a line of output. */
  lineLength: 2_000,
} as const;

type JobState = 'WAITING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED' | 'SKIPPED';
type JobCounts = Readonly<Record<Lowercase<JobState> | 'total', number>>;

const NO_JOBS: JobCounts = {
  total: 0,
  waiting: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  skipped: 0,
};

const STATES = {
  success: 'SUCCEEDED',
  failure: 'FAILED',
  cancelled: 'CANCELED',
  skipped: 'SKIPPED',
} as const satisfies Record<NonNullable<JobView['result']>, JobState>;

function stateOf({ phase, result }: JobView): JobState {
  if (phase === 'ENDED') return result === null ? 'SUCCEEDED' : STATES[result];
  return phase === 'RUNNING' ? 'RUNNING' : 'WAITING';
}

const timestamp = (ms: number | null): Timestamp | null =>
  ms === null ? null : formatTimestamp(ms);

export function runDocument(story: RunStory, options: DocumentOptions = {}) {
  const { view } = story;
  const { tests = null } = options;
  const chosen = chosenJobs(story, options);
  const { jobs, steps, waits, files, failures } = DOCUMENT_LIMITS;
  const keys = new Set(chosen.map(({ key }) => key));
  const parent = options.parent ?? null;
  if (parent !== null) keys.add(parent);
  const storyOf = (key: string) => story.jobs.get(key);
  const allSteps = [...keys].flatMap((key) => stepsOf(key, storyOf(key)));
  const allWaits = [
    ...(parent === null ? waitsOf('', story.waits) : []),
    ...[...keys].flatMap((key) => waitsOf(key, storyOf(key)?.waits ?? [])),
  ];
  const allFiles = story.files.filter(({ job }) => parent === null || isWithin(job, parent));
  const allFailures = failuresOf(view);
  return {
    at: story.at === 0 ? null : formatTimestamp(story.at),
    run: runPart(story, tests),
    failures: allFailures.slice(0, failures).map((failure) => failurePart(story, failure)),
    failures_total: allFailures.length,
    jobs: chosen.slice(0, jobs).map((job) => jobPart(story, job, tests)),
    jobs_total: chosen.length,
    steps: allSteps.slice(0, steps),
    steps_total: allSteps.length,
    waits: allWaits.slice(0, waits),
    waits_total: allWaits.length,
    files: allFiles.slice(0, files).map(({ at, ...file }) => ({ ...file, at: timestamp(at) })),
    files_total: allFiles.length,
  };
}

export type RunDocument = ReturnType<typeof runDocument>;

function runPart(story: RunStory, tests: ReadonlyMap<JobId, TestNumbers> | null) {
  const { view } = story;
  return {
    workflow_id: view.workflowId,
    name: view.name,
    namespace: view.namespace,
    status: view.phase,
    started: timestamp(view.startedAt),
    ended: timestamp(view.endedAt),
    reason: view.reason,
    canceled_by: view.canceledBy,
    waiting: view.waiting,
    errors: view.errors.map(({ at, text }) => ({ at: timestamp(at), text })),
    jobs: countsIn([...view.jobs.values()]),
    tests: tests === null ? null : sumOf([...tests.values()]),
    attachments: view.files.attachments,
    report_folders: view.files.folders,
    reports: view.files.reports,
  };
}

function sumOf(numbers: readonly TestNumbers[]): TestNumbers {
  const sum = { success: 0, failure: 0, error: 0, skipped: 0 };
  for (const each of numbers) {
    sum.success += each.success;
    sum.failure += each.failure;
    sum.error += each.error;
    sum.skipped += each.skipped;
  }
  return sum;
}

/** Bundles stand for their jobs, so only the jobs count. */
function countsIn(jobs: readonly JobView[]): JobCounts {
  const counts: Record<keyof JobCounts, number> = { ...NO_JOBS };
  for (const job of jobs) {
    if (job.isBundle) continue;
    counts.total += 1;
    counts[COUNTED[stateOf(job)]] += 1;
  }
  return counts;
}

const COUNTED = {
  WAITING: 'waiting',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'canceled',
  SKIPPED: 'skipped',
} as const satisfies Record<JobState, keyof JobCounts>;

const isWithin = (key: string, parent: string): boolean =>
  key === parent || key.startsWith(`${parent}/`);

const depthOf = (key: string): number => key.split('/').length;

/** In the order of the workflow. Where there are too many, those of the deepest levels are left out: their bundles count them. */
function chosenJobs({ view }: RunStory, { parent = null, depth = null }: DocumentOptions) {
  const all = [...view.jobs.values()];
  const inside = parent === null ? all : all.filter(({ key }) => key.startsWith(`${parent}/`));
  const begin = parent === null ? 0 : depthOf(parent);
  const deepest = inside.reduce((most, { key }) => Math.max(most, depthOf(key) - begin), 1);
  for (let levels = Math.min(depth ?? deepest, deepest); ; levels -= 1) {
    const chosen = inside.filter(({ key }) => depthOf(key) - begin <= levels);
    if (chosen.length <= DOCUMENT_LIMITS.jobs || levels <= 1) return chosen;
  }
}

function jobPart(
  { view, jobs }: RunStory,
  job: JobView,
  tests: ReadonlyMap<JobId, TestNumbers> | null,
) {
  const { key, current } = job;
  const story = jobs.get(key);
  const inside = job.isBundle
    ? [...view.jobs.values()].filter((other) => other.key.startsWith(`${key}/`))
    : [];
  const jobId = story?.jobId ?? '';
  return {
    job_id: jobId === '' ? null : jobId,
    key,
    name: job.name,
    parent: key.includes('/') ? key.slice(0, key.lastIndexOf('/')) : null,
    status: stateOf(job),
    is_forgiven: job.isForgiven,
    needs: job.needs,
    waiting: job.phase === 'WAITING' ? waitingReason(view, job) : null,
    why: job.why,
    channel_id: story?.channelId ?? null,
    environment: story?.environment ?? null,
    tags: story?.tags ?? null,
    requested: timestamp(story?.requestedAt ?? null),
    placed: timestamp(story?.placedAt ?? null),
    started: timestamp(job.startedAt),
    released: timestamp(story?.releasedAt ?? null),
    ended: timestamp(job.endedAt),
    step: current === null ? null : { id: current.id, label: current.label },
    last_line: current === null ? null : lastLineOf(current.lastLines),
    tests: tests?.get(jobId as JobId) ?? null,
    jobs: job.isBundle ? countsIn(inside) : null,
  };
}

const cutLine = (line: string): string => line.slice(0, DOCUMENT_LIMITS.lineLength);

function lastLineOf(lines: readonly string[]): string | null {
  const last = lines.at(-1);
  return last === undefined ? null : cutLine(last);
}

const stepsOf = (key: string, story: JobStory | undefined) =>
  (story?.steps ?? []).map((step) => stepPart(key, step));

const stepPart = (job: string, step: StepStory) => ({
  job,
  id: step.id,
  origin: step.origin,
  label: step.label,
  is_function: step.isFunction,
  status: step.state,
  started: timestamp(step.startedAt),
  ended: timestamp(step.endedAt),
  exit_code: step.exitCode,
});

const waitsOf = (job: string, waits: readonly WaitStory[]) =>
  waits.map(({ reason, text, since, until }) => ({
    job,
    reason,
    text,
    since: timestamp(since),
    until: timestamp(until),
  }));

function failurePart({ jobs }: RunStory, failure: Failure) {
  const { job, step, place, message, isStopped, at } = failure;
  const key = job?.key ?? null;
  return {
    job: key,
    job_id: (key === null ? null : jobs.get(key)?.jobId) || null,
    step: step?.id ?? null,
    place,
    message,
    is_stopped: isStopped,
    exit_code: step?.exitCode ?? null,
    at: timestamp(at),
    lines: (step?.lastLines ?? []).map(cutLine),
    lines_total: step?.lineCount ?? 0,
  };
}
