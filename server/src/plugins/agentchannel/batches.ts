/**
 * The batches of output that our own agents post. Several may be under way at a time; they are taken in the order of their numbers,
 * each once, and answered when they are durable.
 */
import { type Actor, OrchestratorError, type OutputBatch, type RunOrder } from '@tutti/manifests';
import { type OutputLines, parseVariablesFile } from '@tutti/workflow';
import type { Agent } from './agent.ts';
import type { AgentChannelContext } from './context.ts';
import { type Command, inOrder, isOfJob, type JobSession } from './job-session.ts';
import { LIMITS } from './limits.ts';
import { noteThere, repeatedNext, withNext } from './next-in-answer.ts';
import { settleOwed } from './owed-releases.ts';
import { wake } from './polls.ts';
import { finish, isStopped, publishWhenCollected, storeOutput } from './results.ts';

/** A batch of output that was read; null while the command goes on. */
export interface ReadBatch extends Required<Omit<OutputBatch, 'output'>> {
  readonly output: readonly OutputLines[];
  /** Its sender. */
  readonly actor?: Actor;
}

/** What the answer to a batch that was taken has. */
interface Taken {
  readonly next: RunOrder | null;
}

const WITHOUT_NEXT: Taken = { next: null };

/**
 * Throws `Conflict` when nobody waits for the command; a batch that came before is taken as stored. One that comes before its turn
 * waits for a moment, then it throws `ServiceUnavailable`. `left`: the sender has gone. Resolves with the order for the answer, if
 * there is one.
 */
export async function receiveBatch(
  context: AgentChannelContext,
  agent: Agent,
  batch: ReadBatch,
  left: AbortSignal,
): Promise<RunOrder | null> {
  const { session } = agent;
  if (settleOwed(agent, batch.command_id, batch.exit_status !== null)) {
    wake(context, agent);
    return null;
  }
  if (session === null) {
    checkRepeated(context, agent, batch);
    return null;
  }
  const take = () => inOrder(session, () => takeBatch(context, agent, session, batch));
  const taken = (await take()) ?? (await retake(session, batch, left, take));
  for (const tell of session.earlyBatches) tell();
  return taken.next;
}

/** Tries again after each batch that was taken. */
async function retake(
  session: JobSession,
  { sequence }: ReadBatch,
  left: AbortSignal,
  take: () => Promise<Taken | null>,
): Promise<Taken> {
  const over = AbortSignal.any([left, AbortSignal.timeout(LIMITS.earlyBatchMs)]);
  for (;;) {
    if (over.aborted) throw tooEarly(sequence);
    await nextTaken(session, over);
    const taken = await take();
    if (taken !== null) return taken;
  }
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

/** Null when the batch is not due yet. */
async function takeBatch(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  batch: ReadBatch,
): Promise<Taken | null> {
  const { command } = session;
  if (command?.id !== batch.command_id) {
    checkRepeated(context, agent, batch);
    return { next: repeatedNext(session, batch) };
  }
  if (command.phase === 'collecting') {
    // The result is here; if it could not be published, that is made up for.
    await publishWhenCollected(context, agent, session);
    return WITHOUT_NEXT;
  }
  if (batch.sequence < command.nextBatch) return WITHOUT_NEXT;
  if (isEarly(command, batch)) return null;
  noteThere(agent, command);
  command.actor = batch.actor ?? null;
  const store = () => storeBatch(context, agent, session, command, batch);
  return { next: await withNext(context, agent, batch, store) };
}

/**
 * Batches before the oldest one that is under way were answered. Where they are not known, a server did it that forgot them: one whose
 * data was restored from a backup.
 */
const isEarly = ({ nextBatch }: Command, { sequence, oldest }: ReadBatch): boolean =>
  sequence > Math.max(nextBatch, oldest);

/**
 * What came before may come again, as the answer to the first time was lost: then it is the result of the agent's last command,
 * or of an earlier one of its job. Output without a result is none that came before, since the agent sends the result when it knows
 * that all before is stored. Either way the agent drops the command when it hears the answer, so what it said of it in a poll does not hold any more.
 */
function checkRepeated(context: AgentChannelContext, agent: Agent, batch: ReadBatch): void {
  const { command_id: commandId } = batch;
  const isRepeated = batch.exit_status !== null && isKnown(agent, commandId);
  if (agent.abandoned === commandId) agent.abandoned = null;
  agent.lastResult = commandId;
  wake(context, agent);
  if (isRepeated) return;
  throw new OrchestratorError('Conflict', `Command ${commandId} is not waited for (any more).`);
}

const isKnown = ({ session, lastResult }: Agent, commandId: string): boolean =>
  commandId === lastResult || (session !== null && isOfJob(session, commandId));

async function storeBatch(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  batch: ReadBatch,
): Promise<void> {
  const output = isStopped(command, batch.exit_status) ? batch.output : batch.output.map(ended);
  if (batch.exit_status === null) {
    await storeOutput(context, agent, session, command, output, batch.sequence + 1);
    return;
  }
  agent.lastResult = batch.command_id;
  const variables = parseVariablesFile(batch.variables ?? []);
  const finished = { exitStatus: batch.exit_status, variables };
  await finish(context, agent, session, command, finished, output);
}

/** Many print a last line without its end, and mean it. */
const ended = ({ cut: _, ...output }: OutputLines): OutputLines => output;
