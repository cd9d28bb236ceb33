/** The rules held against histories whose truth is known. */
import { expect, test } from 'vitest';
import { createRandom } from '../../../tests/support/random.ts';
import { Ledger } from './ledger.ts';
import {
  BrokenTests,
  errorFactors,
  type Judged,
  judge,
  rulesOf,
} from './testing/judged-history.ts';
import { simulateHistory } from './testing/simulated-history.ts';

/** `npm run bench -- flaky` has more tests, and more histories. */
const TESTS = 8_000;
const RUNS = 200;
/** Only what hangs takes this long: on a busy machine, two seconds of a processor may take half a minute. */
const PATIENT = { timeout: 300_000 };

/** Each rule at the end, with tests that were broken on the way. */
function judgedHistory(tests: number, outages: number, wrongVersions: number) {
  const broken = new BrokenTests();
  let judged: ReadonlyMap<string, Judged> = new Map();
  let errors: readonly number[] = [];
  simulateHistory({ seed: 1, tests, runs: RUNS, outages, wrongVersions }, (run) => {
    broken.add(run);
    if (run.run < RUNS - 1) return;
    judged = new Map([...rulesOf(run)].map(([name, rule]) => [name, judge(run, rule)]));
    errors = errorFactors(run);
  });
  const of = (rule: string): Judged => {
    const found = judged.get(rule);
    if (found === undefined) throw new Error(`No rule is called ${rule}.`);
    return found;
  };
  return { broken, errors, of };
}

test(
  '8 000 tests over 200 runs with outages: flaky and broken tests are found, and simpler rules err',
  PATIENT,
  () => {
    const { broken, errors, of } = judgedHistory(TESTS, 0.02, 0);
    const flaky = of('flaky');
    expect(flaky.precision).toBeGreaterThanOrEqual(0.98);
    expect(flaky.recall).toBeGreaterThanOrEqual(0.95);
    expect(flaky.recallOfOften).toBeGreaterThanOrEqual(0.99);
    expect(flaky.regressionsCalled).toBeLessThanOrEqual(0.001);
    expect(broken.precision).toBeGreaterThanOrEqual(0.98);
    expect(broken.recall).toBeGreaterThanOrEqual(0.95);
    expect(errors[Math.floor(errors.length * 0.5)]).toBeLessThanOrEqual(1.3);
    expect(errors[Math.floor(errors.length * 0.9)]).toBeLessThanOrEqual(2);
    expect(of('failed and passed on one version').precision).toBeLessThan(0.2);
    expect(of('the same without mass failures').precision).toBeLessThan(0.95);
    expect(of('the same without mass failures').regressionsCalled).toBeGreaterThan(0.03);
    const rate = of('failure rate of 5 % in 50 executions');
    expect([rate.precision < 0.6, rate.recall < 0.5]).toEqual([true, true]);
    expect(of('four changes of outcome in 50 executions').recall).toBeLessThan(0.6);
  },
);

test(
  'where 30 % of the runs name a wrong version, few regressions are called flaky',
  PATIENT,
  () => {
    const { of } = judgedHistory(TESTS, 0.01, 0.3);
    expect(of('flaky').precision).toBeGreaterThanOrEqual(0.93);
    expect(of('the same without mass failures').precision).toBeLessThan(0.6);
  },
);

/** Runs with one retry. */
function execute(ledger: Ledger, run: number, fails: () => boolean): void {
  for (let attempt = 1; attempt <= 2; attempt++) {
    const outcome = fails() ? 'failure' : 'success';
    ledger.fold({ run, version: run, attempt, outcome, atMs: run * 7_200_000, durationMs: 1 });
    if (outcome === 'success') return;
  }
}

const RECOVERY_TESTS = 400;

test.each([
  [0.05, 95],
  [0.1, 45],
  [0.3, 25],
])(
  'at a flake rate of %d, a fixed test recovers within %d runs, and others hardly ever',
  (rate, runsMax) => {
    const random = createRandom(7);
    let falseRecoveries = 0;
    const runsToRecover = Array.from({ length: RECOVERY_TESTS }, () => {
      const ledger = new Ledger();
      let run = 0;
      const runWhile = (isOn: () => boolean, chance: number) => {
        const from = run;
        while (isOn()) execute(ledger, ++run, () => random.chance(chance));
        return run - from;
      };
      const isCalled = () => ledger.state === 'flaky' || ledger.state === 'broken';
      runWhile(() => ledger.state !== 'flaky', rate);
      const end = run + 300;
      while (run < end) {
        const wasCalled = isCalled();
        execute(ledger, ++run, () => random.chance(rate));
        if (wasCalled && !isCalled()) falseRecoveries++;
      }
      runWhile(() => ledger.state !== 'flaky', rate);
      return runWhile(isCalled, 0);
    }).sort((left, right) => left - right);
    expect(runsToRecover[RECOVERY_TESTS / 2]).toBeLessThanOrEqual(runsMax);
    expect(falseRecoveries / RECOVERY_TESTS).toBeLessThanOrEqual(0.25);
  },
);
