/** Agents that fall silent: their commands are given up, their channels are unreachable, and at last they are forgotten. */
import type { Steps } from '@tutti/manifests';
import { type Agent, isOperated } from './agent.ts';
import { becomeReachable, becomeUnreachable, endLeave } from './channel-phase.ts';
import { endSilently, publishIfCollected } from './commands.ts';
import { type AgentChannelContext, insist } from './context.ts';
import {
  aboutSession,
  type Command,
  inOrder,
  isOutgoing,
  type JobSession,
  type Transfer,
} from './job-session.ts';
import { LIMITS } from './limits.ts';
import { owe } from './owed-releases.ts';
import { isRelease, publishLost } from './publishing.ts';
import { whyGone } from './replacement.ts';
import { publishWhenCollected } from './results.ts';
import { isMute, isUntold } from './rhythm.ts';
import { endTransfer } from './transfer-end.ts';

/** Exit code of a command that did not stop: as if SIGKILL had ended it. */
const UNSTOPPABLE_STATUS = 137;

/** How long an agent may be silent, and what is said of one that was silent for longer. */
interface Patience {
  readonly seconds: number;
  readonly why: string;
}

/**
 * What an agent chose itself holds also while it can say nothing: whoever chooses knows its longest step. Operators have a time built
 * in, and are silent while they run a command.
 */
function patienceWith(context: AgentChannelContext, agent: Agent): Patience {
  const { liveness_probe: chosen } = agent.registration.spec;
  const isRunning = agent.session?.command?.phase === 'running';
  if (agent.isOurs || !isRunning || !(isOperated(agent) || isMute(agent.rhythm))) {
    const seconds = chosen ?? context.livenessSeconds;
    return { seconds, why: `no contact for ${seconds} s` };
  }
  const own = isOperated(agent) ? undefined : chosen;
  const seconds = own ?? context.synchronousLivenessSeconds;
  const source = own === undefined ? 'agents.synchronousLivenessSeconds' : 'its liveness_probe';
  return { seconds, why: `no contact for ${seconds} s while its command ran (${source})` };
}

/** Notes a contact; an agent that was unreachable is back. */
export function touch(context: AgentChannelContext, agent: Agent): void {
  noteLife(context, agent);
  if (agent.unreachableSince !== null) becomeReachable(context, agent);
}

function noteLife({ clock }: AgentChannelContext, agent: Agent): void {
  const nowMs = clock.monotonicMs();
  agent.lastContactMs = nowMs;
  agent.replacement = null;
  agent.heardAtMs = clock.now();
  // What it posts gives it more time to poll again.
  if (agent.disconnectedAtMs !== null) agent.disconnectedAtMs = nowMs;
}

/** Takes time in which no agent could be heard from the silence of all. */
export function forgive(context: AgentChannelContext, ms: number): void {
  const now = context.clock.monotonicMs();
  const later = (atMs: number) => Math.min(atMs + ms, now);
  for (const agent of context.agents.values()) {
    agent.lastContactMs = later(agent.lastContactMs);
    if (agent.disconnectedAtMs !== null) agent.disconnectedAtMs = later(agent.disconnectedAtMs);
  }
}

/** One of our own agents has no poll open; a `broken` connection means that it may be gone. */
export function noticeDisconnection(
  context: AgentChannelContext,
  agent: Agent,
  broken: boolean,
): void {
  if (!agent.isOurs || agent.waiter !== null) return;
  agent.disconnectedAtMs = context.clock.monotonicMs();
  // Nothing is lost with it, but it should get no job before it is back.
  const isIdle = agent.session === null && !agent.isOffered && agent.unreachableSince === null;
  if (broken && isIdle) becomeUnreachable(context, agent, context.clock.now());
}

/** Why an agent counts as unreachable now; null while it does not. */
function silence(context: AgentChannelContext, agent: Agent, nowMs: number): string | null {
  const { seconds, why } = patienceWith(context, agent);
  if (nowMs - agent.lastContactMs > seconds * 1000) return why;
  const gone = whyGone(agent, nowMs);
  if (gone !== null) return gone;
  const grace = Math.min(context.disconnectGraceSeconds, seconds);
  return agent.disconnectedAtMs !== null && nowMs - agent.disconnectedAtMs > grace * 1000
    ? `its connection broke and it did not come back within ${grace} s`
    : null;
}

/**
 * Why the job of an agent is given up now; null while it is not. Our own agents run no command twice, so their jobs wait longer: a broken
 * network comes back, and the job goes on where it was.
 */
function absence(context: AgentChannelContext, agent: Agent, nowMs: number): string | null {
  if (!agent.isOurs) return silence(context, agent, nowMs);
  const seconds = Math.max(context.absenceSeconds, context.disconnectGraceSeconds);
  return nowMs - (agent.disconnectedAtMs ?? agent.lastContactMs) > seconds * 1000
    ? `its connection broke and it did not come back within ${seconds} s`
    : null;
}

/** Why the command of an agent counts as lost though the agent asks for work all the time; null while it does not. */
function unheardOf(context: AgentChannelContext, agent: Agent, nowMs: number): string | null {
  const { isOurs, rhythm, session } = agent;
  if (isOurs || session?.command?.phase !== 'running' || !isUntold(rhythm)) return null;
  const { synchronousLivenessSeconds: seconds } = context;
  if (nowMs - rhythm.handedOutMs <= seconds * 1000) return null;
  return `it asks for work, and nothing was heard of its command for ${seconds} s (agents.synchronousLivenessSeconds)`;
}

const isConnected = ({ waiter, session }: Agent): boolean =>
  waiter !== null || session?.command?.transfers.some(({ moves }) => moves > 0) === true;

