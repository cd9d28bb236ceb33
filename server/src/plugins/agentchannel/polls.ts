/** Polls of agents: answered at once, or held until there is something to do. */
import type { AgentOrder } from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import { type Agent, type Handout, isOperated, type Poll } from './agent.ts';
import type { AgentChannelContext } from './context.ts';
import type { Command } from './job-session.ts';
import { LIMITS } from './limits.ts';
import { mustAskAgain, nextOrder } from './orders.ts';
import { recordWrite } from './publishing.ts';
import { learnPause, noteActivity, readPoll } from './rhythm.ts';
import { contactWrite } from './stored-contacts.ts';

export interface HeldPoll extends Poll {
  /** How long the agent lets its poll be held, in milliseconds; 0 when it did not say. */
  readonly holdMs: number;
  /** Aborts when the connection breaks. */
  readonly signal: AbortSignal;
}

/**
 * The next order, or null for 204, at once unless it `mayHold`. Rejects, with the order taken back, when its delivery could not be
 * made durable.
 */
export async function poll(
  context: AgentChannelContext,
  agent: Agent,
  held: HeldPoll,
  mayHold: boolean,
): Promise<Handout | null> {
  // One agent has one poll; a newer one means that the older one's connection is gone.
  agent.waiter?.answer(null);
  const next = nextOrder(agent, held, context.clock.monotonicMs());
  if (next !== null) return await handOut(context, agent, next);
  const isHeld = mayHold && !held.signal.aborted && !mustAskAgain(agent, held);
  const holdMs = isHeld ? holdTime(context, agent, held) : 0;
  const handout = holdMs === 0 ? null : await hold(agent, held, holdMs);
  if (handout === null && !held.signal.aborted)
    agent.rhythm.lastIdleAnswerMs = context.clock.monotonicMs();
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
    const documents = [recordWrite(session, session.command), contactWrite(agent)];
    await context.store.write({ documents });
    return handout;
  } catch (error) {
    handout.takeBack();
    throw error;
  }
}

/** Orders that begin a command. */
const BEGINS: ReadonlySet<AgentOrder['kind']> = new Set(['run', 'exec']);

/** One that is handed out again, as its agent did not get it, is measured again. */
export function meterDispatch(
  { clock, meters }: AgentChannelContext,
  command: Command | null,
): void {
  if (command === null) return;
  const dueMs = epochMs(command.event.metadata.creationTimestamp);
  meters.dispatchSeconds.observe(Math.max(0, clock.now() - dueMs) / 1000);
}

/**
 * What a poll tells of the command that the agent has, or had: true when it runs none any more, though it never said how the command
 * ended.
 */
export function noticeIdleness(agent: Agent, poll: Poll, nowMs: number): boolean {
  const { rhythm, session, abandoned } = agent;
  if (agent.isOurs) return hasEndedUnheard(session?.command ?? null, poll);
  if (abandoned === null && session?.command?.phase !== 'running') {
    if (session === null) learnPause(rhythm, nowMs);
    return false;
  }
  // An operator asks at times of its own until it has an environment for the job, and says nothing of it.
  if (isOperated(agent)) {
    rhythm.hasPolled = true;
    return false;
  }
  const meaning = readPoll(rhythm, nowMs);
  if (meaning === 'works') agent.isAsync = true;
  return meaning === 'idle';
}

/**
 * Our own agents name a command until its result is stored. If they do not and it is not, it was stored by a server that forgot it:
 * one whose data was restored from a backup.
 */
function hasEndedUnheard(command: Command | null, { last, running }: Poll): boolean {
  return command?.phase === 'running' && last === command.id && running === null;
}

function holdTime(context: AgentChannelContext, agent: Agent, { holdMs }: HeldPoll): number {
  // A connection says nothing of an agent that is frozen, so it has to ask again within its liveness time.
  const livenessSeconds = agent.registration.spec.liveness_probe ?? context.livenessSeconds;
  if (agent.isOurs) return Math.min(holdMs, Math.min(LIMITS.holdSeconds, livenessSeconds) * 1000);
  // An existing agent sleeps for seconds after a 204, so the next step of its job should not just miss it.
  const isBetweenSteps = agent.session !== null && agent.session.command === null;
  return isBetweenSteps && !agent.isAsync ? LIMITS.holdBetweenStepsMs : 0;
}

function hold(agent: Agent, held: HeldPoll, holdMs: number): Promise<Handout | null> {
  return new Promise((resolve) => {
    const finish = (handout: Handout | null | Promise<Handout>) => {
      clearTimeout(timer);
      held.signal.removeEventListener('abort', abort);
      if (agent.waiter === waiter) agent.waiter = null;
      resolve(handout);
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
  if (mustAskAgain(agent, waiter)) {
    waiter.answer(null);
    return;
  }
  const next = nextOrder(agent, waiter, context.clock.monotonicMs());
  if (next !== null) waiter.answer(handOut(context, agent, next));
}
