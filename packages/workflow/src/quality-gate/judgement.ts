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
  /** Failures that do not count, as their tests are in quarantine; absent where there are none. */
  readonly tests_quarantined?: number;
  /** Why the scope is invalid, which limit is exceeded, or that it passes only because of quarantine. */
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
  /** Failures of tests in quarantine. They count as passed. */
  #spared = 0;
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

  /** The failure of a spared test case does not count. */
  add(testCase: Pick<TestCaseManifest, 'test'>, isSpared = false): void {
    if (this.isClosed) return;
    try {
      const isInScope = this.#scopes.every((takes) => takes(testCase));
      if (!isInScope) return;
      this.addCount(testCase.test.outcome, 1);
      if (isSpared) this.spare(testCase.test.outcome, 1);
    } catch (error) {
      this.#problem = refusalText(error);
    }
  }

  addCount(outcome: TestOutcome, count: number): void {
    this.#inScope += count;
    if (this.rule.failureStatus.includes(outcome)) this.#failed += count;
  }

  /** Failures that were counted, and do not count. */
  spare(outcome: TestOutcome, count: number): void {
    if (!this.rule.failureStatus.includes(outcome)) return;
    this.#failed -= count;
    this.#spared += count;
  }

  result(): RuleResult {
    const { scope, threshold } = this.rule;
    if (this.#problem !== null) {
      return { ...resultOf('INVALID_SCOPE', 0, 0), scope, threshold, message: this.#problem };
    }
    const { result, message } = this.#judged(this.#failed);
    const shown = message ?? this.#sparedText(result);
    return {
      ...resultOf(result, this.#inScope, this.#inScope - this.#failed),
      ...(this.#spared === 0 ? {} : { tests_quarantined: this.#spared }),
      ...{ scope, threshold },
      ...(shown === null ? {} : { message: shown }),
    };
  }

  #judged(failed: number): Pick<RuleResult, 'result'> & { readonly message: string | null } {
    const excess = this.#excess(failed);
    if (excess !== null) return { result: 'FAILURE', message: excess };
    const percent = Number.parseInt(this.rule.threshold, 10);
    return { result: judge(this.#inScope, this.#inScope - failed, percent), message: null };
  }

  /** Null where the rule would pass without quarantine, or does not pass. */
  #sparedText(result: RuleResult['result']): string | null {
    const all = this.#failed + this.#spared;
    if (result !== 'SUCCESS' || this.#judged(all).result === 'SUCCESS') return null;
    return `It passes only because ${countOf(this.#spared, 'failure')} of tests in quarantine ${this.#spared === 1 ? 'does' : 'do'} not count.`;
  }

  #excess(failed: number): string | null {
    const { failedMax, casesMax } = this.rule;
    if (failedMax !== null && failed > failedMax)
      return `${countOf(failed, 'test case')} failed, and max-failed is ${failedMax}.`;
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
