/** What evaluations may cost. Texts, lists and maps come from strangers as expressions do, so all that grows with them is paid for. */
import { STEPS_MAX } from './limits.ts';

/** Steps that are left, counted down by all evaluations that share it. */
export interface EvaluationBudget {
  steps: number;
}

/** For all expressions of one step or job, or whatever else belongs together. */
export function createBudget(steps: number = STEPS_MAX): EvaluationBudget {
  return { steps };
}

/** One piece of an evaluation that knows where it stands in the source. */
export interface Work {
  /** Throws `Invalid` when the budget does not have these steps. */
  spend(steps: number): void;
  /** Makes the error for what cannot be done. */
  refuse(problem: string, cause?: unknown): Error;
}

/** What one takes compared with a character that is copied or searched: measured, and rounded up. */
export const STEPS_OF = {
  node: 50,
  entry: 5,
  name: 60,
  piece: 20,
  jsonCharacter: 20,
  patternState: 8,
} as const;

/** The names of a map. */
export function namesOf(map: Readonly<Record<string, unknown>>, work: Work): readonly string[] {
  const names = Object.keys(map);
  work.spend(names.length * STEPS_OF.name);
  return names;
}

/** The characters or items, each for a step. */
export function payFor<T extends string | readonly unknown[]>(pieces: T, work: Work): T {
  work.spend(pieces.length);
  return pieces;
}
