/** What becomes of what agents post: output and results of commands, and failures of transfers. */
import type { Actor } from '@tutti/manifests';
import { endOutput, type OutputLines, parseVariablesFile } from '@tutti/workflow';
import type { Agent } from './agent.ts';
import { concludeSilently, finishCommand, publishIfCollected } from './commands.ts';
import { type AgentChannelContext, insist } from './context.ts';
import {
  aboutSession,
  type Command,
  type Finished,
  inOrder,
  isOutgoing,
  type JobSession,
  orAsBefore,
  type Transfer,
} from './job-session.ts';
import { wake } from './polls.ts';
import { publishLines } from './publishing.ts';
import { readInTurns } from './read-in-turns.ts';
import { noteActivity, noteResult, noteWork } from './rhythm.ts';
import { endTransfer, masked } from './transfer-end.ts';

/** What an existing agent posts (wire facts 4.4). */
export interface ExistingPost {
  readonly output: readonly OutputLines[];
  readonly exitStatus: number | null;
  /** Undefined: the agent does not send them; null: there are none. */
  readonly variables: readonly string[] | null | undefined;
  readonly error: string | null;
  /** Which file the error is about; only ours say so. */
  readonly failedFileId: string | null;
  /** Its sender. */
  readonly actor?: Actor;
}

/** Exit code of a command that could not be started. */
const NOT_STARTED_STATUS = 1;

/** Shells and agents tell a signal by a status from here on, existing agents also by one below zero. */
const SIGNAL_STATUS = 128;

/** Whoever printed did not come to an end by itself, so that a last line without its end may have been meant to go on. */
export function isStopped({ cancelAskedAtMs }: Command, exitStatus: number | null): boolean {
  const isSignal = exitStatus !== null && (exitStatus > SIGNAL_STATUS || exitStatus < 0);
  return cancelAskedAtMs !== null || isSignal;
}

export async function storeOutput(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  output: readonly OutputLines[],
  nextBatch: number,
): Promise<void> {
  const reading = await readInTurns(session.output, output);
  await orAsBefore(session, command, async () => {
    command.phase = 'running';
    await publishLines(context, agent, session, command, reading.logs, () => {
      session.output = reading.state;
      command.requests = [...command.requests, ...reading.requests];
      command.nextBatch = nextBatch;
    });
  });
}

export async function finish(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  finished: Finished,
  output: readonly OutputLines[],
): Promise<void> {
  const reading = endOutput(await readInTurns(session.output, output));
  await finishCommand(context, agent, session, command, finished, reading);
}

/**
 * Posts of existing agents carry no id: they are about the command that was handed out last. Ours tell in this form that a file
 * could not be had.
 */
export async function receiveExistingPost(
  context: AgentChannelContext,
  agent: Agent,
  post: ExistingPost,
): Promise<void> {
  const { session } = agent;
  noteActivity(agent.rhythm);
  if (session === null) {
    if (post.exitStatus !== null) agent.abandoned = null;
    return;
  }
  await inOrder(session, async () => {
    const { command } = session;
    if (command !== null) command.actor = post.actor ?? null;
    switch (command?.phase) {
      case 'waiting':
        beforeItRan(agent, session, command, post);
        break;
      case 'running':
        await whileItRuns(context, agent, session, command, post);
        break;
      case 'collecting':
        failToldTransfer(context, agent, session, command, post);
    }
  });
  // What ended here, or could not be published before; few of these agents repeat a post that was refused.
  await insist(context, 'The result of a command', aboutSession(session), () =>
    inOrder(session, () => publishWhenCollected(context, agent, session)),
  );
}

/** A post while the agent has no command: it ended what was given up, or could not fetch the script of what comes next. */
function beforeItRan(
  agent: Agent,
  session: JobSession,
  command: Command,
  post: ExistingPost,
): void {
  if (post.exitStatus !== null) agent.abandoned = null;
  if (post.error === null || command.scriptTells === 0) return;
  const line = masked(session.output, `ERROR,The agent could not fetch the script: ${post.error}`);
  concludeSilently(command, { exitStatus: NOT_STARTED_STATUS, line });
}

