/**
 * The batches of output that our own agents post. Several may be under way at a time. The server takes them in the order of their numbers,
 * each once, and answers when they are durable.
 *
 * The answer to the post of a result has the next command. Most steps then need one request, and the held poll stays open. An agent that
 * asks for it posts its result until it gets an answer. So a lost answer is sent again.
 */
import { OrchestratorError, type RunOrder } from '@tutti/manifests';
import type { OutputLines } from '@tutti/workflow';
import { channelIdOf } from '../jobs/agent.ts';
import type { ReadBatch } from '../jobs/agent-post.ts';
import type { Command } from '../jobs/command.ts';
import { finish, isStopped, publishWhenCollected, storeOutput } from '../jobs/commands.ts';
import type { AgentJob, Work } from '../jobs/context.ts';
import type { JobSession } from '../jobs/job-session.ts';
import { LIMITS } from '../jobs/limits.ts';
import { meterDispatch, wake } from '../jobs/polls.ts';
import { type OwnAgent, ownOrder } from './own-agent.ts';

/** A job on one of our own agents. */
interface OwnJob extends AgentJob {
  readonly agent: OwnAgent;
}

/**
 * Takes a batch, and resolves with the order for the answer, if there is one. A repeated batch counts as stored. Throws `Conflict` when no
 * job waits for the command, and `ServiceUnavailable` for a batch that stays too early. `left` aborts when the sender has gone.
 */
export async function receiveBatch(
  { context, agent }: Omit<OwnJob, 'session'>,
  batch: ReadBatch,
  left: AbortSignal,
): Promise<RunOrder | null> {
  const { session } = agent;
  let next: RunOrder | null = null;
  if (agent.settleOwed(batch.command_id, batch.exit_status !== null)) wake(context, agent);
  else if (session === null) checkRepeated({ context, agent }, batch);
  else next = await takeInTurn({ context, agent, session }, batch, left);
  return next;
}

/** Tries again after each batch that was taken. */
async function takeInTurn(
  job: OwnJob,
  batch: ReadBatch,
  left: AbortSignal,
): Promise<RunOrder | null> {
  const { session } = job;
  const take = () => session.inOrder(() => takeBatch(job, batch));
  let taken = await take();
  if (taken === 'early') {
    const over = AbortSignal.any([left, AbortSignal.timeout(LIMITS.earlyBatchMs)]);
    while (taken === 'early') {
      if (over.aborted) throw tooEarly(batch.sequence);
      await nextTaken(session, over);
      taken = await take();
    }
  }
  for (const confirm of session.earlyBatches) confirm();
  return taken;
}

/** Resolves when a batch of the session was taken, or the signal is aborted. */
function nextTaken({ earlyBatches }: JobSession, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      earlyBatches.delete(end);
      over.removeEventListener('abort', end);
      resolve();
    };
    earlyBatches.add(end);
    over.addEventListener('abort', end);
  });
}

const tooEarly = (sequence: number): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    `Batch ${sequence} of the output came before an earlier one. Send both again.`,
  );

/** Relation of a batch to the command that its job waits for. */
type Standing = 'of-another' | 'known' | 'early' | 'due';

/**
 * Batches before the oldest one in flight were answered. If the server does not know them, its
 * data was restored from a backup.
 */
const standingOf = ({ hasEnded, nextBatch }: Command, { sequence, oldest }: ReadBatch): Standing =>
  hasEnded || sequence < nextBatch
    ? 'known'
    : sequence > Math.max(nextBatch, oldest)
      ? 'early'
      : 'due';

/** Resolves with the order for the answer, or says that the batch is not due yet. */
async function takeBatch(job: OwnJob, batch: ReadBatch): Promise<RunOrder | 'early' | null> {
  const { command } = job.session;
  const isOfCommand = command?.id === batch.command_id;
  const standing = isOfCommand ? standingOf(command, batch) : 'of-another';
  let next: RunOrder | null = null;
  if (standing === 'of-another') {
    checkRepeated(job, batch);
    next = repeatedNext(job.session, batch);
  } else if (standing === 'known') {
    // Publishes the result if an earlier try failed.
    await publishWhenCollected(job);
  } else if (isOfCommand && standing === 'due') {
    job.agent.noteThere(command);
    command.note({ actor: batch.actor ?? null });
    next = await storeBatch({ ...job, command }, batch);
  }
  return standing === 'early' ? standing : next;
}

/**
 * A batch may come again when its answer was lost. Then it is the result of the agent's last command, or of an earlier command of its job.
 * Output without a result never comes again, since the agent sends the result only when all output is stored. Either way the agent drops
 * the command when it gets the answer. So the poll's report on the command is outdated.
 */
function checkRepeated(
  { context, agent }: Pick<OwnJob, 'context' | 'agent'>,
  { command_id: commandId, exit_status: exitStatus }: ReadBatch,
): void {
  const isKnown = commandId === agent.lastResult || agent.session?.isOfJob(commandId) === true;
  agent.noteResult(commandId);
  wake(context, agent);
  if (exitStatus !== null && isKnown) return;
  throw new OrchestratorError('Conflict', `Command ${commandId} is not waited for (any more).`);
}

/** Stores a batch. Returns the next command for the answer if the agent asked for that. Otherwise a poll gets it, as all other orders. */
async function storeBatch(work: Work & OwnJob, batch: ReadBatch): Promise<RunOrder | null> {
  const { context, agent } = work;
  const { command_id: commandId, sequence, exit_status: exitStatus } = batch;
  let next: RunOrder | null = null;
  agent.note({ takesInAnswer: batch.next && exitStatus !== null });
  try {
    const output = isStopped(work.command, exitStatus) ? batch.output : batch.output.map(ended);
    if (exitStatus === null) await storeOutput(work, output, sequence + 1);
    else {
      agent.noteResult(commandId);
      const isReleased = batch.released && agent.takesInAnswer && work.command.release !== null;
      work.command.note({ isReleased });
      await finish(work, { exitStatus, variables: batch.variables, output });
      if (agent.takesInAnswer && agent.session === null) await context.placed(channelIdOf(agent));
    }
    const command = agent.takesInAnswer ? (agent.session?.command ?? null) : null;
    if (command?.phase === 'waiting' && command.cancelAskedAtMs === null) {
      command.handOut(commandId);
      meterDispatch(context, command);
      next = ownOrder(command);
    }
  } finally {
    agent.note({ takesInAnswer: false });
    if (next === null) wake(context, agent);
  }
  return next;
}

/** Many programs end with an unfinished last line on purpose, so it counts as finished. Lines without the mark are not made yet. */
function ended(output: OutputLines): OutputLines {
  if (output.cut !== true) return output;
  const { cut: _, ...whole } = output;
  return whole;
}

/** Answers a repeated result as before, as the first answer may have been lost. */
function repeatedNext(
  { command }: JobSession,
  { command_id: after, next }: ReadBatch,
): RunOrder | null {
  const isWanted = next && command?.phase === 'running' && command.cancelAskedAtMs === null;
  return isWanted && command.givenAfter === after ? ownOrder(command) : null;
}
