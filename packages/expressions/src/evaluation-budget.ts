/** Budget of evaluations, in steps. Texts, lists and maps come from strangers, so all work that grows with them is paid for. */
import { STEPS_MAX } from './limits.ts';

/** Steps that are left, counted down by all evaluations that share it. */
export interface EvaluationBudget {
  steps: number;
  /** A budget that several budgets share: their steps are spent there, too. */
  readonly within: EvaluationBudget | null;
}

/** Makes a budget that several expressions share, such as those of one step or job. */
export function createBudget(
  steps: number = STEPS_MAX,
  within: EvaluationBudget | null = null,
): EvaluationBudget {
  return { steps, within };
}

/** Takes the steps from the budget and from those around it, whether they have them or not. */
export function spendSteps(budget: EvaluationBudget, steps: number): void {
  for (let each: EvaluationBudget | null = budget; each !== null; each = each.within) {
    each.steps -= steps;
  }
}

/** Below 0 when more was spent than there is, here or in a budget around. */
export function stepsLeft(budget: EvaluationBudget): number {
  return budget.within === null ? budget.steps : Math.min(budget.steps, stepsLeft(budget.within));
}

/** Why an evaluation ends for which no steps are left. */
export function exhaustion(budget: EvaluationBudget): string {
  return budget.steps < 0
    ? 'the evaluation takes too long'
    : 'too much is evaluated at one time (let fewer jobs begin, or fewer steps be skipped, together, or look at shorter texts)';
}

/** One piece of an evaluation that knows where it stands in the source. */
export interface Work {
  /** Throws `Invalid` when the budget does not have these steps. */
  spend(steps: number): void;
  /** Makes the error for what cannot be done. */
  refuse(problem: string, cause?: unknown): Error;
}

/** Steps of each operation, compared with copying or searching one character: measured, and rounded up. */
export const STEPS_OF = {
  node: 50,
  entry: 5,
  name: 60,
  piece: 20,
  jsonCharacter: 20,
  patternState: 8,
  sourceCharacter: 40,
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
