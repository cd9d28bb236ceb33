/** Time limits: of steps, of provider steps, of jobs that wait and that run, of the whole run. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { describe, expect, test } from 'vitest';
import { durationText, earliest, nextDeadline } from './deadlines.ts';
import { emptyRun } from './run.ts';
import { given } from './testing/given.ts';
import {
  answer,
  cancel,
  type Happening,
  job,
  minute,
  NOON_MS,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

/** Minutes from the begin of the run to its next deadline. */
function deadlineAfter(...happened: readonly Happening[]): number | null {
  const deadlineMs = nextDeadline(given(...happened).run);
  return deadlineMs === null ? null : (deadlineMs - NOON_MS) / 60_000;
}

test.each([
  [[], null],
  [[null, null], null],
  [[null, 3, null, 2], 2],
])('the earliest of %j is %j', (deadlines, expected) => {
  expect(earliest(deadlines)).toBe(expected);
});

test.each([
  [0, '0 milliseconds'],
  [1, '1 millisecond'],
  [60, '60 milliseconds'],
  [949.6, '950 milliseconds'],
  [960, '1 second'],
  [1000, '1 second'],
  [1500, '1.5 seconds'],
  [59_940, '59.9 seconds'],
  [59_960, '1 minute'],
  [60_000, '1 minute'],
  [90_000, '1.5 minutes'],
  [21_600_000, '360 minutes'],
])('%d milliseconds read %s', (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
});

describe('a run looks at the clock next', () => {
  const begin = workflow(
    { a: job([{ id: 's', run: 'x', 'timeout-minutes': 3 }, 'y'], { 'timeout-minutes': 10 }) },
    { 'timeout-minutes': 12 },
  );

  test.each<[string, readonly Happening[], number | null]>([
    ['when its job has waited too long', [begin], 10],
    ['when the step has run too long', [begin, minute(9), offer('a')], 12],
    ['when the step takes too long', [begin, offer('a')], 3],
    ['when the job takes too long', [begin, offer('a'), minute(1), result('a')], 10],
    [
      'when the run takes too long, while a job is released',
      [begin, offer('a'), result('a'), result('a')],
      12,
    ],
    ['never, once it ended', [begin, offer('a'), result('a'), result('a'), released('a')], null],
  ])('%s', (_what, happened, expected) => {
    expect(deadlineAfter(...happened)).toBe(expected);
  });

  test('never before it began', () => {
    expect(nextDeadline(emptyRun)).toBeNull();
  });

  // Language 1.7: A job has 360 minutes if it says nothing.
  test('after six hours where the job says nothing', () => {
    expect(deadlineAfter(workflow({ a: job(['x']) }))).toBe(360);
  });
});

