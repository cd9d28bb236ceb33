import { expect, test } from 'vitest';
import {
  hasRecovered,
  passesToRecover,
  passesToVerify,
  type StateFacts,
  stateOf,
} from './state.ts';

const DAY_MS = 86_400_000;
const facts: StateFacts = {
  executions: 60,
  failures: 0,
  flaky: 0.02,
  broken: 0,
  hasNewestFailed: false,
  wasFlaky: false,
  sinceContradictionMs: null,
};

test.each<readonly [state: string, facts: Partial<StateFacts>]>([
  ['new', { executions: 4, broken: 1, hasNewestFailed: true }],
  ['stable', {}],
  ['broken', { broken: 0.9, hasNewestFailed: true }],
  ['stable', { broken: 0.9 }],
  ['flaky', { flaky: 0.95, failures: 2 }],
  ['unsure', { flaky: 0.95, failures: 1 }],
  ['broken', { wasFlaky: true, broken: 0.95, hasNewestFailed: true }],
  ['flaky', { wasFlaky: true }],
  ['unsure', { flaky: 0.5 }],
  ['unsure', { sinceContradictionMs: 14 * DAY_MS }],
  ['stable', { sinceContradictionMs: 14 * DAY_MS + 1 }],
])('the state is %s with %j', (state, change) => {
  expect(stateOf({ ...facts, ...change })).toBe(state);
});

test.each([
  [0.01, 390],
  [0.05, 77],
  [0.1, 44],
  [0.15, 31],
  [0.2, 24],
  [0.3, 20],
  [0.7, 20],
  [0, 1000],
])('a variant with the flake rate %d recovers after %d passes in a row', (rate, passes) => {
  expect(passesToRecover(rate)).toBe(passes);
  const recovers = (inRow: number) => hasRecovered({ flakeRate: rate, inRow, sinceFailureMs: 0 });
  expect([recovers(passes - 1), recovers(passes)]).toEqual([false, true]);
});

test('a variant that fails rarely recovers after 30 days with 50 passes', () => {
  const recovers = (inRow: number, days: number) =>
    hasRecovered({ flakeRate: 0.01, inRow, sinceFailureMs: days * DAY_MS });
  expect([recovers(50, 30), recovers(49, 30), recovers(50, 29)]).toEqual([true, false, false]);
});

test.each([
  [0.05, 59],
  [0.1, 29],
])('a flake rate of %d is verified with %d executions', (rate, executions) => {
  expect(passesToVerify(rate)).toBe(executions);
});
