/** A run with the whole story of its jobs: why they waited, their steps, and their files. Folded from its events, for pages. */
import {
  isRunEvent,
  type JobId,
  type LoggedEvent,
  type RunEventOf,
  type StepId,
  type WaitingReason,
} from '@tutti/manifests';
import { nameOfPath } from '@tutti/workflow/attachments';
import { type Fact, type FactOf, factOf } from '@tutti/workflow/facts';
import { withEntry } from '@tutti/workflow/with-entry';
import type { JobView, StepView } from './job-view.ts';
import {
  emptyRunView,
  jobOf,
  type RunView,
  reduceRunView,
  skippedLabel,
  timeOf,
} from './run-view.ts';
import { waitingText } from './waiting-text.ts';

export type StepState = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'FORGIVEN' | 'SKIPPED' | 'STOPPED';

/** A command, a function, or a step that did not run. Times are epoch milliseconds. */
export interface StepStory {
  readonly id: string;
  /** Ids of the functions around it, the outermost first. */
  readonly origin: readonly string[];
  readonly label: string;
  readonly isFunction: boolean;
  readonly state: StepState;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
}

/** A reason to wait, as long as it held. */
export interface WaitStory {
  /** `asked` without another reason: the job asks for an environment. */
  readonly reason: string;
  readonly text: string;
  /** The reason in full, if the run gave one. */
  readonly held: WaitingReason | null;
  readonly since: number;
  readonly until: number | null;
}

export interface FileStory {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  /** Key of the job; empty for a report on the run. */
  readonly job: string;
  /** The step of the manifest; null for an artifact. */
  readonly step: string | null;
  readonly at: number;
}

export interface JobStory {
  readonly jobId: string;
  readonly requestedAt: number | null;
  /** When it got its environment. */
  readonly placedAt: number | null;
  readonly channelId: string | null;
  /** Name of its environment. */
  readonly environment: string | null;
  /** What it asks of its environment. */
  readonly tags: readonly string[] | null;
  readonly outputs: Readonly<Record<string, string>>;
  /** When its result was known, and its environment had to be cleaned. */
  readonly releasedAt: number | null;
  readonly waits: readonly WaitStory[];
  readonly steps: readonly StepStory[];
}

export interface RunStory {
  readonly view: RunView;
  /** By the keys of the jobs; one that only waits for others has none. */
  readonly jobs: ReadonlyMap<string, JobStory>;
  /** Why the run as a whole waited. */
  readonly waits: readonly WaitStory[];
  readonly files: readonly FileStory[];
  /** Epoch milliseconds of the last event. */
  readonly at: number;
}

export const emptyRunStory: RunStory = {
  view: emptyRunView,
  jobs: new Map(),
  waits: [],
  files: [],
  at: 0,
};

const NO_STORY: JobStory = {
  jobId: '',
  requestedAt: null,
  placedAt: null,
  channelId: null,
  environment: null,
  tags: null,
  outputs: {},
  releasedAt: null,
  waits: [],
  steps: [],
};

/** Reasons of one job, or of the run. The newest are kept. */
const WAITS_MAX = 100;

/** Results of tests are left out: a server counts them. */
export function reduceRunStory(story: RunStory, event: LoggedEvent): RunStory {
  if (!isRunEvent(event)) return story;
  if (event.kind === 'Notification' && event.spec.testResults !== undefined) return story;
  const view = reduceRunView(story.view, event);
  return after({ ...story, view, at: timeOf(event) }, factOf(event), story.view);
}

function after(story: RunStory, fact: Fact, before: RunView): RunStory {
  switch (fact.type) {
    case 'EnvironmentRequested':
    case 'JobsAsked':
      return requested(story, fact);
    case 'EnvironmentOffered':
      return placed(filesAdded(story, fact.event), fact, before);
    case 'StepStarted':
      return stepStarted(story, fact.event, false);
    case 'FunctionCalled':
      return stepStarted(story, fact.event, true);
    case 'StepAnswered':
      return stepAnswered(filesAdded(story, fact.event), fact, before);
    case 'StepEnded':
      return stepEnded(story, fact, before);
    case 'JobReleased':
      return released(story, fact);
    case 'JobEnded':
    case 'JobsGiven':
      return waitsEnded(story, fact.event.metadata.job_id);
    case 'Held':
      return held(story, fact);
    case 'EnvironmentFreed':
    case 'FilesPublished':
      return filesAdded(story, fact.event);
    case 'RunSucceeded':
    case 'RunEnded':
      return { ...story, waits: closed(story.waits, story.at) };
    default:
      return story;
  }
}

