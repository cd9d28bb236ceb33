/** Polls of agents: answered at once, or held until there is something to do. */
import type { AgentOrder } from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import type { Agent, Handout, Poll } from './agent.ts';
import type { Command } from './command.ts';
import type { AgentChannelContext } from './context.ts';
import { noteActivity, noteIdleAnswer } from './rhythm.ts';
import { contactWrite } from './stored-contacts.ts';

export interface HeldPoll extends Poll {
  /** Longest hold that the agent asked for, in milliseconds; 0 if it asked for none. */
  readonly holdMs: number;
  /** Aborts when the connection breaks. */
  readonly signal: AbortSignal;
}

/**
 * The next order, or null for 204, at once unless it `mayHold`. If the delivery cannot be made durable, it takes the order back and
 * rejects.
 */
export async function poll(
  context: AgentChannelContext,
  agent: Agent,
  held: HeldPoll,
  mayHold: boolean,
): Promise<Handout | null> {
  // One agent has one poll; a newer one means that the older one's connection is gone.
  agent.waiter?.answer(null);
  const next = agent.nextOrder(held, context.clock.monotonicMs());
  if (next !== null) return await handOut(context, agent, next);
  const isHeld = mayHold && !held.signal.aborted && !agent.mustAskAgain(held);
  // An open connection does not prove that the agent is alive. So the agent has to ask again within its liveness time.
  const livenessSeconds = agent.registration.spec.liveness_probe ?? context.livenessSeconds;
  const holdMs = isHeld ? agent.holdTime(held.holdMs, livenessSeconds) : 0;
  const handout = holdMs === 0 ? null : await hold(agent, held, holdMs);
  if (handout === null && !held.signal.aborted)
    noteIdleAnswer(agent.rhythm, context.clock.monotonicMs());
  return handout;
}

async function handOut(
  context: AgentChannelContext,
  agent: Agent,
  handout: Handout,
): Promise<Handout> {
  const { session } = agent;
  noteActivity(agent.rhythm);
  if (BEGINS.has(handout.order.kind)) meterDispatch(context, session?.command ?? null);
  if (!handout.isOnce || session === null || session.command === null) return handout;
  try {
    const documents = [session.record(session.command), contactWrite(agent)];
    await context.store.write({ documents });
    return handout;
  } catch (error) {
    handout.takeBack();
    throw error;
  }
}

/** Orders that begin a command. */
const BEGINS: ReadonlySet<AgentOrder['kind']> = new Set(['run', 'exec']);

/** Meters the time from a command's request to its delivery. A command that is delivered again is metered again. */
export function meterDispatch(
  { clock, meters }: AgentChannelContext,
  command: Command | null,
): void {
  if (command === null) return;
  const dueMs = epochMs(command.event.metadata.creationTimestamp);
  meters.dispatchSeconds.observe(Math.max(0, clock.now() - dueMs) / 1000);
}

function hold(agent: Agent, held: HeldPoll, holdMs: number): Promise<Handout | null> {
  return new Promise((resolve) => {
    const finish = (handout: Handout | null | Promise<Handout>) => {
      clearTimeout(timer);
      held.signal.removeEventListener('abort', abort);
      if (agent.waiter === waiter) agent.note({ waiter: null });
      resolve(handout);
    };
    const abort = () => finish(null);
    const waiter = { last: held.last, running: held.running, answer: finish };
    const timer = setTimeout(() => finish(null), holdMs);
    held.signal.addEventListener('abort', abort);
    agent.note({ waiter });
  });
}

/** Answers the held poll with the next order, if there is one. */
export function wake(context: AgentChannelContext, agent: Agent): void {
  const { waiter } = agent;
  if (waiter === null) return;
  if (agent.mustAskAgain(waiter)) {
    waiter.answer(null);
    return;
  }
  const next = agent.nextOrder(waiter, context.clock.monotonicMs());
  if (next !== null) waiter.answer(handOut(context, agent, next));
}
