/** What becomes of posts that name no command: output and results of existing agents, and news of files. */
import type { OutputLines } from '@tutti/workflow';
import type { Agent } from '../jobs/agent.ts';
import type { ExistingPost } from '../jobs/agent-post.ts';
import { finish, isStopped, publishWhenCollected, storeOutput } from '../jobs/commands.ts';
import { type AgentChannelContext, insistInTurn, type Work } from '../jobs/context.ts';
import { noteActivity, noteResult, noteWork } from '../jobs/rhythm.ts';
import { endTransfer, masked } from '../jobs/transfer-end.ts';

/** Exit code of a command that could not be started. */
const NOT_STARTED_STATUS = 1;

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
    else failToldTransfer(work, post);
  });
  // What ended here, or could not be published before; few of these agents repeat a post that was refused.
  await insistInTurn(job, 'The result of a command', () => publishWhenCollected(job));
}

/** A post while the agent has no command: it ended what was given up, or could not fetch the script of what comes next. */
function beforeItRan({ agent, session, command }: Work, post: ExistingPost): void {
  if (post.exitStatus !== null) agent.note({ abandoned: null });
  if (post.error === null || command.scriptTells === 0) return;
  const line = masked(session.output, `ERROR,The agent could not fetch the script: ${post.error}`);
  command.endSilently({ exitStatus: NOT_STARTED_STATUS, line });
}

/** Output, or the result. A message that a transfer failed is about none of this command, as it has none yet. */
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
  // Whether a last line has its end is not told.
  await finish(
    work,
    exitStatus,
    variables,
    isStopped(command, exitStatus) ? cutLast(output) : output,
  );
}

/** The last line of each stream has no end. Whatever else there is, is not looked at. */
function cutLast(output: readonly OutputLines[]): readonly OutputLines[] {
  const isLast = ({ stream }: OutputLines, index: number) =>
    output.findLastIndex((other) => other.stream === stream) === index;
  return output.map((each, index) => (isLast(each, index) ? { ...each, cut: true } : each));
}

/** A post while files are collected says that one of them could not be had. */
function failToldTransfer(work: Work, post: ExistingPost): void {
  const told = work.command.transfers.filter(({ tells }) => tells > 0);
  const transfer = work.agent.failedTransfer(told, post);
  if (transfer === null) return;
  const stderr = post.output.flatMap(({ lines }) => lines).join(' ');
  const noReason = `the agent could not ${transfer.isOutgoing ? 'write' : 'read'} it`;
  endTransfer(work, transfer, post.error ?? (stderr || noReason));
}
