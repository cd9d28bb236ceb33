/** Decides whether a run may start now, from the state of the server and its bounds. */

export interface ServerState {
  /** Live runs, and runs that are starting. */
  readonly runs: number;
  /** Whether its thread has more to do than it can. */
  readonly isBusy: boolean;
  /** Whether runs wait for agents, and not for the thread. */
  readonly isForAgents: boolean;
  /** Runs that ended in a second, of late. */
  readonly endedPerSecond: number;
}

export interface RunBounds {
  /** Runs that are not over. */
  readonly runs: number;
  /** A busy server accepts at least this number of runs, even if few have ended. */
  readonly runsWhenBusy: number;
  /** Longest wait of a run that a busy server accepts. */
  readonly waitWhenBusySeconds: number;
}

export type StartDecision = 'accept' | 'busy' | 'full';

/**
 * Limits the runs that wait for the server's thread by the rate at which runs end. As many as end in four seconds wait four
 * seconds. Runs that wait for agents have no such limit.
 */
export function decideStart(state: ServerState, bounds: RunBounds): StartDecision {
  if (state.runs >= bounds.runs) return 'full';
  if (!state.isBusy || state.isForAgents) return 'accept';
  const inTime = state.endedPerSecond * bounds.waitWhenBusySeconds;
  return state.runs < Math.max(bounds.runsWhenBusy, inTime) ? 'accept' : 'busy';
}

/** Work of the last seconds, per second. */
export interface AgentWork {
  /** Results of commands. */
  readonly results: number;
  /** Seconds that these took, from the command to the result. */
  readonly resultSeconds: number;
  /** Turns of the thread; each handles the inputs since the one before. */
  readonly turns: number;
}

/** Commands that take less than this are over at once, for people. */
const SLOW_SECONDS = 1;
/** Turns of a delayed agent per command: it polls, gets an answer, and sends a result that is stored. */
const SLOW_TURNS = 20;

/** Whether commands are slow themselves, and not because the server is late. */
export function areSlow({ results, resultSeconds, turns }: AgentWork): boolean {
  if (results === 0) return true;
  const seconds = resultSeconds / results;
  return seconds >= SLOW_SECONDS && seconds * turns >= SLOW_TURNS;
}
