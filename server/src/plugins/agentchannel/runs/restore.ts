/** After a restart: jobs wait for environments again, and commands on agents are taken up where they were. */
import {
  type AgentId,
  type ChannelId,
  type ExecutionCommandEvent,
  type JobId,
  type RunEvent,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import type { Job, Run } from '@tutti/workflow';
import { notifiedLines } from '@tutti/workflow/facts';
import {
  beginCommand,
  endSilently,
  finishCommand,
  publishWhenCollected,
} from '../jobs/commands.ts';
import {
  type AgentChannelContext,
  type AgentJob,
  insistInTurn,
  type Work,
} from '../jobs/context.ts';
import { HANDLER_ID } from '../jobs/handler-id.ts';
import { createSession, recordRemoval, SESSIONS, type SessionRecord } from '../jobs/job-session.ts';
import { LogLines } from '../jobs/log-lines.ts';
import { loseCommand, STOPPED_STATUS } from './channel-events.ts';

const PAGE = 1000;

interface Restoring {
  /** Called when the state of the runs is taken: events after that are not in it. */
  readonly taken: () => void;
  /** Called with each job that waits for an environment, the oldest first. */
  readonly requested: (run: Run, job: Job & { readonly jobId: JobId }) => void;
}

export async function restoreSessions(
  context: AgentChannelContext,
  { taken, requested }: Restoring,
): Promise<void> {
  const records = new Map<string, SessionRecord>();
  for (const { key, json } of await context.store.documents(SESSIONS)) {
    records.set(key, JSON.parse(json));
  }
  taken();
  const runs = [...context.runs.live()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  const owners = ownersOf(runs);
  for (const run of runs) {
    const jobs = [...run.jobs.values()].filter(hasId);
    for (const job of jobs) if (job.phase === 'REQUESTED') requested(run, job);
    const ours = jobs.filter(isOnAgent);
    if (ours.length > 0) await resumeJobs({ context, run, records, owners }, ours);
    for (const { jobId } of ours) records.delete(jobId);
  }
  // The remaining records belong to jobs that are over.
  const documents = [...records.keys()].map(recordRemoval);
  if (documents.length > 0) await context.store.write({ documents });
}

interface Resumed {
  readonly context: AgentChannelContext;
  readonly run: Run;
  readonly records: ReadonlyMap<string, SessionRecord>;
  readonly owners: ReadonlyMap<ChannelId, Job>;
}

const isOnAgent = ({ channel }: Job): boolean => channel?.handlerId === HANDLER_ID;

/**
 * The job of each channel. A job that lost its environment keeps its channel in name until it ends. The channel may already have the next
 * job. The job that began last owns the channel.
 */
function ownersOf(runs: readonly Run[]): ReadonlyMap<ChannelId, Job> {
  const owners = new Map<ChannelId, Job>();
  for (const job of runs.flatMap(({ jobs }) => [...jobs.values()]).filter(isOnAgent)) {
    if (job.channel === null) continue;
    const other = owners.get(job.channel.id);
    const isLater = (job.startedAt ?? '') > (other?.startedAt ?? '');
    if (other === undefined || isLater) owners.set(job.channel.id, job);
  }
  return owners;
}

type IdentifiedJob = Job & { readonly jobId: JobId };

const hasId = (job: Job): job is IdentifiedJob => job.jobId !== null;

async function resumeJobs(resumed: Resumed, jobs: readonly IdentifiedJob[]): Promise<void> {
  const { context, run } = resumed;
  const isWaitedFor = ({ command, phase }: Job) => command !== null || phase === 'RELEASING';
  const histories = await readHistories(context, run, jobs.filter(isWaitedFor));
  for (const job of jobs) resumeJob(resumed, job, histories.get(job.jobId) ?? null);
}

function resumeJob(
  { context, run, records, owners }: Resumed,
  { jobId, channel }: IdentifiedJob,
  history: History | null,
): void {
  if (channel === null) return;
  const agent = context.agents.get(channel.id as string as AgentId);
  if (agent === undefined || owners.get(channel.id)?.jobId !== jobId) {
    const why = 'The environment of the job was lost while the server was down.';
    if (history !== null)
      loseCommand(context, history.command, { why, logs: history.logs.result() });
    return;
  }
  const session = createSession(agent, { workflowId: run.workflowId, jobId, masks: run.masks });
  const record = records.get(jobId) ?? null;
  if (record !== null) session.takeOver(record);
  agent.begin(context, session, run.namespace);
  if (history !== null) resumeCommand({ context, agent, session }, history, record);
}

/** The current command of a job, from the log of its run. */
interface History {
  readonly command: ExecutionCommandEvent;
  /** Lines of the command's output in notifications. */
  readonly logs: LogLines;
  /** The command was told to stop. */
  readonly isStopped: boolean;
}

/** The newest command of each of these jobs. The log is read from the oldest of these commands on. */
async function readHistories(
  context: AgentChannelContext,
  run: Run,
  jobs: readonly IdentifiedJob[],
): Promise<ReadonlyMap<JobId, History>> {
  const histories = new Map<JobId, History>();
  if (jobs.length === 0) return histories;
  const wanted = new Set(jobs.map(({ jobId }) => jobId));
  for (let seq = await firstSeqOf(context, run, wanted); ; ) {
    const page = await context.store.history(run.workflowId, seq, PAGE);
    const items = page?.items ?? [];
    for (const json of items) continueHistory(histories, wanted, JSON.parse(json));
    seq += items.length;
    if (page === null || items.length === 0 || seq > page.total) return histories;
  }
}

/** Where the oldest of the newest commands of these jobs is in the log. */
async function firstSeqOf(
  { store }: AgentChannelContext,
  { workflowId }: Run,
  wanted: ReadonlySet<JobId>,
): Promise<number> {
  const seqs = new Map<JobId, number>();
  for (let next = 1; ; ) {
    const events = await store.foldingEvents(workflowId, next);
    for (const { seq, json } of events) {
      const event: RunEvent = JSON.parse(json);
      if (beginsWork(event) && wanted.has(event.metadata.job_id)) {
        seqs.set(event.metadata.job_id, seq);
      }
      next = seq + 1;
    }
    if (events.length === 0) return Math.min(next, ...seqs.values());
  }
}

function continueHistory(
  histories: Map<JobId, History>,
  wanted: ReadonlySet<JobId>,
  event: RunEvent,
): void {
  if (event.kind === 'ExecutionCommand') {
    if (wanted.has(event.metadata.job_id)) noteCommand(histories, event);
  } else if (event.kind === 'Notification' && event.metadata.job_id !== undefined) {
    const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
    const history = histories.get(jobId);
    if (history?.command.metadata.step_sequence_id !== sequence) return;
    history?.logs.add(notifiedLines(event));
  }
}

/** The command of a step, or of the release. */
const beginsWork = (event: RunEvent): event is ExecutionCommandEvent =>
  event.kind === 'ExecutionCommand' &&
  (event.metadata.step_sequence_id >= 0 ||
    event.metadata.step_sequence_id === STEP_SEQUENCE.release);

function noteCommand(histories: Map<JobId, History>, event: ExecutionCommandEvent): void {
  const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
  const history = histories.get(jobId);
  if (beginsWork(event)) {
    histories.set(jobId, { command: event, logs: new LogLines(), isStopped: false });
  } else if (history !== undefined && sequence !== STEP_SEQUENCE.request) {
    histories.set(jobId, { ...history, isStopped: true });
  }
}

function resumeCommand(job: AgentJob, history: History, record: SessionRecord | null): void {
  const { context, agent, session } = job;
  const kept = session.output;
  const command = beginCommand(job, history.command, history.logs);
  const isCurrent = record?.sequence === history.command.metadata.step_sequence_id;
  const current = isCurrent ? record : null;
  if (current !== null) session.noteOutput(kept);
  command.note({
    nextBatch: current?.nextBatch ?? 0,
    actor: current?.actor ?? null,
    requests: current?.requests ?? [],
    published: history.logs.streamedCount - (current?.streamed ?? 0),
  });
  // The next poll of an agent that keeps its work shows whether it has the command.
  if (agent.keepsWork || current?.delivered === true) command.handOut();
  if (history.isStopped) command.note({ cancelAskedAtMs: context.clock.monotonicMs() });
  takeUp({ ...job, command }, current);
}

/** Resumes the work that the server had when it went down. Nobody asks for it again. */
function takeUp(work: Work, record: SessionRecord | null): void {
  const { session, command } = work;
  const finished = record?.finished ?? null;
  if (finished !== null) {
    // From now on, an agent that runs nothing has lost nothing.
    command.end(finished);
    const reading = { state: session.output, logs: [], requests: [] };
    const again = async () => {
      if (session.command !== command) return;
      // The command has ended at the first try, if this is a further one.
      if (command.phase === 'collecting') await publishWhenCollected(work);
      else await finishCommand(work, finished, reading);
    };
    void insistInTurn(work, 'Collecting files after a restart', again);
  } else if (command.phase === 'waiting' && command.cancelAskedAtMs !== null) {
    void endSilently(work, { exitStatus: STOPPED_STATUS });
  }
}
