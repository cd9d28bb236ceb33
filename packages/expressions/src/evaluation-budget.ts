/** What evaluations may cost. Texts, lists and maps come from strangers as expressions do, so all that grows with them is paid for. */
import { STEPS_MAX } from './limits.ts';

/** Steps that are left, counted down by all evaluations that share it: a node, an entry, a character, a state of a pattern. */
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

/** What listing one name of a map, or reading one character of JSON, takes compared with other steps. */
const NAME_STEPS = 40;
export const JSON_STEPS = 4;

/** The names of a map. */
export function namesOf(map: Readonly<Record<string, unknown>>, work: Work): readonly string[] {
  const names = Object.keys(map);
  work.spend(names.length * NAME_STEPS);
  return names;
}

/** The characters or items, each for a step. */
export function payFor<T extends string | readonly unknown[]>(pieces: T, work: Work): T {
  work.spend(pieces.length);
  return pieces;
}
