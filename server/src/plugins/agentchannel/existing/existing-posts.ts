/** Handles posts that name no command: output and results of existing agents, and failed transfers of files. */
import type { OutputLines } from '@tutti/workflow';
import type { Agent } from '../jobs/agent.ts';
import type { ExistingPost } from '../jobs/agent-post.ts';
import {
  endTransfer,
  finish,
  isStopped,
  masked,
  publishWhenCollected,
  storeOutput,
} from '../jobs/commands.ts';
import { type AgentChannelContext, insistInTurn, type Work } from '../jobs/context.ts';
import { noteActivity, noteResult, noteWork } from '../jobs/rhythm.ts';

/** Exit code of a command that could not be started. */
const NOT_STARTED_STATUS = 1;

/**
 * Posts of existing agents carry no id: they belong to the last command that was handed out. Our agents also use this form, to report
 * that a file transfer failed.
 */
export async function receiveExistingPost(
  context: AgentChannelContext,
  agent: Agent,
  post: ExistingPost,
): Promise<void> {
  const { session } = agent;
  noteActivity(agent.rhythm);
  if (session === null) {
    if (post.exitStatus !== null) agent.note({ abandoned: null });
    return;
  }
  const job = { context, agent, session };
  await session.inOrder(async () => {
    const { command } = session;
    if (command === null) return;
    const work = { ...job, command };
    command.note({ actor: post.actor ?? null });
    if (command.phase === 'waiting') beforeItRan(work, post);
    else if (command.phase === 'running') await whileItRuns(work, post);
    else failSentTransfer(work, post);
  });
  // Publishes a result that is complete now, or that an earlier try could not publish. Few of these agents repeat a refused post.
  await insistInTurn(job, 'The result of a command', () => publishWhenCollected(job));
}

/** Handles a post while the agent has no command. An abandoned command ended, or the script of the next one could not be fetched. */
function beforeItRan({ agent, session, command }: Work, post: ExistingPost): void {
  if (post.exitStatus !== null) agent.note({ abandoned: null });
  if (post.error === null || command.scriptSends === 0) return;
  const line = masked(session.output, `ERROR,The agent could not fetch the script: ${post.error}`);
  command.endSilently({ exitStatus: NOT_STARTED_STATUS, line });
}

/** Handles output or the result of a command. A report on a failed transfer belongs to another command: this one has no transfers yet. */
async function whileItRuns(work: Work, post: ExistingPost): Promise<void> {
  const { agent, command } = work;
  const { exitStatus, output, variables } = post;
  if (exitStatus === null) {
    if (output.length === 0) return;
    agent.note({ isAsync: true });
    noteWork(agent.rhythm);
    await storeOutput(work, output, command.nextBatch);
    return;
  }
  noteResult(agent.rhythm, variables !== undefined);
  // The agent does not report whether a last line is complete.
  const lines = isStopped(command, exitStatus) ? cutLast(output) : output;
  await finish(work, { exitStatus, variables, output: lines });
}

/** Marks the last line of each stream as unfinished. It looks at no other lines. */
function cutLast(output: readonly OutputLines[]): readonly OutputLines[] {
  const isLast = ({ stream }: OutputLines, index: number) =>
    output.findLastIndex((other) => other.stream === stream) === index;
  return output.map((each, index) => (isLast(each, index) ? { ...each, cut: true } : each));
}

/** Handles a post while files are collected: it reports that one of them failed. */
function failSentTransfer(work: Work, post: ExistingPost): void {
  const sent = work.command.transfers.filter(({ sends }) => sends > 0);
  const transfer = work.agent.failedTransfer(sent, post);
  if (transfer === null) return;
  const stderr = post.output.flatMap(({ lines }) => lines).join(' ');
  const noReason = `the agent could not ${transfer.isOutgoing ? 'write' : 'read'} it`;
  endTransfer(work, transfer, post.error ?? (stderr || noReason));
}
