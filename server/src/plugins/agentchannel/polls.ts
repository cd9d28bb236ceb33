/** Polls of agents: answered at once, or held until there is something to do. */
import type { Agent, AgentOrder, Poll } from './agent.ts';
import { recordWrite } from './commands.ts';
import { type AgentChannelContext, detach } from './context.ts';
import { LIMITS } from './limits.ts';
import { nextOrder } from './orders.ts';

export interface HeldPoll extends Poll {
  /** How long the agent lets its poll be held, in milliseconds; 0 when it did not say. */
  readonly holdMs: number;
  /** Aborts when the connection breaks. */
  readonly signal: AbortSignal;
}

/** Writes down that a command is handed out, before it is (see `NextOrder.record`). */
export async function markDelivered(context: AgentChannelContext, agent: Agent): Promise<void> {
  const { session } = agent;
  if (session?.command == null) return;
  await context.store.write({ documents: [recordWrite(session, session.command)] });
}

/** The next order, or null for 204. */
export async function poll(
  context: AgentChannelContext,
  agent: Agent,
  held: HeldPoll,
  losesCommand: (why: string) => void,
): Promise<AgentOrder | null> {
  const now = context.clock.now();
  // One agent has one poll; a newer one means that the older one's connection is gone.
  agent.waiter?.answer(null);
  const why = agent.isOurs ? null : noticeMode(agent, now);
  if (why !== null) losesCommand(why);
  const next = nextOrder(agent, held, now);
  if (next !== null) {
    if (next.record) await markDelivered(context, agent);
    return next.order;
  }
  const holdMs = holdTime(agent, held);
  const order = holdMs === 0 ? null : await hold(agent, held, holdMs);
  if (order === null) agent.lastIdleAnswerMs = context.clock.now();
  return order;
}

/** Asynchronous agents poll every second while a command runs, others sleep for seconds after each 204. */
const ASYNC_PAUSE_MS = 3_000;

/**
 * A poll while a command runs comes from an asynchronous agent, or from one that never got the command or could not send its
 * result; the pause between two such polls tells which. Answers why the command is lost, if it is.
 */
function noticeMode(agent: Agent, nowMs: number): string | null {
  const { lastIdleAnswerMs } = agent;
  if (agent.session?.command?.phase !== 'running' || agent.isAsync) return null;
  if (lastIdleAnswerMs === null) return null;
  if (nowMs - lastIdleAnswerMs >= ASYNC_PAUSE_MS) return 'it asks for work but sent no result';
  agent.isAsync = true;
  return null;
}

function holdTime(agent: Agent, { holdMs }: HeldPoll): number {
  if (agent.isOurs || holdMs > 0) return Math.min(holdMs, LIMITS.holdSeconds * 1000);
  // An existing agent sleeps for seconds after a 204, so the next step of its job should not just miss it.
  const betweenSteps = agent.session !== null && agent.session.command === null;
  return betweenSteps && !agent.isAsync ? LIMITS.holdBetweenStepsMs : 0;
}

function hold(agent: Agent, held: HeldPoll, holdMs: number): Promise<AgentOrder | null> {
  return new Promise((resolve) => {
    const finish = (order: AgentOrder | null) => {
      clearTimeout(timer);
      held.signal.removeEventListener('abort', abort);
      if (agent.waiter === waiter) agent.waiter = null;
      resolve(order);
    };
    const abort = () => finish(null);
    const waiter = { last: held.last, running: held.running, answer: finish };
    const timer = setTimeout(() => finish(null), holdMs);
    held.signal.addEventListener('abort', abort);
    agent.waiter = waiter;
  });
}

/** Gives a poll that is held what there is to do now. */
export function wake(context: AgentChannelContext, agent: Agent): void {
  const { waiter } = agent;
  if (waiter === null) return;
  const next = nextOrder(agent, waiter, context.clock.now());
  if (next === null) return;
  agent.waiter = null;
  if (!next.record) {
    waiter.answer(next.order);
    return;
  }
  const marked = markDelivered(context, agent).then(() => waiter.answer(next.order));
  detach(context, 'A delivery', marked);
}
