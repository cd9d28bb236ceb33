/** Whether a run may start now: what is known of the server against its bounds. */

export interface ServerState {
  /** Runs that are not over, and those that are being started. */
  readonly runs: number;
  /** Whether its thread has more to do than it can. */
  readonly isBusy: boolean;
  /** Whether agents, and not the thread, are what is waited for. */
  readonly isForAgents: boolean;
  /** Runs that ended in a second, of late. */
  readonly endedPerSecond: number;
}

export interface RunBounds {
  /** Runs that are not over. */
  readonly runs: number;
  /** So many of them are accepted by a busy server, too, however few have ended. */
  readonly runsWhenBusy: number;
  /** How long what a busy server accepts may wait. */
  readonly waitWhenBusySeconds: number;
}

export type StartDecision = 'accept' | 'busy' | 'full';

/**
 * What waits for the thread of the server is bound by what the server ends: with as many before it as end in four seconds, a run has
 * its turn after four. What waits for agents may do so as long as it takes.
 */
export function decideStart(state: ServerState, bounds: RunBounds): StartDecision {
  if (state.runs >= bounds.runs) return 'full';
  if (!state.isBusy || state.isForAgents) return 'accept';
  const inTime = state.endedPerSecond * bounds.waitWhenBusySeconds;
  return state.runs < Math.max(bounds.runsWhenBusy, inTime) ? 'accept' : 'busy';
}

/** Of late, in a second. */
export interface AgentWork {
  /** Results of commands. */
  readonly results: number;
  /** Seconds that these took, from the command to the result. */
  readonly resultSeconds: number;
  /** Turns of the thread, in each of which it does what came since the one before. */
  readonly turns: number;
}

/** Commands that take less than this are over at once, for people. */
const SLOW_SECONDS = 1;
/** An agent that is served late is so by a few turns for each command: it polls, is answered, and sends a result that has to be stored. */
const SLOW_TURNS = 20;

/** Whether commands take their time by themselves, and not because the server is late. */
export function areSlow({ results, resultSeconds, turns }: AgentWork): boolean {
  if (results === 0) return true;
  const seconds = resultSeconds / results;
  return seconds >= SLOW_SECONDS && seconds * turns >= SLOW_TURNS;
}
