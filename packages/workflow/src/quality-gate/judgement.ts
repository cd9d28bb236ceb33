/** Judges a run by a quality gate (specification 2.9 and 3.2, derived value 5; wire facts 9.4). */
import { countOf, isOrchestratorError, successRate } from '@tutti/manifests';
import type { TestCaseManifest, TestOutcome } from '../projection/test-cases.ts';
import { parseTestScope, type TestScope } from '../projection/test-scope.ts';
import type { QualityGateRule } from './definition.ts';

export type QualityGateStatus = 'SUCCESS' | 'NOTEST' | 'FAILURE' | 'RUNNING';

/** The result of one rule, with keys as the wire spells them. */
export interface RuleResult {
  readonly result: 'SUCCESS' | 'NOTEST' | 'FAILURE' | 'INVALID_SCOPE';
  readonly scope: string;
  readonly success_ratio: string;
  readonly tests_failed: number;
  readonly tests_in_scope: number;
  readonly tests_passed: number;
  readonly threshold: string;
  /** Why the scope is invalid, or which limit is exceeded. */
  readonly message?: string;
}

/**
 * Counts the test cases of one rule. It takes each test case of the run once. It uses `add`, or `addCount` by number while it looks at none
 * of them (`takesAll`). A scope that fails on one test case is invalid, and the rule counts no more (`isClosed`).
 */
export class RuleTally {
  readonly rule: QualityGateRule;
  readonly takesAll: boolean;
  readonly #scopes: readonly TestScope[] = [];
  #inScope = 0;
  #failed = 0;
  #problem: string | null = null;

  constructor(rule: QualityGateRule) {
    this.rule = rule;
    const conditions = rule.conditions.filter((text) => !/^\s*true\s*$/i.test(text));
    this.takesAll = conditions.length === 0;
    try {
      this.#scopes = conditions.flatMap((text) => parseTestScope(text) ?? []);
    } catch (error) {
      this.#problem = refusalText(error);
    }
  }

  get isClosed(): boolean {
    return this.#problem !== null;
  }

  add(testCase: Pick<TestCaseManifest, 'test'>): void {
    if (this.isClosed) return;
    try {
      const isInScope = this.#scopes.every((takes) => takes(testCase));
      if (isInScope) this.addCount(testCase.test.outcome, 1);
    } catch (error) {
      this.#problem = refusalText(error);
    }
  }

  addCount(outcome: TestOutcome, count: number): void {
    this.#inScope += count;
    if (this.rule.failureStatus.includes(outcome)) this.#failed += count;
  }

  result(): RuleResult {
    const { scope, threshold } = this.rule;
    if (this.#problem !== null) {
      return { ...resultOf('INVALID_SCOPE', 0, 0), scope, threshold, message: this.#problem };
    }
    const passed = this.#inScope - this.#failed;
    const excess = this.#excess();
    const judged = judge(this.#inScope, passed, Number.parseInt(threshold, 10));
    const result = excess === null ? judged : 'FAILURE';
    const message = excess === null ? {} : { message: excess };
    return { ...resultOf(result, this.#inScope, passed), scope, threshold, ...message };
  }

  #excess(): string | null {
    const { failedMax, casesMax } = this.rule;
    if (failedMax !== null && this.#failed > failedMax)
      return `${countOf(this.#failed, 'test case')} failed, and max-failed is ${failedMax}.`;
    if (casesMax !== null && this.#inScope > casesMax)
      return `${countOf(this.#inScope, 'test case')} in scope, and max is ${casesMax}.`;
    return null;
  }
}

function refusalText(error: unknown): string {
  if (isOrchestratorError(error)) return error.message;
  throw error;
}

function judge(inScope: number, passed: number, percent: number): 'SUCCESS' | 'NOTEST' | 'FAILURE' {
  if (inScope === 0) return 'NOTEST';
  return passed * 100 >= percent * inScope ? 'SUCCESS' : 'FAILURE';
}

function resultOf(result: RuleResult['result'], inScope: number, passed: number) {
  return {
    result,
    success_ratio: `${successRate(inScope, inScope - passed)}%`,
    tests_failed: inScope - passed,
    tests_in_scope: inScope,
    tests_passed: passed,
  };
}

/**
 * Combines the results of the rules into the status of a finished run. A rule that could not be judged did not pass. A gate with a mistake
 * in it must not let everything through.
 */
export function gateStatus(
  isDone: boolean,
  results: readonly RuleResult[],
): Exclude<QualityGateStatus, 'RUNNING'> {
  const isPassed = results.every(({ result }) => result === 'SUCCESS' || result === 'NOTEST');
  if (!isDone || !isPassed) return 'FAILURE';
  return results.some(({ result }) => result === 'SUCCESS') ? 'SUCCESS' : 'NOTEST';
}
