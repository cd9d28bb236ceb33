/**
 * The command that follows a result, in the answer to the post of that result: most steps then need one request, and the poll that is
 * held goes on being held. An agent that asks for it posts its result until it is answered, so an answer that was lost comes again.
 */
import type { OutputBatch, RunOrder } from '@tutti/manifests';
import type { Agent } from './agent.ts';
import type { AgentChannelContext } from './context.ts';
import type { Command, JobSession } from './job-session.ts';
import { ownOrder } from './orders.ts';
import { meterDispatch, wake } from './polls.ts';

/** A post tells that its command reached the agent; a poll that is held may have been opened before. */
export function noteThere({ waiter }: Agent, { id }: Command): void {
  if (waiter === null) return;
  waiter.last = id;
  waiter.running = id;
}

/** Stores a batch. What follows it, the answer tells if the agent asked for that; else, as all other orders, a poll. */
export async function withNext(
  context: AgentChannelContext,
  agent: Agent,
  batch: Required<Omit<OutputBatch, 'output'>>,
  store: () => Promise<void>,
): Promise<RunOrder | null> {
  agent.takesInAnswer = batch.next && batch.exit_status !== null;
  let next: RunOrder | null = null;
  try {
    await store();
    if (agent.takesInAnswer) next = takeNext(context, agent, batch.command_id);
  } finally {
    agent.takesInAnswer = false;
    if (next === null) wake(context, agent);
  }
  return next;
}

function takeNext(context: AgentChannelContext, agent: Agent, after: string): RunOrder | null {
  const command = agent.session?.command ?? null;
  if (command?.phase !== 'waiting' || command.cancelAskedAtMs !== null) return null;
  command.phase = 'running';
  command.givenAfter = after;
  meterDispatch(context, command);
  return ownOrder(command);
}

/** A result that is posted again is answered as before, as that answer may have been lost. */
export function repeatedNext(
  { command }: JobSession,
  { command_id: commandId, next }: Required<Omit<OutputBatch, 'output'>>,
): RunOrder | null {
  const isWanted = next && command?.phase === 'running' && command.cancelAskedAtMs === null;
  return isWanted && command.givenAfter === commandId ? ownOrder(command) : null;
}
