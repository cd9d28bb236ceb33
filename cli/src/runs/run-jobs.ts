/**
 * The jobs of a run as manifests. Ended ones come from the data source with their test cases (specification 2.7). Running,
 * waiting and skipped ones are built from events.
 */
import type { Client, JsonRecord, WorkflowStatus } from '@tutti/client';
import {
  formatTimestamp,
  isRunEvent,
  type LoggedEvent,
  type RunEventOf,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import {
  emptyRunView,
  type JobView,
  type RunView,
  reduceRunView,
  waitingReason,
} from '@tutti/run-view';
import { JOB_ENTRY } from '@tutti/workflow/facts';
import { textAt } from '../resources/value-path.ts';
import { MissedEnvironments } from './environments-elsewhere.ts';

export interface RunJobs {
  readonly status: WorkflowStatus;
  readonly items: readonly JsonRecord[];
}

/** Output of steps, the largest part of the events, is not needed. */
const STRUCTURE =
  'kind in (Workflow,GeneratorCommand,GeneratorResult,ExecutionCommand,ExecutionResult,ExecutionError,WorkflowCompleted,WorkflowCanceled)';
const JOB_NOTIFICATIONS = 'kind=Notification,!metadata.step_id';

export interface ReadJobsOptions {
  /** Test cases that count. */
  readonly scope?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function readJobs(
  client: Client,
  workflowId: string,
  { scope, signal }: ReadJobsOptions = {},
): Promise<RunJobs> {
  const fold = createFold();
  let status: WorkflowStatus = 'PENDING';
  for (const fieldSelector of [STRUCTURE, JOB_NOTIFICATIONS]) {
    for await (const page of client.eventPages(workflowId, { fieldSelector, signal })) {
      for (const event of page.events) fold.event(event);
      status = page.status;
    }
  }
  // Read after the events: jobs of a finished run must be complete.
  const ended = await client.runItems(workflowId, 'jobs', { waitMs: 0, scope }, { signal });
  const byId = new Map(ended.items.map((item) => [textAt(item, ['metadata', 'id']), item]));
  return { status, items: fold.jobs(byId, await fold.elsewhere(client, signal)) };
}

interface JobFacts {
  readonly id: string;
  readonly name: string;
  readonly runsOn: readonly string[];
  readonly requestTime: string | undefined;
  readonly environment: string | null;
}

function createFold() {
  let view = emptyRunView;
  let manifest: JsonRecord = {};
  const facts = new Map<string, JobFacts>();
  const missed = new MissedEnvironments();
  return {
    event(event: LoggedEvent): void {
      view = reduceRunView(view, event);
      missed.note(event);
      if (!isRunEvent(event)) return;
      if (event.kind === 'Workflow') manifest = { ...event.jobs };
      if (event.kind === 'ExecutionCommand') requested(facts, view, event);
      if (event.kind === 'ExecutionResult') offered(facts, view, event);
    },
    elsewhere(client: Client, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
      const waiting = [...view.jobs.values()].filter(({ phase }) => phase === 'WAITING');
      return missed.elsewhere(
        client,
        waiting.map((job) => job.waiting),
        signal,
      );
    },
    jobs(
      ended: ReadonlyMap<string, JsonRecord>,
      elsewhere: ReadonlyMap<string, string>,
    ): readonly JsonRecord[] {
      // The progress of a bundle is that of its jobs.
      const jobs = [...view.jobs.values()].filter(({ isBundle }) => !isBundle);
      return jobs.map((job) => {
        const known = facts.get(job.key) ?? unknownFacts(job, manifest);
        const made = ended.get(known.id) ?? liveManifest(view, job, known);
        return manifestOf(made, job, known.environment, reasonOf(view, job, elsewhere));
      });
    },
  };
}

function requested(
  facts: Map<string, JobFacts>,
  view: RunView,
  event: RunEventOf<'ExecutionCommand'>,
): void {
  const { metadata, 'runs-on': runsOn } = event;
  const key = view.jobKeys.get(metadata.job_id);
  if (metadata.step_sequence_id !== STEP_SEQUENCE.request || key === undefined) return;
  const { job_id: id, name, creationTimestamp: requestTime } = metadata;
  facts.set(key, { id, name, runsOn, requestTime, environment: null });
}

function offered(
  facts: Map<string, JobFacts>,
  view: RunView,
  { metadata, status }: RunEventOf<'ExecutionResult'>,
): void {
  const key = view.jobKeys.get(metadata.job_id) ?? '';
  const job = facts.get(key);
  const isOffer = metadata.step_sequence_id === STEP_SEQUENCE.request && status === 0;
  if (job === undefined || !isOffer || job.environment !== null) return;
  const environment = metadata.channel_name ?? metadata.channel_id;
  if (typeof environment === 'string') facts.set(key, { ...job, environment });
}

/** Facts of a job that has not asked for an environment. */
function unknownFacts({ key, name }: JobView, manifest: JsonRecord): JobFacts {
  const wanted = Object.entries(manifest).find(([own]) => own === key)?.[1];
  const tags: unknown =
    typeof wanted === 'object' && wanted !== null && 'runs-on' in wanted ? wanted['runs-on'] : [];
  const runsOn = [tags].flat().filter((tag) => typeof tag === 'string');
  // Users see the bundles around it, too; the data source has only its own name.
  const own = name === key ? key.slice(key.lastIndexOf('/') + 1) : name;
  return { id: '', name: own, runsOn, requestTime: undefined, environment: null };
}

const RESULTS = {
  success: 'SUCCEEDED',
  failure: 'FAILED',
  cancelled: 'CANCELLED',
  skipped: 'SKIPPED',
} as const;

function reasonOf(
  view: RunView,
  job: JobView,
  elsewhere: ReadonlyMap<string, string>,
): string | null {
  if (job.phase !== 'WAITING') return endReason(job);
  const reason = waitingReason(view, job);
  const more = elsewhere.get(job.waiting ?? '');
  return reason === null || more === undefined ? reason : `${reason} ${more}`;
}

function manifestOf(
  made: JsonRecord,
  { key }: JobView,
  environment: string | null,
  reason: string | null,
): JsonRecord {
  const more = {
    ...(environment !== null && { channel: environment }),
    ...(reason !== null && { reason }),
  };
  const { metadata = {}, status = {}, ...rest } = made;
  return {
    ...rest,
    metadata: { ...recordOf(metadata), [JOB_ENTRY]: key },
    status: { ...recordOf(status), ...more },
  };
}

/** An error of a job that continued does not count. */
function endReason({ why, result, errors }: JobView): string | null {
  if (why !== null || result === null || result === 'success') return why;
  return errors[0]?.text ?? null;
}

const recordOf = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};

function liveManifest(view: RunView, job: JobView, facts: JobFacts): JsonRecord {
  const { id, name, runsOn, requestTime } = facts;
  const phase = job.phase === 'ENDED' ? RESULTS[job.result ?? 'failure'] : job.phase;
  const times = [
    ['requestTime', requestTime],
    ['startTime', job.startedAt === null ? undefined : formatTimestamp(job.startedAt)],
    ['endTime', job.endedAt === null ? undefined : formatTimestamp(job.endedAt)],
  ].filter(([, time]) => time !== undefined);
  return {
    kind: 'Job',
    metadata: {
      name,
      ...(id !== '' && { id }),
      namespace: view.namespace,
      workflow_id: view.workflowId,
    },
    spec: { 'runs-on': runsOn },
    status: { phase, ...Object.fromEntries(times) },
  };
}
