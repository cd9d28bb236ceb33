/** Durations with known changes, and the noise of machines: slow runs, a spread of each test, and outliers. */
import { createRandom, type Random } from '../../../../tests/support/random.ts';
import { type Change, changesOf, runEffect, type TimedExecution } from '../change-points.ts';
import { medianOf } from '../durations.ts';
import { normal } from './simulated-history.ts';

export interface DurationOptions {
  readonly seed: number;
  readonly tests: number;
  readonly runs: number;
  /** The part of the tests with one change. */
  readonly changed: number;
}

export interface SimulatedDurations {
  /** The run from which the test takes this many times as long; null for tests without a change. */
  readonly truth: { readonly at: number; readonly ratio: number } | null;
  readonly found: readonly Change[];
}

const RATIOS = [1.5, 2, 3] as const;
const RUN_SPREAD = 0.15;
/** A shorter change is none by definition. This is a little above that bound, so that noise does not decide. */
const CHANGE_MS_MIN = 60;
const OUTLIERS = 0.01;
/** Changes have that many runs before and after them. */
const MARGIN = 40;

/** A test with its own noise, as what a run makes of it. */
function simulatedTest(random: Random, { runs, changed }: DurationOptions) {
  const spread = 0.05 + 0.15 * random.next();
  const base = 400 * Math.exp(normal(random));
  const ratio = random.pick(RATIOS) ** (random.chance(0.8) ? 1 : -1);
  const isChanged = random.chance(changed) && base * Math.abs(ratio - 1) >= CHANGE_MS_MIN;
  const truth = isChanged ? { at: random.between(MARGIN, runs - MARGIN), ratio } : null;
  const durationAt = (run: number, effect: number) => {
    const outlier = random.chance(OUTLIERS) ? 1.5 + 2 * random.next() : 1;
    const factor = truth !== null && run >= truth.at ? truth.ratio : 1;
    return base * factor * outlier * Math.exp(effect + spread * normal(random));
  };
  return { truth, durationAt };
}

/** Otherwise the medians of tests would follow the slow runs among the newest. */
const withoutEffect = ({ durationMs, effect }: TimedExecution): number =>
  durationMs / Math.exp(effect);

export function simulateDurations(options: DurationOptions): readonly SimulatedDurations[] {
  const random = createRandom(options.seed);
  const tests = Array.from({ length: options.tests }, () => simulatedTest(random, options));
  const series = tests.map((): TimedExecution[] => []);
  for (let run = 0; run < options.runs; run++) {
    const slowness = RUN_SPREAD * normal(random);
    const durations = tests.map((test) => test.durationAt(run, slowness));
    const effect = runEffect(
      durations.map((durationMs, at) => {
        const before = (series[at] ?? []).slice(-20).map(withoutEffect);
        return { durationMs, usualMs: before.length === 0 ? durationMs : medianOf(before) };
      }),
    );
    durations.forEach((durationMs, at) => {
      series[at]?.push({ durationMs, effect });
    });
  }
  return tests.map(({ truth }, at) => ({ truth, found: changesOf(series[at] ?? []) }));
}
