/** Precision and recall of a rule for flaky tests, against the truth of a simulated history. */
import { isRegressed, type SimulatedRun } from './simulated-history.ts';

export interface Judged {
  /** The part of the tests called flaky that are. */
  readonly precision: number;
  /** The part of the flaky tests without a regression now that are called flaky. First for rates from 2 to 5 %, then from 5 % on. */
  readonly recall: number;
  readonly recallOfOften: number;
  /** Tests with a regression that are not flaky, as a part of all of these. */
  readonly regressionsCalled: number;
}

/** Tests by number. */
export type Rule = (test: number) => boolean;

export function judge({ run, tests }: SimulatedRun, isCalled: Rule): Judged {
  const all = tests.map((test, at) => ({ ...test, isCalled: isCalled(at) }));
  const called = all.filter((test) => test.isCalled);
  const partCalled = (some: readonly { readonly isCalled: boolean }[]) =>
    some.filter((test) => test.isCalled).length / some.length;
  const whole = all.filter((test) => !isRegressed(test, run));
  return {
    precision: called.filter(({ rate }) => rate > 0).length / called.length,
    recall: partCalled(whole.filter(({ rate }) => rate >= 0.02 && rate < 0.05)),
    recallOfOften: partCalled(whole.filter(({ rate }) => rate >= 0.05)),
    regressionsCalled: partCalled(
      all.filter(({ rate, regression }) => rate === 0 && regression !== null),
    ),
  };
}

/** The rules that are compared: the states of the ledgers, and those that other tools document. */
export const rulesOf = ({ ledgers, rules }: SimulatedRun): ReadonlyMap<string, Rule> =>
  new Map([
    ['flaky', (test) => ledgers[test]?.state === 'flaky'],
    ['failed and passed on one version', (test) => rules.isContradicted(test)],
    ['the same without mass failures', (test) => rules.isContradictedAlone(test)],
    ['failure rate of 5 % in 50 executions', (test) => rules.failsOften(test)],
    ['four changes of outcome in 50 executions', (test) => rules.changesOften(test)],
  ]);

/** Tests that are broken now, over all runs. */
export class BrokenTests {
  #right = 0;
  #wrong = 0;
  #missed = 0;

  add({ run, isOutage, tests, ledgers }: SimulatedRun): void {
    // Mass failures leave all states as they were.
    if (isOutage) return;
    tests.forEach((test, at) => {
      const isCalled = ledgers[at]?.state === 'broken';
      const isBroken = isRegressed(test, run);
      if (isCalled && isBroken) this.#right++;
      else if (isCalled) this.#wrong++;
      // Two versions are enough to be sure.
      else if (isBroken && isRegressed(test, run - 1)) this.#missed++;
    });
  }

  get precision(): number {
    return this.#right / (this.#right + this.#wrong);
  }

  get recall(): number {
    return this.#right / (this.#right + this.#missed);
  }
}

/** The factors between estimated and true flake rates. Only tests called flaky count, with a rate of 1 % and more. */
export function errorFactors({ tests, ledgers }: SimulatedRun): readonly number[] {
  return tests
    .flatMap(({ rate }, at) => {
      const ledger = ledgers[at];
      if (rate < 0.01 || ledger?.state !== 'flaky') return [];
      const { flakeRate } = ledger.judgement;
      return [Math.max(flakeRate / rate, rate / flakeRate)];
    })
    .sort((left, right) => left - right);
}
