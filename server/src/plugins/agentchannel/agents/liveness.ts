/** Silent agents: their commands are given up, their channels become unreachable, and at last the agents are de-registered. */
import type { Steps } from '@tutti/manifests';
import type { Agent } from '../jobs/agent.ts';
import {
  endSilently,
  endTransfer,
  publishIfCollected,
  publishWhenCollected,
} from '../jobs/commands.ts';
import {
  type AgentChannelContext,
  type AgentJob,
  insistInTurn,
  type Work,
} from '../jobs/context.ts';
import { LIMITS } from '../jobs/limits.ts';
import { publishLost } from '../jobs/publishing.ts';
import type { Transfer } from '../jobs/transfer.ts';

/** Exit code of a command that did not stop: as if SIGKILL had ended it. */
const UNSTOPPABLE_STATUS = 137;

const isConnected = ({ waiter, session }: Agent): boolean =>
  waiter !== null || session?.command?.transfers.some(({ moves }) => moves > 0) === true;

/** Checks all agents once. */
export function* sweepSteps(
  context: AgentChannelContext,
  forget: (agent: Agent) => void,
): Steps<void> {
  const now = context.clock.monotonicMs();
  for (const agent of context.agents.values()) {
    if (isConnected(agent)) agent.noteContact(context.clock);
    else if (agent.session !== null) watchAbsence(context, agent, now);
    else if (agent.unreachableSince !== null) {
      if (now - agent.lastContactMs > LIMITS.forgetMs) forget(agent);
    } else {
      const why = agent.silence(context, now);
      if (why !== null) lose(context, agent, why);
    }
    if (agent.leavingSinceMs !== null && now - agent.leavingSinceMs > LIMITS.farewellMs)
      agent.endLeave(context);
    const unheard = agent.unheardOf(context, now);
    if (unheard !== null) {
      lose(context, agent, unheard);
      // The agent may still run the command, so it must get no other one. It gets a 404, and registers again.
      forget(agent);
    }
    const { session } = agent;
    const command = session?.command ?? null;
    if (session !== null && command !== null) {
      watchCommand({ context, agent, session, command }, now);
    }
    yield;
  }
}

const aboutAgent = ({ id, session }: Agent) => session?.about ?? { agentId: id };

/** A silent agent with a job. Its channel is unreachable at first. It keeps the job until the agent was away for too long. */
function watchAbsence(context: AgentChannelContext, agent: Agent, nowMs: number): void {
  const lost = agent.absence(context, nowMs);
  if (lost !== null) {
    lose(context, agent, lost);
    return;
  }
  if (agent.unreachableSince !== null) return;
  const why = agent.silence(context, nowMs);
  if (why === null) return;
  const about = aboutAgent(agent);
  context.logger.warn({ ...about, why }, 'An agent is unreachable; its job waits for it.');
  agent.becomeUnreachable(context, agent.heardAtMs);
}

/** Gives up the command of an agent. Its job goes on by the run's rules, without the environment. */
function lose(context: AgentChannelContext, agent: Agent, why: string): void {
  context.logger.warn({ ...aboutAgent(agent), why }, 'An agent is unreachable.');
  void giveUp(context, agent, why);
  agent.becomeUnreachable(context, agent.heardAtMs);
}

/** Ends the session of an agent; never rejects. Resolves when the run has the result, if nothing fails. */
export async function giveUp(
  context: AgentChannelContext,
  agent: Agent,
  why: string,
): Promise<void> {
  const { session } = agent;
  if (session === null) return;
  const sentence = agent.lose(session, why);
  const job = { context, agent, session };
  await insistInTurn(job, 'The result of a lost command', () => endLost(job, sentence));
}

/** Ends the command of a lost agent. A command whose process has ended only lacks files. */
async function endLost(job: AgentJob, sentence: string): Promise<void> {
  const { context, agent, session } = job;
  const { command } = session;
  if (command === null) return;
  if (command.phase === 'collecting') {
    const work = { ...job, command };
    for (const transfer of command.transfers) endTransfer(work, transfer, sentence);
    await publishIfCollected(work);
    return;
  }
  // The next command of the job may come before this is over.
  agent.reportLoss(session.jobId);
  await publishLost(context, command.event, { why: sentence, logs: command.logs.result() });
  session.end(command);
}

function watchCommand(work: Work, nowMs: number): void {
  const { command } = work;
  const asked = command.cancelAskedAtMs;
  const isOver = asked !== null && nowMs - asked > LIMITS.cancelGraceMs;
  if (command.phase === 'running' && isOver) abandonCommand(work);
  if (command.phase !== 'collecting' || command.transfers.length === 0) return;
  const late = command.transfers.filter((transfer) => isLate(transfer, nowMs));
  const hopeless = isOver
    ? command.transfers
    : late.filter(({ sends }) => sends >= LIMITS.transferSends);
  for (const transfer of late) transfer.takeBack();
  for (const transfer of hopeless) {
    endTransfer(work, transfer, isOver ? 'its step was stopped' : lateness(transfer));
  }
  if (late.length === 0 && hopeless.length === 0) return;
  void insistInTurn(work, 'The end of late transfers', () => publishWhenCollected(work));
}

const lateness = ({ isOutgoing }: Transfer): string =>
  `the agent did not ${isOutgoing ? 'take' : 'send'} it in time`;

const isLate = ({ phase, moves, sentAtMs }: Transfer, nowMs: number): boolean =>
  phase === 'sent' && moves === 0 && nowMs - sentAtMs > LIMITS.transferStartMs;

/** The agent cannot be interrupted, or does not answer. The run goes on without it. The channel stays busy until the agent answers. */
function abandonCommand(work: Work): void {
  const { agent, session, command } = work;
  void session.inOrder(async () => {
    // Its result may have come meanwhile.
    if (session.command !== command || command.phase !== 'running') return;
    agent.note({ abandoned: command.id });
    const line = 'WARNING,The command did not stop in time; its environment may still run it.';
    void endSilently(work, { exitStatus: UNSTOPPABLE_STATUS, line });
  });
}