const keyOfJob = (view: RunView, jobId: string | undefined): string | undefined =>
  view.jobKeys.get(jobId as JobId);

/** Changes the story of a job that the view knows. */
function ofJob(
  story: RunStory,
  jobId: string | undefined,
  change: (job: JobStory) => JobStory,
): RunStory {
  const key = keyOfJob(story.view, jobId);
  if (key === undefined) return story;
  const known = story.jobs.get(key) ?? { ...NO_STORY, jobId: jobId ?? '' };
  return { ...story, jobs: withEntry(story.jobs, key, change(known)) };
}

function closed(waits: readonly WaitStory[], at: number): readonly WaitStory[] {
  const last = waits.at(-1);
  if (last === undefined || last.until !== null) return waits;
  return [...waits.slice(0, -1), { ...last, until: at }];
}

/** The reason before it ends. */
function opened(
  waits: readonly WaitStory[],
  reason: Pick<WaitStory, 'reason' | 'text' | 'held'>,
  since: number,
): readonly WaitStory[] {
  return [...closed(waits, since), { ...reason, since, until: null }].slice(-WAITS_MAX);
}

function requested(story: RunStory, fact: FactOf<'EnvironmentRequested' | 'JobsAsked'>): RunStory {
  const jobId = fact.event.metadata.job_id;
  const text = jobOf(story.view, jobId)?.asked ?? '';
  return ofJob(story, jobId, (job) => ({
    ...job,
    requestedAt: job.requestedAt ?? story.at,
    tags: fact.type === 'EnvironmentRequested' ? fact.event['runs-on'] : job.tags,
    waits: opened(job.waits, { reason: 'asked', text, held: null }, story.at),
  }));
}

/** The run takes the first of several offers. */
function placed(
  story: RunStory,
  { event }: FactOf<'EnvironmentOffered'>,
  before: RunView,
): RunStory {
  const { job_id: jobId, channel_id: channelId = null, channel_name: name } = event.metadata;
  if (jobOf(before, jobId)?.phase !== 'WAITING') return story;
  const taken = ofJob(story, jobId, (job) => ({
    ...job,
    placedAt: story.at,
    channelId,
    environment: typeof name === 'string' ? name : null,
    waits: closed(job.waits, story.at),
  }));
  return { ...taken, waits: closed(taken.waits, story.at) };
}

function waitsEnded(story: RunStory, jobId: string | undefined): RunStory {
  return ofJob(story, jobId, (job) => ({ ...job, waits: closed(job.waits, story.at) }));
}

function held(story: RunStory, { event, job: key, reason }: FactOf<'Held'>): RunStory {
  const { view, at } = story;
  const job = key === null ? jobOf(view, event.metadata.job_id) : (view.jobs.get(key) ?? null);
  if (job === null) {
    const text = view.waiting ?? '';
    return {
      ...story,
      waits: opened(story.waits, { reason: reason.reason, text, held: reason }, at),
    };
  }
  const known = story.jobs.get(job.key) ?? NO_STORY;
  const text = waitingText(view, job);
  const waits = opened(known.waits, { reason: reason.reason, text, held: reason }, at);
  return { ...story, jobs: withEntry(story.jobs, job.key, { ...known, waits }) };
}

/** Functions end when a step outside of them begins. */
function stepStarted(
  story: RunStory,
  { metadata }: RunEventOf<'ExecutionCommand' | 'ProviderCommand'>,
  isFunction: boolean,
): RunStory {
  const { job_id: jobId, step_id: id, step_origin: origin = [] } = metadata;
  const view = jobOf(story.view, jobId);
  const current = view?.current;
  if (view === null || current?.id !== id) return story;
  const step: StepStory = {
    id,
    origin,
    label: current.label,
    isFunction,
    state: 'RUNNING',
    startedAt: story.at,
    endedAt: null,
    exitCode: null,
  };
  return ofJob(story, jobId, (job) => ({
    ...job,
    steps: [...endedBeyond(job.steps, origin, story.at), step],
  }));
}

