/** After a restart: what waited for an environment waits again, and what ran on agents is taken up where it was. */
import type { AgentId, ExecutionCommandEvent, RunEvent } from '@tutti/manifests';
import type { Job, Run } from '@tutti/workflow';
import { type Agent, channelIdOf } from './agent.ts';
import { beginCommand, finishCommand, publishLost, STOPPED_STATUS } from './commands.ts';
import { type AgentChannelContext, detach, HANDLER_ID } from './context.ts';
import { createSession, type JobSession, SESSIONS, type SessionRecord } from './job-session.ts';
import { inOrder } from './results.ts';

const PAGE = 1000;

export async function restoreSessions(context: AgentChannelContext): Promise<void> {
  const records = new Map<string, SessionRecord>();
  for (const { key, json } of await context.store.documents(SESSIONS)) {
    records.set(key, JSON.parse(json));
  }
  const runs = [...context.runs.live()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  let order = -Number.MAX_SAFE_INTEGER;
  for (const run of runs) {
    for (const job of run.jobs.values()) {
      if (job.phase === 'REQUESTED') request(context, run, job, order++);
      else if (job.channel?.handlerId === HANDLER_ID) await resume(context, run, job, records);
    }
  }
}

/** Jobs from before the restart are older than all that come after it. */
function request(context: AgentChannelContext, run: Run, job: Job, order: number): void {
  if (job.jobId === null) return;
  context.pool.addRequest({
    jobId: job.jobId,
    workflowId: run.workflowId,
    jobName: job.name,
    namespace: run.namespace,
    tags: job.tags,
    priority: 0,
    order,
  });
}

async function resume(
  context: AgentChannelContext,
  run: Run,
  job: Job,
  records: ReadonlyMap<string, SessionRecord>,
): Promise<void> {
  const { jobId, channel } = job;
  if (jobId === null || channel === null) return;
  const agent = context.agents.get(channel.id as string as AgentId);
  const history = await historyOf(context, run, job);
  if (agent === undefined) {
    if (history === null) return;
    const why = 'The environment of the job was lost while the server was down.';
    const lost = publishLost(context, history.command, why, { lines: [], streamed: 0 });
    detach(context, 'A result for a lost environment', lost);
    return;
  }
  const session = createSession(agent.id, run.workflowId, jobId);
  agent.session = session;
  const record = records.get(jobId) ?? null;
  if (record !== null) {
    session.isRecorded = true;
    session.output = record.output;
  }
  context.pool.setPhase(channelIdOf(agent), 'BUSY', {
    job: { workflowId: run.workflowId, jobId },
  });
  if (history !== null) resumeCommand(context, agent, session, history, record);
}

interface History {
  readonly command: ExecutionCommandEvent;
  /** Lines that notifications gave of the command's output. */
  readonly lines: readonly string[];
  /** The command was told to stop. */
  readonly stopped: boolean;
}

/** The command that the job waits for, from its run's log; null when it waits for none. */
async function historyOf(
  context: AgentChannelContext,
  run: Run,
  job: Job,
): Promise<History | null> {
  if (job.command === null && job.phase !== 'RELEASING') return null;
  let history: History | null = null;
  for (let seq = 1; ; ) {
    const page = await context.store.events(run.workflowId, seq, PAGE);
    const items = page?.items ?? [];
    for (const json of items) history = continueHistory(history, JSON.parse(json), job);
    seq += items.length;
    if (page === null || items.length === 0 || seq > page.total) return history;
  }
}

function continueHistory(history: History | null, event: RunEvent, job: Job): History | null {
  if (event.metadata.job_id !== job.jobId) return history;
  if (event.kind === 'ExecutionCommand') {
    const sequence = event.metadata.step_sequence_id;
    if (sequence >= 0 || sequence === -2) return { command: event, lines: [], stopped: false };
    return history === null || sequence === -1 ? history : { ...history, stopped: true };
  }
  const isOutput =
    event.kind === 'Notification' &&
    event.metadata.step_sequence_id === history?.command.metadata.step_sequence_id;
  return history !== null && isOutput
    ? { ...history, lines: [...history.lines, ...(event.spec.logs ?? [])] }
    : history;
}

function resumeCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  history: History,
  record: SessionRecord | null,
): void {
  const kept = session.output;
  const command = beginCommand(context, agent, session, history.command);
  const isCurrent = record?.sequence === history.command.metadata.step_sequence_id;
  command.logs.add(history.lines, true);
  if (history.stopped) command.cancelAskedAtMs = context.clock.now();
  if (record !== null && isCurrent) {
    session.output = kept;
    command.nextBatch = record.nextBatch;
    command.requests = record.requests;
    if (record.delivered) command.phase = 'running';
  }
  const finished = isCurrent ? (record?.finished ?? null) : null;
  if (finished !== null) {
    const again = () => finishCommand(context, agent, session, command, finished, []);
    detach(context, 'Collecting files after a restart', inOrder(session, again));
  } else if (history.stopped && !agent.isOurs && command.phase === 'waiting') {
    const stopped = { exitStatus: STOPPED_STATUS, variables: {} };
    const again = () => finishCommand(context, agent, session, command, stopped, []);
    detach(context, 'The result of a stopped command', inOrder(session, again));
  }
}
