import { expect, test } from 'vitest';
import {
  contradictionRate,
  failureRate,
  impactOf,
  passRateOnVersion,
  rateOf,
  windowOf,
} from './rates.ts';
import type { Counted } from './strip.ts';

const DAY_MS = 86_400_000;

/** Versions between blanks; P and F are attempts, of which the first one counts. */
const countedOf = (history: string): readonly Counted[] =>
  history.split(' ').flatMap((letters, version) =>
    [...letters].map((letter, at) => ({
      isFailed: letter === 'F',
      isFirst: at === 0,
      version,
      atMs: version * DAY_MS,
    })),
  );

test.each([
  [1, 10, 0.018, 0.404],
  [0, 20, 0, 0.161],
  [5, 210, 0.01, 0.055],
])("Wilson's interval of %d of %d is %d to %d", (count, of, low, high) => {
  const { interval } = rateOf(count, of) ?? { interval: [] };
  expect(interval.map((value) => Math.round(value * 1000) / 1000)).toEqual([low, high]);
});

test('a rate of nothing is none', () => {
  expect(rateOf(0, 0)).toBeNull();
  expect(failureRate([])).toBeNull();
  expect(passRateOnVersion(countedOf('P P'))).toBeNull();
});

test('the failure rate counts first attempts', () => {
  expect(failureRate(countedOf('P FP P FF'))).toMatchObject({ count: 2, of: 4, rate: 0.5 });
});

test('the contradiction rate counts versions with two executions and more', () => {
  expect(contradictionRate(countedOf('P FP PP FF F'))).toMatchObject({ count: 1, of: 3 });
});

test('the pass rate on one version is the mean over such versions', () => {
  expect(passRateOnVersion(countedOf('P FP PP FF F'))).toBe(0.5);
});

test('the window has the newest 100 executions of the last 30 days', () => {
  const days = countedOf(Array.from({ length: 50 }, () => 'P').join(' '));
  expect(windowOf(days, 49 * DAY_MS)).toHaveLength(31);
  const hours = Array.from({ length: 150 }, (_, hour) => ({
    isFailed: false,
    isFirst: true,
    version: hour,
    atMs: hour * 3_600_000,
  }));
  expect(
    windowOf(hours, 150 * 3_600_000)
      .map(({ version }) => version)
      .slice(0, 2),
  ).toEqual([50, 51]);
});

test('the impact is runs that failed because of one test, and the time of retries and reruns', () => {
  const run = { isLost: true, othersLost: 0, retriesMs: 60_000, rerunsMs: 600_000 };
  expect(impactOf([run, { ...run, othersLost: 3 }, { ...run, isLost: false }])).toEqual({
    runs: 1,
    minutes: 13,
  });
});
