/**
 * What a job left on an agent that was given up for lost, and came back: its run has ended the job without it, so the release that
 * removes it is given to the agent beside all runs. Of our own agents, which say what they have; a server that starts anew
 * does not know it any more.
 */
import type { Agent, Poll } from './agent.ts';
import type { Command } from './job-session.ts';
import { LIMITS } from './limits.ts';

/** Without effect for an agent of others. */
export function owe(agent: Agent, release: Command): void {
  if (!agent.isOurs || agent.owed.some(({ id }) => id === release.id)) return;
  agent.owed.push(release);
  if (agent.owed.length > LIMITS.owedReleases) agent.owed.shift();
}

/** True while the agent works on one of them, which another command would end. */
export const isAtOwed = ({ owed }: Agent, { running }: Poll): boolean =>
  running !== null && owed[0]?.id === running;

/** The one that is due, for an agent that has nothing else to do. One that it had, and did not end, is not tried again. */
export function nextOwed(agent: Agent, { last, running }: Poll): Command | null {
  if (agent.owed[0]?.id === last && running === null) agent.owed.shift();
  return agent.owed[0] ?? null;
}

/** False when the command is none of these. */
export function settleOwed(agent: Agent, commandId: string, isOver: boolean): boolean {
  if (agent.owed[0]?.id !== commandId) return false;
  if (isOver) {
    agent.owed.shift();
    agent.lastResult = commandId;
  }
  return true;
}
