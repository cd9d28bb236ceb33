import { isOrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { eventually, ManualTimers } from '../../bus/testing.ts';
import { LIMITS } from '../../runtime/limits.ts';
import { StartAdmission } from './start-admission.ts';

const BOUNDS = { runs: 50, runsWhenBusy: 3, waitWhenBusySeconds: 5, startsAtOnce: 2 };

interface Given {
  readonly runs?: number;
  readonly isBusy?: boolean;
  readonly startsAtOnce?: number;
  readonly subjectShare?: number;
}

/** A server with a state that the test changes, and a clock that stands still. */
function createServer({
  runs = 0,
  isBusy = false,
  startsAtOnce = BOUNDS.startsAtOnce,
  subjectShare = 1,
}: Given) {
  const state = { runs, isBusy, isForAgents: false, endedPerSecond: 0, nowMs: 0 };
  const timers = new ManualTimers();
  const admission = new StartAdmission({
    runs: {
      get liveCount() {
        return state.runs;
      },
    },
    load: { isBusy: () => state.isBusy },
    ended: { perSecond: () => state.endedPerSecond },
    isForAgents: () => state.isForAgents,
    limits: { ...BOUNDS, startsAtOnce, subjectShare, namespaceShare: 1 },
    clock: { monotonicMs: () => state.nowMs },
    timers,
  });
  const ask = async ({ isDryRun = false, subject = 'ci', isGone = (): boolean => false } = {}) => {
    try {
      return {
        leave: await admission.admit({
          isDryRun,
          holder: { subject, namespaces: new Set([subject]) },
          isGone,
        }),
      };
    } catch (error) {
      if (!isOrchestratorError(error)) throw error;
      return { reason: error.reason, message: error.message, seconds: error.retryAfterSeconds };
    }
  };
  /** Moves the time on. */
  const look = () => timers.fire(20);
  return { admission, ask, look, state, timers };
}

const accepted = { leave: expect.any(Function) };
const TOO_MANY_STARTS = {
  reason: 'ServiceUnavailable',
  message:
    'The server is starting 2 workflows, which is the limit (limits.startsAtOnce). Try again later.',
  seconds: 1,
};
const tooBusy = (runs: number) => ({
  reason: 'ServiceUnavailable',
  message: `The server has more to do than it can: it does not end the ${runs} workflows that it has in 5 s (limits.waitWhenBusySeconds). Try again later.`,
  seconds: 1,
});
const TOO_MANY_RUNS = {
  reason: 'TooManyRequests',
  message:
    'There are 50 workflows that are not over, which is the limit (limits.runs). Wait until some have ended, or cancel some.',
  seconds: 10,
};

test.each([
  [49, false, accepted],
  [50, false, TOO_MANY_RUNS],
  [2, true, accepted],
  [50, true, TOO_MANY_RUNS],
])(
  // Bound: Unfinished runs.
  'with %i runs, on a server that is busy (%s), one more is %o',
  async (runs, isBusy, expected) => {
    expect(await createServer({ runs, isBusy }).ask()).toEqual(expected);
  },
);

// Bound: Start requests under way.
test('so many requests are worked on at one time, and one more when one of them is over', async () => {
  const { ask } = createServer({});
  const first = await ask();
  expect(await ask()).toEqual(accepted);
  expect(await ask()).toEqual(TOO_MANY_STARTS);
  first.leave?.();
  expect(await ask()).toEqual(accepted);
});

test('requests that are worked on count as runs, so that there are never more than the limit', async () => {
  const { ask, state } = createServer({ runs: 49 });
  const first = await ask();
  expect(await ask()).toEqual(TOO_MANY_RUNS);
  state.runs = 48;
  expect(await ask()).toEqual(accepted);
  first.leave?.();
});

test('dry runs start nothing, so that they are bound as requests only', async () => {
  const { ask } = createServer({ runs: 50, isBusy: true });
  const isDryRun = true;
  expect([await ask({ isDryRun }), await ask({ isDryRun })]).toEqual([accepted, accepted]);
  expect(await ask({ isDryRun })).toEqual(TOO_MANY_STARTS);
});

// Bound: The part of one subject in the last three.
test('one subject has a share of the requests that are worked on, and others have theirs', async () => {
  const { ask } = createServer({ startsAtOnce: 4, subjectShare: 0.25 });
  expect(await ask({ subject: 'attacker' })).toEqual(accepted);
  expect(await ask({ subject: 'attacker' })).toMatchObject({
    reason: 'TooManyRequests',
    message:
      'User "attacker" may have 1 of the 4 requests for workflows at one time (limits.startsAtOnce): the share of one subject (limits.subjectShare). Try again later.',
  });
  const other = await ask();
  expect(other).toEqual(accepted);
  other.leave?.();
  expect(await ask()).toEqual(accepted);
});

test('runs that wait for agents are accepted by a busy server, up to the limit of all runs', async () => {
  const { ask, state } = createServer({ runs: 49, isBusy: true });
  state.isForAgents = true;
  expect(await ask()).toEqual(accepted);
  expect(await ask()).toEqual(TOO_MANY_RUNS);
});

// Bound: Unfinished runs while the server is busy.
test('a busy server has as many runs as it ends in the time that they may wait', async () => {
  const { ask, look, state } = createServer({ runs: 19, isBusy: true });
  state.endedPerSecond = 4;
  expect(await ask()).toEqual(accepted);
  state.nowMs += LIMITS.startsHeldMs;
  const more = ask();
  state.nowMs += LIMITS.startsHeldMs;
  await look();
  expect(await more).toEqual(tooBusy(19));
});

test('a busy server holds requests until runs have ended, in the order in which they came', async () => {
  const { ask, look, state } = createServer({ runs: 3, isBusy: true, startsAtOnce: 10 });
  const entered: string[] = [];
  const note = async (name: string) => {
    if ((await ask()).leave !== undefined) entered.push(name);
  };
  const all = [note('first'), note('second'), note('third')];
  await look();
  expect(entered).toEqual([]);
  state.runs = 1;
  await look();
  await eventually(() => expect(entered).toEqual(['first', 'second']));
  state.runs = 0;
  all.push(note('late'));
  await look();
  await eventually(() => expect(entered).toEqual(['first', 'second', 'third']));
  state.isBusy = false;
  await look();
  await Promise.all(all);
  expect(entered).toEqual(['first', 'second', 'third', 'late']);
});

test('a request is held for so long at most', async () => {
  const { ask, look, state } = createServer({ runs: 3, isBusy: true });
  const held = ask();
  state.nowMs = LIMITS.startsHeldMs - 1;
  await look();
  state.nowMs = LIMITS.startsHeldMs;
  await look();
  expect(await held).toEqual(tooBusy(3));
});

// Bound: Start requests that a busy server holds.
test('so many requests are held at one time, and one more is refused at once', async () => {
  const { ask, look, state } = createServer({ runs: 3, isBusy: true, startsAtOnce: 9_999 });
  const held = Array.from({ length: LIMITS.startsHeld }, () => ask());
  expect(await ask({ subject: 'other' })).toEqual(tooBusy(3));
  state.isBusy = false;
  state.runs = -LIMITS.startsHeld;
  await look();
  expect(await Promise.all(held)).toEqual(held.map(() => accepted));
});

test('a request without its sender takes no place', async () => {
  const { ask, look, state } = createServer({ runs: 3, isBusy: true });
  let isGone = false;
  const left = ask({ isGone: () => isGone });
  const next = ask();
  isGone = true;
  state.runs = 2;
  await look();
  expect([await left, await next]).toEqual([tooBusy(2), accepted]);
});

test('held requests are admitted as earlier ones end', async () => {
  const { ask, look, state } = createServer({ runs: 3, isBusy: true });
  const [first, second, third] = [ask(), ask(), ask()];
  state.isBusy = false;
  await look();
  expect([await first, await second]).toEqual([accepted, accepted]);
  (await first).leave?.();
  await look();
  expect(await third).toEqual(accepted);
});

test('a server without held requests does not check', async () => {
  const { ask, look, state, timers } = createServer({ runs: 3, isBusy: true });
  const held = ask();
  state.isBusy = false;
  await look();
  expect(await held).toEqual(accepted);
  expect(timers.pending.size).toBe(0);
});

test('a closed admission admits no request, also no waiting one', async () => {
  const { admission, ask, look, state } = createServer({ runs: 3, isBusy: true });
  const waiting = ask();
  admission.close();
  const ending = {
    reason: 'ServiceUnavailable',
    message: 'The server ends. Try again later.',
    seconds: 1,
  };
  expect(await ask()).toEqual(ending);
  expect(await ask({ isDryRun: true })).toEqual(ending);
  state.isBusy = false;
  await look();
  state.nowMs = 5_000;
  await look();
  expect(await waiting).toMatchObject({ reason: 'ServiceUnavailable' });
});

test('requests count from when they are admitted until they are over', async () => {
  const { admission, ask } = createServer({});
  const { leave } = await ask();
  expect(admission.starting).toBe(1);
  leave?.();
  expect(admission.starting).toBe(0);
});
