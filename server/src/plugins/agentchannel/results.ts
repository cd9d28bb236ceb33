/** What agents post: output and results of commands, and failures of transfers. */
import { OrchestratorError } from '@tutti/manifests';
import { type OutputLines, parseVariablesFile, readOutput } from '@tutti/workflow';
import type { Agent } from './agent.ts';
import {
  endTransfer,
  finishCommand,
  publishLines,
  publishResult,
  recordWrite,
} from './commands.ts';
import type { AgentChannelContext } from './context.ts';
import type { Command, JobSession } from './job-session.ts';
import { wake } from './polls.ts';

/** A batch of output of one of our own agents (agent protocol `tutti.v1`). */
export interface OutputBatch {
  readonly commandId: string;
  readonly sequence: number;
  readonly output: readonly OutputLines[];
  /** Null while the command goes on. */
  readonly exitStatus: number | null;
  readonly variables: readonly string[] | null;
}

/** What an existing agent posts (wire facts 4.4). */
export interface ExistingPost {
  readonly output: readonly OutputLines[];
  readonly exitStatus: number | null;
  /** Undefined: the agent does not send them; null: there are none. */
  readonly variables: readonly string[] | null | undefined;
  readonly error: string | null;
}

/** Handles posts of one job in the order in which they came; each sees what the one before left. */
export function inOrder<T>(session: JobSession, work: () => Promise<T>): Promise<T> {
  const result = session.tail.then(work, work);
  // The sender is told of an error; the next post is handled all the same.
  session.tail = result.catch(() => null);
  return result;
}

const unwanted = (commandId: string): OrchestratorError =>
  new OrchestratorError('Conflict', `Command ${commandId} is not waited for (any more).`);

/** Throws `Conflict` when nobody waits for the command; a batch that came before is taken as stored. */
export async function receiveBatch(
  context: AgentChannelContext,
  agent: Agent,
  batch: OutputBatch,
): Promise<void> {
  const { session } = agent;
  if (session === null) {
    settleAbandoned(agent, batch);
    throw unwanted(batch.commandId);
  }
  await inOrder(session, async () => {
    const { command } = session;
    if (command === null || command.id !== batch.commandId) {
      if (isOfThisJob(session, batch.commandId)) return;
      settleAbandoned(agent, batch);
      throw unwanted(batch.commandId);
    }
    if (command.phase === 'collecting' || batch.sequence < command.nextBatch) return;
    await storeBatch(context, agent, session, command, batch);
    wake(context, agent);
  });
}

/** A result that is sent again after its command was done: the answer to the first time was lost. */
function isOfThisJob(session: JobSession, commandId: string): boolean {
  return commandId.startsWith(`${session.jobId}/`);
}

/** The end of a command that was given up leaves the agent free for others. */
function settleAbandoned(agent: Agent, batch: OutputBatch): void {
  if (agent.abandoned === batch.commandId && batch.exitStatus !== null) agent.abandoned = null;
}

async function storeBatch(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  batch: OutputBatch,
): Promise<void> {
  command.phase = 'running';
  const before = { output: session.output, requests: command.requests };
  const reading = readOutput(session.output, batch.output);
  session.output = reading.state;
  command.requests = [...command.requests, ...reading.requests];
  command.nextBatch = batch.sequence + 1;
  try {
    if (batch.exitStatus === null) {
      const documents = [recordWrite(session, command)];
      await publishLines(context, command, reading.logs, documents);
      return;
    }
    agent.lastResult = batch.commandId;
    const variables = parseVariablesFile(batch.variables ?? []);
    const finished = { exitStatus: batch.exitStatus, variables };
    await finishCommand(context, agent, session, command, finished, reading.logs);
  } catch (error) {
    // Not stored: the agent sends the batch again.
    Object.assign(command, { nextBatch: batch.sequence, requests: before.requests });
    Object.assign(command, { phase: 'running', finished: null });
    session.output = before.output;
    throw error;
  }
}

/** Posts of existing agents carry no id: they are about the command that was handed out last. */
export async function receiveExistingPost(
  context: AgentChannelContext,
  agent: Agent,
  post: ExistingPost,
): Promise<void> {
  const { session } = agent;
  if (session === null) {
    if (post.exitStatus !== null) agent.abandoned = null;
    return;
  }
  await inOrder(session, async () => {
    const { command } = session;
    if (command === null) return;
    if (command.phase === 'collecting')
      return await failToldTransfer(context, agent, session, post);
    if (post.error !== null && command.phase === 'waiting') {
      // The agent could not fetch the script, so the command cannot run.
      const lines = [`ERROR,The agent could not fetch the script: ${post.error}`];
      const finished = { exitStatus: 1, variables: {} };
      await finishCommand(context, agent, session, command, finished, lines);
      return;
    }
    if (command.phase === 'waiting' && post.exitStatus !== null) agent.abandoned = null;
    if (command.phase === 'running') await storePost(context, agent, session, command, post);
  });
}

async function storePost(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  post: ExistingPost,
): Promise<void> {
  const reading = readOutput(session.output, post.output);
  session.output = reading.state;
  command.requests = [...command.requests, ...reading.requests];
  if (post.exitStatus === null) {
    agent.isAsync = true;
    await publishLines(context, command, reading.logs, [recordWrite(session, command)]);
    return;
  }
  const variables = post.variables === undefined ? null : parseVariablesFile(post.variables ?? []);
  const finished = { exitStatus: post.exitStatus, variables };
  await finishCommand(context, agent, session, command, finished, reading.logs);
}

/** Any post while files are collected is about the file that was asked for, and says that it could not be had. */
async function failToldTransfer(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  post: ExistingPost,
): Promise<void> {
  const { command } = session;
  const transfer = command?.transfers.find(({ phase }) => phase === 'told');
  if (command === null || transfer === undefined) return;
  const stderr = post.output.flatMap(({ lines }) => lines).join(' ');
  endTransfer(context, command, transfer, post.error ?? (stderr || 'the agent could not read it'));
  await publishWhenCollected(context, agent, session);
}

export async function publishWhenCollected(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
): Promise<void> {
  const { command } = session;
  if (command?.phase !== 'collecting') return;
  if (command.transfers.length > 0) return wake(context, agent);
  await publishResult(context, agent, session, command);
}