describe('a step that takes too long', () => {
  const limited = { id: 's', run: 'x', 'timeout-minutes': '${{ 2 }}' };
  const begin = workflow({ a: job([limited, 'y']) });

  // Language 1.7: A step that takes too long is killed.
  test('is stopped, once, and fails whatever its status', () => {
    given(begin, offer('a')).when(minute(1.9)).follows();
    given(begin, offer('a')).when(minute(2)).follows('overtime s', 'stop s: timeout');
    given(begin, offer('a'), minute(2)).when(minute(3)).follows();
    given(begin, offer('a'), minute(2))
      .when(result('a', 0))
      .follows('result a 0: 0', 'step s1: skipped', 'release a: failure');
  });

  test('is forgiven under continue-on-error', () => {
    const forgiving = workflow({ a: job([{ ...limited, 'continue-on-error': true }, 'y']) });
    given(forgiving, offer('a'), minute(2))
      .when(result('a', 143))
      .follows('result a 0: 143', 'run a 1: y');
  });

  const uuid = '00000000-0000-4000-8000-000000000001';
  const limit = { run: 'x', 'timeout-minutes': 2 };
  const hook = (before: readonly object[]) => ({
    hooks: [{ name: 'watch', events: [{ channel: 'setup' as const }], before }],
  });

  test.each<[string, Happening, readonly Happening[], string]>([
    ['its name', workflow({ a: job([{ ...limit, name: 'Load' }]) }), [], 'Step "Load" of job "a"'],
    [
      'its name as it was evaluated',
      workflow({ a: job([{ ...limit, name: 'Load ${{ 2 }}' }]) }),
      [],
      'Step "Load 2" of job "a"',
    ],
    ['its id', workflow({ a: job([{ ...limit, id: 'load' }]) }), [], 'Step "load" of job "a"'],
    [
      'its position, where it has neither',
      workflow({ a: job(['first', { ...limit, id: uuid }]) }),
      [result('a')],
      'Step 2 of job "a"',
    ],
    [
      'its position in a hook',
      workflow({ a: job(['x']) }, hook([{ ...limit, id: uuid }])),
      [],
      'Step 1 of hook "watch" in job "a"',
    ],
    [
      'its position in a function',
      workflow({ a: job([{ id: 'call', uses: 'a/b@v1' }]) }),
      [answer('a', [{ ...limit, id: uuid }])],
      'Step 1 of a/b@v1 in job "a"',
    ],
    [
      'the function whose limit it was',
      workflow({
        a: job([{ id: 'call', uses: 'a/b@v1', name: 'Call ${{ 1 }}', 'timeout-minutes': 2 }]),
      }),
      [answer('a', [{ id: 'deep', uses: 'c/d@v1' }]), answer('a', [{ ...limit, id: uuid }])],
      'Step "Call 1" of job "a"',
    ],
  ])('is told by %s', (_what, begin, happened, who) => {
    const { events } = given(begin, offer('a'), ...happened).when(minute(2));
    expect(events[0]).toMatchObject({
      kind: 'Notification',
      spec: { 'tutti.timeout': 'step', logs: [`${who} stopped: it ran longer than 2 minutes.`] },
    });
  });

  test('has its time from its own begin on, and tells it', () => {
    const begin = workflow({ a: job(['x', { ...limit, id: 's' }], { 'timeout-minutes': 60 }) });
    const { events } = given(begin, offer('a'), minute(7), result('a')).when(minute(9));
    expect(events[0]).toMatchObject({
      metadata: { step_id: 's', step_origin: [] },
      spec: { logs: ['Step "s" of job "a" stopped: it ran longer than 2 minutes.'] },
    });
  });

  test('that ends in time has no deadline left', () => {
    given(begin, offer('a'), minute(1), result('a')).when(minute(2)).follows();
  });
});

describe('a provider step that takes too long', () => {
  const call = { id: 'call', uses: 'a/b@v1', 'timeout-minutes': 5 };
  const begin = workflow({ a: job([call, { id: 'last', run: 'x', if: 'failure()' }]) });

  test('fails when its provider does not answer; a late answer is refused', () => {
    const late = [begin, offer('a'), minute(5)];
    const { events } = given(begin, offer('a'))
      .when(minute(5))
      .follows('step call: failure', 'run a 0: x');
    expect(events[0]).toMatchObject({
      metadata: { step_id: 'call', step_origin: [] },
      spec: {
        logs: ['ERROR,Function "a/b@v1" gave no answer within the step\'s timeout-minutes.'],
      },
    });
    given(...late)
      .when(answer('a', [], { stepId: 'call' }))
      .refuses('no provider is waited for at this step');
  });

  test('has the step of it stopped that runs', () => {
    const inner = { id: 'inner', run: 'x', 'timeout-minutes': 60 };
    given(begin, offer('a'), minute(4), answer('a', [inner]))
      .when(minute(5))
      .follows('overtime inner', 'stop inner: timeout');
    given(begin, offer('a'), answer('a', [inner]), minute(5))
      .when(result('a', 143))
      .follows('result a 0: 143', 'step call: failure', 'run a 1: x');
  });

  test('has the provider within it given up', () => {
    given(begin, offer('a'), answer('a', [{ id: 'inner', uses: 'c/d@v1' }]))
      .when(minute(5))
      .follows('step inner: failure', 'step call: failure', 'run a 0: x');
  });
});

