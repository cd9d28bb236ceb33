import { OrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { START_PATIENCE_MS, startPatiently } from './start-workflow.ts';

const busy = (retryAfterSeconds: number | null = null) =>
  new OrchestratorError('ServiceUnavailable', 'Later.', { retryAfterSeconds });

/** Starts with these refusals, one after the other; then it is accepted. */
async function play(refusals: readonly Error[], random = 0) {
  const pauses: number[] = [];
  const actual: string[] = [];
  const left = [...refusals];
  let now = 0;
  const start = async () => {
    const refusal = left.shift();
    if (refusal !== undefined) throw refusal;
    return 'started';
  };
  const ended = await startPatiently(start, {
    random: () => random,
    now: () => now,
    sleep: async (ms) => {
      now += ms;
      pauses.push(ms);
    },
    onRefused: ({ message }, pauseMs) => actual.push(`${message} ${pauseMs}`),
  }).catch((error: unknown) => error);
  return { ended, pauses, actual };
}

test.each([
  ['as long as it says', busy(7), 0, 7_000],
  ['up to half as long again', busy(8), 1, 12_000],
  ['five seconds where it says nothing', busy(), 0, 5_000],
  ['a second at least', busy(0), 0, 1_000],
  ['a minute where it says more', busy(3600), 0, 60_000],
  ['also where there are too many', new OrchestratorError('TooManyRequests', 'Later.'), 0, 5_000],
])('a server that is busy is asked again: %s', async (_what, refusal, random, expected) => {
  const { ended, pauses, actual } = await play([refusal, refusal], random);
  expect(ended).toBe('started');
  expect(pauses).toEqual([expected, expected]);
  expect(actual).toEqual([`Later. ${expected}`, `Later. ${expected}`]);
});

test('a start of unknown outcome is not repeated: the run may have begun', async () => {
  const details = { outcome: 'unknown' };
  const unknown = new OrchestratorError('ServiceUnavailable', 'Look first.', { details });
  expect(await play([unknown])).toEqual({ ended: unknown, pauses: [], actual: [] });
});

// Bound: Retries of `tutti run` and of the client to start a run.
test('a server that stays busy is given up, with what it says', async () => {
  const refusal = busy(60);
  const { ended, pauses } = await play(Array.from({ length: 100 }, () => refusal));
  expect(ended).toBe(refusal);
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(START_PATIENCE_MS);
});

test.each([
  new OrchestratorError('Invalid', 'No.'),
  new OrchestratorError('Conflict', 'No.'),
  new OrchestratorError('InternalError', 'No.'),
  new Error('The connection broke, so that nobody knows.'),
])(
  'a request that may have started something, or never will, is not repeated: %s',
  async (error) => {
    expect(await play([error])).toMatchObject({ ended: error, pauses: [] });
  },
);
