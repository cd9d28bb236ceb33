/** Histories of tests whose truth is known. They have flaky tests, regressions, outages, one retry, and versions that may be wrong. */
import { createRandom, type Random } from '../../../../tests/support/random.ts';
import { Ledger } from '../ledger.ts';
import { isMassFailure } from '../mass-failure.ts';
import { DAY_MS } from '../strip.ts';
import { SimpleRules } from './simple-rules.ts';

export interface HistoryOptions {
  readonly seed: number;
  readonly tests: number;
  readonly runs: number;
  /** The part of the runs whose environment is down. */
  readonly outages: number;
  /** The part of the runs that name the version of the run before. */
  readonly wrongVersions: number;
}

export interface SimulatedTest {
  /** The rate of failures while nothing is wrong with the code; 0 for tests that are not flaky. */
  readonly rate: number;
  /** The first run with a regression, and the first one after it. */
  readonly regression: readonly [begin: number, end: number] | null;
}

export interface SimulatedRun {
  readonly run: number;
  readonly isOutage: boolean;
  readonly tests: readonly SimulatedTest[];
  readonly ledgers: readonly Ledger[];
  readonly rules: SimpleRules;
}

const FLAKY = 0.05;
const REGRESSED = 0.1;
/** A test with a regression fails in nearly every execution. */
const REGRESSION_FAILS = 0.98;
/** Regressions end after four versions, on the average. */
const REGRESSION_ENDS = 0.25;
const JOB_TESTS = 1_000;
const RUNS_PER_DAY = 12;

/** A number of a normal distribution. */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/** Rates of about 3 %; half of them are between 2 and 5 %. */
const flakeRate = (random: Random): number =>
  Math.min(Math.max(0.03 * Math.exp(0.7 * normal(random)), 0.003), 0.6);

function simulatedTest(random: Random, runs: number): SimulatedTest {
  const rate = random.chance(FLAKY) ? flakeRate(random) : 0;
  if (!random.chance(REGRESSED)) return { rate, regression: null };
  const begin = random.between(0, runs - 1);
  let end = begin + 1;
  while (!random.chance(REGRESSION_ENDS)) end++;
  return { rate, regression: [begin, end] };
}

export const isRegressed = ({ regression }: SimulatedTest, run: number): boolean =>
  regression !== null && regression[0] <= run && run < regression[1];

/** Calls back after each run. */
export function simulateHistory(
  options: HistoryOptions,
  afterRun: (run: SimulatedRun) => void,
): void {
  const random = createRandom(options.seed);
  const tests = Array.from({ length: options.tests }, () => simulatedTest(random, options.runs));
  const ledgers = tests.map(() => new Ledger());
  const rules = new SimpleRules(options.tests);
  let version = 0;
  for (let run = 0; run < options.runs; run++) {
    if (!random.chance(options.wrongVersions)) version = run + 1;
    const isOutage = random.chance(options.outages);
    const outage = isOutage ? 0.3 + 0.7 * random.next() : 0;
    const fails = (test: SimulatedTest, part: number) =>
      random.chance(part) || random.chance(isRegressed(test, run) ? REGRESSION_FAILS : test.rate);
    for (let from = 0; from < options.tests; from += JOB_TESTS) {
      const job = tests.slice(from, from + JOB_TESTS);
      const first = job.map((test) => fails(test, outage));
      // Half of the retries come when the environment is there again.
      const second = job.map((test, at) => first[at] === true && fails(test, outage / 2));
      foldJob({ run, version, from, first, second }, ledgers, rules);
    }
    afterRun({ run, isOutage, tests, ledgers, rules });
  }
}

interface SimulatedJob {
  readonly run: number;
  readonly version: number;
  readonly from: number;
  readonly first: readonly boolean[];
  readonly second: readonly boolean[];
}

function foldJob(job: SimulatedJob, ledgers: readonly Ledger[], rules: SimpleRules): void {
  const { run, version, from, first, second } = job;
  const atMs = Math.floor(((run + 1) * DAY_MS) / RUNS_PER_DAY);
  const isMass = isMassFailure(
    first.map((hasFailed, at) => ({
      hasFailed,
      hadFailed: ledgers[from + at]?.hasFailedInLastRun ?? false,
    })),
  );
  first.forEach((hasFailed, at) => {
    const ledger = ledgers[from + at];
    const attempts = hasFailed ? [true, second[at] ?? false] : [false];
    attempts.forEach((isFailed, index) => {
      const outcome = isFailed ? 'failure' : 'success';
      const execution = { run, version, attempt: index + 1, outcome, atMs, durationMs: 5 } as const;
      if (isMass) ledger?.noteRun(execution);
      else ledger?.fold(execution);
      rules.add({ test: from + at, version, isFailed, isMass });
    });
  });
}
