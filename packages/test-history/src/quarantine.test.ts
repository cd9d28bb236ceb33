import { expect, test } from 'vitest';
import {
  hasRecovered,
  isQuarantined,
  type QuarantineRequest,
  quarantineProblem,
} from './quarantine.ts';
import { STATES } from './state.ts';

const DAY_MS = 86_400_000;
const RULES = { daysMax: 60, share: 0.02 };

test('failures do not count until the quarantine expires', () => {
  const flaky = { state: 'flaky', untilMs: 14 * DAY_MS } as const;
  expect(isQuarantined(flaky, 14 * DAY_MS - 1)).toBe(true);
  expect(isQuarantined(flaky, 14 * DAY_MS)).toBe(false);
  expect(isQuarantined({ ...flaky, untilMs: null }, 0)).toBe(false);
});

test('of all states, only a broken test is in no quarantine', () => {
  const counting = STATES.filter((state) => !isQuarantined({ state, untilMs: 2 }, 1));
  expect(counting).toEqual(['broken']);
});

test('a flaky variant recovers, and no other', () => {
  const recovering = STATES.flatMap((from) =>
    STATES.filter((to) => hasRecovered(from, to)).map((to) => `${from} ${to}`),
  );
  expect(recovering).toEqual(['flaky unsure', 'flaky new', 'flaky stable']);
});

const request: QuarantineRequest = {
  reason: 'waits for the new driver',
  fromMs: 0,
  untilMs: 14 * DAY_MS,
  state: 'flaky',
  isForced: false,
  tests: 1_000,
  quarantined: 0,
};

test.each<readonly [string | null, Partial<QuarantineRequest>]>([
  [null, {}],
  ['no reason', { reason: ' ' }],
  ['no end', { untilMs: 0 }],
  ['too long', { untilMs: 60 * DAY_MS + 1 }],
  ['broken', { state: 'broken' }],
  [null, { state: 'broken', isForced: true }],
  [null, { quarantined: 19 }],
  ['share reached', { quarantined: 20 }],
  [null, { tests: 3 }],
])('the problem is %j with %j', (problem, change) => {
  expect(quarantineProblem({ ...request, ...change }, RULES)).toBe(problem);
});
