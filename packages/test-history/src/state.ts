/** The states of variants and tests. */
import type { Belief } from './model.ts';

/** From the worst to the best. `new` and `stable` say that nothing speaks against a test. */
export const STATES = ['broken', 'flaky', 'unsure', 'new', 'stable'] as const;
export type TestState = (typeof STATES)[number];

export const STATE_RULES = {
  newExecutions: 5,
  broken: 0.9,
  flaky: 0.95,
  flakyFailures: 2,
  unsure: 0.5,
  contradictionMs: 14 * 86_400_000,
} as const;

export const RECOVERY = {
  /** The chance that passes after a failure make a variant recover that is still flaky. */
  chance: 0.02,
  /** Variants that fail often begin many such rows of passes. So the chance is smaller for them, and this is its bound for each run. */
  chancePerRun: 0.001,
  passesMin: 20,
  passesMax: 1000,
  /** Variants that fail rarely recover after this time, with so many passes. */
  quietMs: 30 * 86_400_000,
  quietPasses: 50,
  /** A recovered variant that contradicts itself so soon was never fixed: it is flaky again at once. */
  relapseMs: 30 * 86_400_000,
} as const;

/** A run that executes a test this often finds a flaky one with the other 95 %. */
const VERIFY_CHANCE = 0.05;

/** All of it since the model began: with the first execution, or with the recovery. */
export interface StateFacts extends Omit<Belief, 'flakeRate'> {
  /** Since the first execution. */
  readonly executions: number;
  readonly failures: number;
  readonly hasNewestFailed: boolean;
  /** It was flaky, and has not recovered. */
  readonly wasFlaky: boolean;
  /** From the newest contradiction to the newest execution; null without one. */
  readonly sinceContradictionMs: number | null;
}

export function stateOf(facts: StateFacts): TestState {
  const { executions, sinceContradictionMs } = facts;
  if (executions < STATE_RULES.newExecutions) return 'new';
  if (facts.broken >= STATE_RULES.broken && facts.hasNewestFailed) return 'broken';
  if (facts.wasFlaky || isFlaky(facts)) return 'flaky';
  const isContradicted =
    sinceContradictionMs !== null && sinceContradictionMs <= STATE_RULES.contradictionMs;
  return facts.flaky >= STATE_RULES.unsure || isContradicted ? 'unsure' : 'stable';
}

export const isFlaky = ({ flaky, failures }: Pick<StateFacts, 'flaky' | 'failures'>): boolean =>
  flaky >= STATE_RULES.flaky && failures >= STATE_RULES.flakyFailures;

/** Whether a variant that had recovered is flaky again, at a contradiction. */
export const hasRelapsed = (sinceRecoveryMs: number): boolean =>
  sinceRecoveryMs <= RECOVERY.relapseMs;

/** Whether later executions explain the failures otherwise: a regression that began within a version looks flaky at first. */
export const isTakenBack = (flaky: number): boolean => flaky < STATE_RULES.unsure;

/** The passes in a row after which a flaky variant has recovered. */
export const passesToRecover = (flakeRate: number): number =>
  Math.min(
    Math.max(passesByChance(flakeRate, recoveryChance(flakeRate)), RECOVERY.passesMin),
    RECOVERY.passesMax,
  );

/** The passes in a row after which a person may believe that a test is fixed. */
export const passesToVerify = (flakeRate: number): number =>
  Math.min(passesByChance(flakeRate, VERIFY_CHANCE), RECOVERY.passesMax);

const recoveryChance = (flakeRate: number): number =>
  Math.min(RECOVERY.chance, RECOVERY.chancePerRun / flakeRate);

const passesByChance = (flakeRate: number, chance: number): number =>
  Math.ceil(Math.log(chance) / Math.log1p(-flakeRate));

/** Whether a flaky variant has recovered, after a pass. */
export function hasRecovered(passes: {
  readonly flakeRate: number;
  readonly inRow: number;
  readonly sinceFailureMs: number;
}): boolean {
  const { flakeRate, inRow, sinceFailureMs } = passes;
  return (
    inRow >= passesToRecover(flakeRate) ||
    (inRow >= RECOVERY.quietPasses && sinceFailureMs >= RECOVERY.quietMs)
  );
}
