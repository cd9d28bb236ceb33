/**
 * The next command, in the answer to the post of a result. Most steps then need one request, and the held poll
 * stays open. An agent that asks for it posts its result until it gets an answer, so a lost answer is sent again.
 */
import type { RunOrder } from '@tutti/manifests';
import type { ReadBatch } from '../jobs/agent-post.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import type { JobSession } from '../jobs/job-session.ts';
import { meterDispatch, wake } from '../jobs/polls.ts';
import { type OwnAgent, ownOrder } from './own-agent.ts';

/** Stores a batch. Returns the next command for the answer if the agent asked for that; otherwise a poll gets it, as all other orders. */
export async function withNext(
  { context, agent }: { readonly context: AgentChannelContext; readonly agent: OwnAgent },
  batch: ReadBatch,
  store: () => Promise<void>,
): Promise<RunOrder | null> {
  let next: RunOrder | null = null;
  agent.note({ takesInAnswer: batch.next && batch.exit_status !== null });
  try {
    await store();
    const command = agent.takesInAnswer ? (agent.session?.command ?? null) : null;
    if (command?.phase === 'waiting' && command.cancelAskedAtMs === null) {
      command.handOut(batch.command_id);
      meterDispatch(context, command);
      next = ownOrder(command);
    }
  } finally {
    agent.note({ takesInAnswer: false });
    if (next === null) wake(context, agent);
  }
  return next;
}

/** Answers a repeated result as before, as the first answer may have been lost. */
export function repeatedNext(
  { command }: JobSession,
  { command_id: after, next }: ReadBatch,
): RunOrder | null {
  const isWanted = next && command?.phase === 'running' && command.cancelAskedAtMs === null;
  return isWanted && command.givenAfter === after ? ownOrder(command) : null;
}