/** Ends the open steps that are not around a step with that origin. */
function endedBeyond(
  steps: readonly StepStory[],
  origin: readonly string[],
  at: number,
): readonly StepStory[] {
  const isAround = (step: StepStory) =>
    step.isFunction && step.id === origin[step.origin.length] && step.origin.length < origin.length;
  if (steps.every((step) => step.endedAt !== null || isAround(step))) return steps;
  return steps.map((step) =>
    step.endedAt !== null || isAround(step)
      ? step
      : { ...step, endedAt: at, state: hasFailedWithin(steps, step) ? 'FAILED' : 'SUCCEEDED' },
  );
}

const hasFailedWithin = (steps: readonly StepStory[], { id, origin }: StepStory): boolean =>
  steps.some((step) => step.state === 'FAILED' && step.origin[origin.length] === id);

interface Ended {
  readonly id: string | undefined;
  readonly depth: number;
  readonly state: StepState;
  readonly exitCode: number | null;
}

/** Ends the last open step with that id and depth: steps of a function may have its id. Null if there is none. */
function withEnd(
  steps: readonly StepStory[],
  { id, depth, state, exitCode }: Ended,
  at: number,
): readonly StepStory[] | null {
  const place = steps.findLastIndex(
    (step) => step.id === id && step.origin.length === depth && step.endedAt === null,
  );
  const step = steps[place];
  return step === undefined ? null : steps.with(place, { ...step, state, exitCode, endedAt: at });
}

function stepAnswered(
  story: RunStory,
  { event }: FactOf<'StepAnswered'>,
  before: RunView,
): RunStory {
  const { job_id: jobId, step_id: id, step_origin: origin = [] } = event.metadata;
  const current = jobOf(before, jobId)?.current ?? null;
  if (current === null || event.metadata.step_sequence_id < 0) return story;
  const state = stateOf(current, event.status);
  const end = { id, depth: origin.length, state, exitCode: event.status };
  return ofJob(story, jobId, (job) => ({
    ...job,
    steps: withEnd(job.steps, end, story.at) ?? job.steps,
  }));
}

function stateOf({ isForgiven, terminated }: StepView, status: number): StepState {
  if (status === 0) return 'SUCCEEDED';
  if (terminated === 'canceled') return 'STOPPED';
  return isForgiven ? 'FORGIVEN' : 'FAILED';
}

const STATES = {
  success: 'SUCCEEDED',
  failure: 'FAILED',
  cancelled: 'STOPPED',
  skipped: 'SKIPPED',
} as const satisfies Record<string, StepState>;

function stepEnded(story: RunStory, fact: FactOf<'StepEnded'>, before: RunView): RunStory {
  const { job_id: jobId, step_id: id, step_origin: origin = [] } = fact.event.metadata;
  const isForgiven = fact.outcome === 'failure' && fact.conclusion === 'success';
  const state = isForgiven ? 'FORGIVEN' : STATES[fact.conclusion];
  const { at } = story;
  const view = jobOf(before, jobId);
  if (view === null || id === undefined) return story;
  return ofJob(story, jobId, (job) => ({
    ...job,
    steps: withEnd(job.steps, { id, depth: origin.length, state, exitCode: null }, at) ?? [
      ...endedBeyond(job.steps, origin, at),
      { ...notRun(before, view, fact, id), origin, state, startedAt: at, endedAt: at },
    ],
  }));
}

const notRun = (view: RunView, job: JobView, fact: FactOf<'StepEnded'>, id: StepId) => ({
  id,
  label: skippedLabel(view, job, fact.event),
  isFunction: false,
  exitCode: null,
});

function released(story: RunStory, { event, outputs }: FactOf<'JobReleased'>): RunStory {
  return ofJob(story, event.metadata.job_id, (job) => ({
    ...job,
    outputs,
    releasedAt: story.at,
    steps: endedBeyond(job.steps, [], story.at),
  }));
}

/** Files of a step, artifacts of a job, and reports on the run. */
function filesAdded(
  story: RunStory,
  event: RunEventOf<'ExecutionResult' | 'WorkflowResult'>,
): RunStory {
  const attached = Object.entries(event.metadata.attachments ?? {});
  if (attached.length === 0) return story;
  const job = keyOfJob(story.view, event.metadata.job_id) ?? '';
  const step =
    event.kind === 'WorkflowResult'
      ? null
      : (event.metadata.step_origin[0] ?? event.metadata.step_id);
  const added = attached.map(([path, { uuid, name, type = null }]) => ({
    id: uuid,
    name: nameOfPath(path) ?? name ?? uuid,
    type,
    job,
    step,
    at: story.at,
  }));
  return { ...story, files: [...story.files, ...added] };
}
