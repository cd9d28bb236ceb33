/** Exit codes; scripts rely on them. */
export const EXIT_CODES = {
  /** Done; a run that was waited for succeeded. */
  done: 0,
  /** The run that was waited for did not succeed. */
  failed: 1,
  /** Wrong use, a refusal, or no server. */
  problem: 2,
  /** The quality gate has no verdict yet: the run is not over, or reports are still being read. */
  undecided: 101,
  /** The quality gate is not passed. */
  gateFailed: 102,
} as const;

/** For commands that show test results. */
export const MISSING_RESULTS_HELP = `
Where test cases may be missing because a report cannot be read whole, standard error says which; the exit code is the same.`;