describe('a job that takes too long', () => {
  const clean = { id: 'clean', run: 'clean', if: 'always()' };
  const begin = workflow({
    a: job(['x', 'y', clean, { ...clean, id: 'clean2' }], { 'timeout-minutes': 10 }),
    b: job(['z'], { needs: 'a', if: 'always()' }),
  });
  const begun = [begin, minute(5), offer('a')];

  // Language 3.2: Without an offer the request is repeated until the time of the job is over.
  test('to find an environment is cancelled; an offer that comes later is refused', () => {
    const { events } = given(begin)
      .when(minute(10))
      .follows('ended a: cancelled', 'request b on linux');
    expect(events[0]).toMatchObject({
      spec: { logs: ['Job "a" canceled: no environment for it within 10 minutes.'] },
    });
    given(begin, minute(10)).when(offer('a')).refuses('the job needs no environment (any more)');
  });

  test('reads in a unit that fits its limit', () => {
    const short = workflow({ a: job(['x'], { 'timeout-minutes': 0.05 }) });
    const { events } = given(short)
      .when(minute(1))
      .follows('ended a: cancelled', 'canceled {"reason":"Job \\"a\\" failed."}');
    expect(events[0]).toMatchObject({
      spec: { logs: ['Job "a" canceled: no environment for it within 3 seconds.'] },
    });
  });

  test('has its time from the offer on', () => {
    given(...begun)
      .when(minute(14.9))
      .follows();
    const { events } = given(...begun)
      .when(minute(15))
      .follows('overtime', 'stop s0: canceled');
    expect(events[0]).toMatchObject({
      spec: { logs: ['Job "a" canceled: it ran longer than 10 minutes.'] },
    });
  });

  // Language 1.7: A job that takes too long is cancelled.
  test('cleans up, and ends cancelled', () => {
    given(...begun, minute(15))
      .when(result('a', 143))
      .follows('result a 0: 143', 'step s1: skipped', 'run a 1: clean');
    const cleaning = [...begun, minute(15), result('a', 143), result('a')];
    given(...cleaning)
      .when(result('a'))
      .follows('result a 2: 0', 'release a: cancelled');
    given(...cleaning, result('a'))
      .when(released('a'))
      .follows('released a', 'request b on linux');
  });

  test('has five minutes to clean up', () => {
    const cleaning = [...begun, minute(15), result('a', 143)];
    given(...cleaning)
      .when(minute(19.9))
      .follows();
    given(...cleaning)
      .when(minute(20))
      .follows('overtime', 'stop clean: canceled');
    given(...cleaning, minute(20))
      .when(result('a', 143))
      .follows('result a 1: 143', 'step clean2: skipped', 'release a: cancelled');
    expect(deadlineAfter(...cleaning, minute(20))).toBeNull();
  });

  test('does not wait for a provider any more', () => {
    const calling = workflow({
      a: job([{ id: 'call', uses: 'a/b@v1' }, clean], { 'timeout-minutes': 10 }),
    });
    given(calling, offer('a')).when(minute(10)).follows('overtime', 'run a 0: clean');
  });
});

describe('a run that takes too long', () => {
  const begin = workflow(
    { a: job(['x']), b: job(['y'], { if: 'always()' }) },
    { 'timeout-minutes': 30 },
  );
  const reason = 'The workflow took longer than its timeout-minutes.';

  // Language 1.2: `timeout-minutes` of the whole run: a number or an expression.
  test('is cancelled by the server, once', () => {
    const { run } = given(begin, offer('a'))
      .when(minute(30))
      .follows(`cancel ${reason}`, 'stop s0: canceled');
    expect(run.cancellation).toEqual({ reason, source: 'arranger', cause: 'timeout' });
    given(begin, offer('a'), minute(30), offer('b')).when(minute(31)).follows();
  });

  test('ends without the mark of a cancellation by a user', () => {
    given(workflow({ a: job(['x']) }, { 'timeout-minutes': 30 }))
      .when(minute(30))
      .follows(
        `cancel ${reason}`,
        'ended a: cancelled',
        `canceled ${JSON.stringify({ reason, source: 'arranger' })}`,
      );
  });

  test('may still be cancelled by a user', () => {
    given(begin, offer('a'), minute(30), offer('b'), result('a', 143), released('a'))
      .when(cancel('now'))
      .follows('cancel now', 'stop s0: canceled');
  });

  test('whose limit cannot be evaluated ends at once', () => {
    const { run } = given()
      .when(workflow({ a: job(['x']) }, { 'timeout-minutes': '${{ oops }}' }))
      .follows(
        'workflow demo',
        'error timeout-minutes: Invalid expression "oops": Invalid segment oops or incorrect function call at position 1.',
        'ended a: cancelled',
        'canceled {"reason":"timeout-minutes: Invalid expression \\"oops\\": Invalid segment oops or incorrect function call at position 1."}',
      );
    expect(run.phase).toBe('FAILED');
  });
});
