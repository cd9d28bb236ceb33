import { isOrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { StartAdmission } from './start-admission.ts';

const LIMITS = { runs: 5, runsWhenBusy: 3, startsAtOnce: 2, startsBytes: 100 };

function createAdmission(given: {
  readonly runs?: number;
  readonly isBusy?: boolean;
  readonly hasAgents?: boolean;
}) {
  const runs = { liveCount: given.runs ?? 0 };
  const load = { isBusy: () => given.isBusy ?? false };
  const admission = new StartAdmission({
    runs,
    load,
    hasAgents: () => given.hasAgents ?? true,
    limits: LIMITS,
  });
  const ask = (isDryRun = false, bytes = 10) => {
    try {
      return { leave: admission.admit({ isDryRun, bytes }) };
    } catch (error) {
      if (!isOrchestratorError(error)) throw error;
      return { reason: error.reason, message: error.message, seconds: error.retryAfterSeconds };
    }
  };
  return { ask, runs };
}

const accepted = { leave: expect.any(Function) };
const TOO_MANY_STARTS = {
  reason: 'ServiceUnavailable',
  message:
    'The server is starting 2 workflows, which is the limit (limits.startsAtOnce). Try again later.',
  seconds: 1,
};
const TOO_BUSY = {
  reason: 'ServiceUnavailable',
  message:
    'The server has more to do than it can, with 3 workflows that are not over (limits.runsWhenBusy). Try again later.',
  seconds: 1,
};
const TOO_MANY_RUNS = {
  reason: 'TooManyRequests',
  message:
    'There are 5 workflows that are not over, which is the limit (limits.runs). Wait until some have ended, or cancel some.',
  seconds: 10,
};

test.each([
  [4, false, accepted],
  [5, false, TOO_MANY_RUNS],
  [2, true, accepted],
  [3, true, TOO_BUSY],
  [5, true, TOO_MANY_RUNS],
])('with %i runs, on a server that is busy (%s), one more is %o', (runs, isBusy, expected) => {
  expect(createAdmission({ runs, isBusy }).ask()).toEqual(expected);
});

test('so many requests are worked on at one time, and one more when one of them is over', () => {
  const { ask } = createAdmission({});
  const first = ask();
  expect(ask()).toEqual(accepted);
  expect(ask()).toEqual(TOO_MANY_STARTS);
  first.leave?.();
  expect(ask()).toEqual(accepted);
});

test('requests that are worked on count as runs, so that there are never more than the limit', () => {
  const { ask, runs } = createAdmission({ runs: 4 });
  const first = ask();
  expect(ask()).toEqual(TOO_MANY_RUNS);
  runs.liveCount = 3;
  expect(ask()).toEqual(accepted);
  first.leave?.();
});

test('dry runs start nothing, so that they are bound as requests only', () => {
  const { ask } = createAdmission({ runs: 5, isBusy: true });
  expect([ask(true), ask(true)]).toEqual([accepted, accepted]);
  expect(ask(true)).toEqual(TOO_MANY_STARTS);
});

test('what requests hold in memory is bounded, but for one that is alone', () => {
  const { ask } = createAdmission({});
  const large = ask(false, 101);
  expect(large).toEqual(accepted);
  expect(ask(false, 1)).toEqual({
    reason: 'ServiceUnavailable',
    message:
      'The workflows that the server is starting have 100 bytes, which is the limit (limits.startsBytes). Try again later.',
    seconds: 1,
  });
  large.leave?.();
  expect([ask(false, 60), ask(false, 40)]).toEqual([accepted, accepted]);
});

test('where no agent is, a busy server accepts what waits for one', () => {
  expect(createAdmission({ runs: 4, isBusy: true, hasAgents: false }).ask()).toEqual(accepted);
  expect(createAdmission({ runs: 5, isBusy: true, hasAgents: false }).ask()).toEqual(TOO_MANY_RUNS);
});