/** Output, or the result. A message that a transfer failed is about none of this command, as it has none yet. */
async function whileItRuns(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  post: ExistingPost,
): Promise<void> {
  if (post.exitStatus === null) {
    if (post.output.length === 0) return;
    agent.isAsync = true;
    noteWork(agent.rhythm);
    await storeOutput(context, agent, session, command, post.output, command.nextBatch);
    return;
  }
  noteResult(agent.rhythm, post.variables !== undefined);
  const variables = post.variables === undefined ? null : parseVariablesFile(post.variables ?? []);
  const finished = { exitStatus: post.exitStatus, variables };
  // Whether a last line has its end is not told.
  const output = isStopped(command, post.exitStatus) ? cutLast(post.output) : post.output;
  await finish(context, agent, session, command, finished, output);
}

/** The last line of each stream has no end. Whatever else there is, is not looked at. */
function cutLast(output: readonly OutputLines[]): readonly OutputLines[] {
  const isLast = ({ stream }: OutputLines, index: number) =>
    output.findLastIndex((other) => other.stream === stream) === index;
  return output.map((each, index) => (isLast(each, index) ? { ...each, cut: true } : each));
}

/** A post while files are collected says that one of them could not be had. */
function failToldTransfer(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  post: ExistingPost,
): void {
  const transfer = failedTransfer(agent, command, post);
  if (transfer === null) return;
  const stderr = post.output.flatMap(({ lines }) => lines).join(' ');
  const noReason = isOutgoing(transfer)
    ? 'the agent could not write it'
    : 'the agent could not read it';
  const why = post.error ?? (stderr || noReason);
  endTransfer(context, session, command, transfer, why);
}

/**
 * Existing agents get one file at a time. Ours send several at once, and may speak of one that is not waited for any more: after a
 * restart the same file is asked for under another id. They name the id; older ones of ours only name the path.
 */
function failedTransfer(agent: Agent, command: Command, post: ExistingPost): Transfer | null {
  const told = command.transfers.filter(({ tells }) => tells > 0);
  // Output that came late, or twice, is no failure.
  if (!agent.isOurs)
    return post.error === null && post.exitStatus === null ? null : (told[0] ?? null);
  const isMeant = (transfer: Transfer) =>
    post.failedFileId === null
      ? post.error?.startsWith(failureHead(transfer))
      : transfer.fileId === post.failedFileId;
  return told.find(isMeant) ?? null;
}

const failureHead = (transfer: Transfer): string =>
  `Failed to ${isOutgoing(transfer) ? 'download' : 'fetch'} file ${transfer.path}:`;

/** One of our own agents has written a file that it was told to take. It may say so again. */
export async function receiveAcknowledgement(
  context: AgentChannelContext,
  agent: Agent,
  fileId: string,
): Promise<void> {
  const isMeant = (transfer: Transfer) => transfer.fileId === fileId && isOutgoing(transfer);
  await endOutgoing(context, agent, isMeant);
}

/**
 * Existing agents do not say that they wrote a file. They do one thing after the other, though, and tell what failed: one that asks
 * what to do next has written the file that it was sent.
 */
export async function endWritten(context: AgentChannelContext, agent: Agent): Promise<void> {
  if (agent.isOurs) return;
  await endOutgoing(context, agent, (each) => isOutgoing(each) && each.isSent && each.moves === 0);
}

async function endOutgoing(
  context: AgentChannelContext,
  agent: Agent,
  isWritten: (transfer: Transfer) => boolean,
): Promise<void> {
  const { session } = agent;
  if (session?.command?.phase !== 'collecting') return;
  if (!session.command.transfers.some(isWritten)) return;
  await insist(context, 'The result of a command with files', aboutSession(session), () =>
    inOrder(session, async () => {
      const { command } = session;
      if (command?.phase !== 'collecting') return;
      for (const transfer of command.transfers.filter(isWritten)) {
        endTransfer(context, session, command, transfer, null);
      }
      await publishWhenCollected(context, agent, session);
    }),
  );
}

/** Publishes the result when all files are here, else asks for the next one. */
export async function publishWhenCollected(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
): Promise<void> {
  const { command } = session;
  if (command?.phase !== 'collecting') return;
  if (command.transfers.length > 0) wake(context, agent);
  else await publishIfCollected(context, agent, session, command);
}