/** One look at all agents. */
export function* sweepSteps(
  context: AgentChannelContext,
  forget: (agent: Agent) => void,
): Steps<void> {
  const now = context.clock.monotonicMs();
  for (const agent of context.agents.values()) {
    if (isConnected(agent)) noteLife(context, agent);
    else if (agent.session !== null) watchAbsence(context, agent, now);
    else if (agent.unreachableSince !== null) {
      if (now - agent.lastContactMs > LIMITS.forgetMs) forget(agent);
    } else {
      const why = silence(context, agent, now);
      if (why !== null) lose(context, agent, why);
    }
    if (agent.leavingSinceMs !== null && now - agent.leavingSinceMs > LIMITS.farewellMs)
      endLeave(context, agent);
    loseUnheardOf(context, agent, now, forget);
    const command = agent.session?.command ?? null;
    if (agent.session !== null && command !== null) {
      watchCommand(context, agent, agent.session, command, now);
    }
    yield;
  }
}

/** An agent with a job that is silent: its channel is unreachable at first, and keeps the job until it was away for too long. */
function watchAbsence(context: AgentChannelContext, agent: Agent, nowMs: number): void {
  const lost = absence(context, agent, nowMs);
  if (lost !== null) {
    lose(context, agent, lost);
    return;
  }
  if (agent.unreachableSince !== null) return;
  const why = silence(context, agent, nowMs);
  if (why === null) return;
  const about = agent.session === null ? { agentId: agent.id } : aboutSession(agent.session);
  context.logger.warn({ ...about, why }, 'An agent is unreachable; its job waits for it.');
  becomeUnreachable(context, agent, agent.heardAtMs);
}

/**
 * An agent that may still run what is given up must get no other command, and nobody will ever know that it does not. So it is
 * forgotten: told that it is not known, it registers anew.
 */
function loseUnheardOf(
  context: AgentChannelContext,
  agent: Agent,
  nowMs: number,
  forget: (agent: Agent) => void,
): void {
  const why = unheardOf(context, agent, nowMs);
  if (why === null) return;
  lose(context, agent, why);
  forget(agent);
}

/** Gives up what runs on an agent; its job goes on by the run's rules, without the environment. */
function lose(context: AgentChannelContext, agent: Agent, why: string): void {
  const { session } = agent;
  const about = session === null ? { agentId: agent.id } : aboutSession(session);
  context.logger.warn({ ...about, why }, 'An agent is unreachable.');
  void giveUp(context, agent, why);
  becomeUnreachable(context, agent, agent.heardAtMs);
}

/** Ends the session of an agent; never rejects. Resolves when the run knows, if nothing goes wrong. */
export async function giveUp(
  context: AgentChannelContext,
  agent: Agent,
  why: string,
): Promise<void> {
  const { session } = agent;
  if (session === null) return;
  agent.session = null;
  const { command } = session;
  if (command?.phase === 'running') agent.abandoned = command.id;
  if (command !== null && isRelease(command)) owe(agent, command);
  const { name } = agent.registration.metadata;
  const sentence = `Agent "${name}" (${agent.id}) was lost: ${why}.`;
  agent.lostJob = { jobId: session.jobId, why: sentence, isTold: false };
  await insist(context, 'The result of a lost command', aboutSession(session), () =>
    inOrder(session, () => endLost(context, agent, session, sentence)),
  );
}

/** A command whose process ended only lacks files. */
async function endLost(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  sentence: string,
): Promise<void> {
  const { command } = session;
  if (command === null) return;
  if (command.phase === 'collecting') {
    for (const transfer of command.transfers) {
      endTransfer(context, session, command, transfer, sentence);
    }
    await publishIfCollected(context, agent, session, command);
    return;
  }
  // The next command of the job may come before this is over.
  if (agent.lostJob?.jobId === session.jobId) agent.lostJob.isTold = true;
  await publishLost(context, command.event, sentence, command.logs.result());
  session.command = null;
}

function watchCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  nowMs: number,
): void {
  const asked = command.cancelAskedAtMs;
  const isOver = asked !== null && nowMs - asked > LIMITS.cancelGraceMs;
  if (command.phase === 'running' && isOver) abandonCommand(context, agent, session, command);
  if (command.phase !== 'collecting' || command.transfers.length === 0) return;
  const late = command.transfers.filter((transfer) => isLate(transfer, nowMs));
  const hopeless = isOver
    ? command.transfers
    : late.filter(({ tells }) => tells >= LIMITS.transferTells);
  for (const transfer of late) transfer.phase = 'queued';
  for (const transfer of hopeless) {
    const why = isOver ? 'its step was told to stop' : lateness(transfer);
    endTransfer(context, session, command, transfer, why);
  }
  if (late.length === 0 && hopeless.length === 0) return;
  void insist(context, 'The end of late transfers', aboutSession(session), () =>
    inOrder(session, () => publishWhenCollected(context, agent, session)),
  );
}

const lateness = (transfer: Transfer): string =>
  `the agent did not ${isOutgoing(transfer) ? 'take' : 'send'} it in time`;

const isLate = ({ phase, moves, toldAtMs }: Transfer, nowMs: number): boolean =>
  phase === 'told' && moves === 0 && nowMs - toldAtMs > LIMITS.transferStartMs;

/** The agent cannot be interrupted, or does not answer: the run goes on without it, the channel stays busy until it does. */
function abandonCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
): void {
  void inOrder(session, async () => {
    // Its result may have been on its way.
    if (session.command !== command || command.phase !== 'running') return;
    agent.abandoned = command.id;
    const line = 'WARNING,The command did not stop in time; its environment may still run it.';
    void endSilently(context, agent, session, command, { exitStatus: UNSTOPPABLE_STATUS, line });
  });
}
