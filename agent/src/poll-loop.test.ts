import { REASON_CODES, type Reason, status } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { silentLogger } from './agent-logger.ts';
import type { Answer } from './connection/http-connection.ts';
import { BACKOFF_MS_MAX, POLL_HELD_MS_MIN, REFUSALS_MAX } from './limits.ts';
import { pollCommands } from './poll-loop.ts';

const answer = (reason: Reason, details: object | null = null): Answer => ({
  code: REASON_CODES[reason],
  body: reason === 'NoContent' ? undefined : status(reason, reason, details),
});

const cancel = answer('OK', { kind: 'cancel', command_id: 'j/0' });
const nothing = answer('NoContent');

interface Step {
  readonly give: Answer | Error;
  /** Time that the server holds the poll. */
  readonly heldMs?: number;
  /** Result of handling the command. */
  readonly isNew?: boolean;
}

/** Plays the steps, then stops; gives the end and the pauses between the polls. */
async function play(steps: readonly Step[], renewsToken = false) {
  const stopping = new AbortController();
  const pauses: number[] = [];
  let now = 0;
  let next = 0;
  let current: Step | undefined;
  const end = await pollCommands({
    ask: async () => {
      current = steps[next];
      next += 1;
      if (next >= steps.length) stopping.abort();
      if (current === undefined) throw new Error('There are no more steps.');
      now += current.heldMs ?? 0;
      if (current.give instanceof Error) throw current.give;
      return current.give;
    },
    handle: async () => current?.isNew ?? true,
    renewsToken,
    reachability: { reached: () => undefined, missed: () => undefined },
    signal: stopping.signal,
    logger: silentLogger,
    timing: {
      now: () => now,
      random: () => 1,
      wait: async (ms) => void pauses.push(ms),
    },
  });
  return { end, pauses, polls: next };
}

test.each<[string, Step[], number[]]>([
  ['a command', [{ give: cancel }, { give: cancel }], []],
  ['an empty answer that was held', [{ give: nothing, heldMs: POLL_HELD_MS_MIN }], []],
  ['empty answers that were not held', [{ give: nothing }, { give: nothing }], [50, 100]],
  ['a broken connection', [{ give: new Error('reset') }], [50]],
  ['a server error', [{ give: answer('InternalError') }], [50]],
  [
    'a server that says when to come again',
    [{ give: { ...answer('ServiceUnavailable'), retryAfterMs: 7_000 } }, { give: new Error('x') }],
    [10_500, 100],
  ],
  ['a command known already', [{ give: cancel, isNew: false }], [50]],
  ['a command of an unknown kind', [{ give: answer('OK', { kind: 'dance' }) }], [50]],
  [
    'a failure after a success',
    [{ give: new Error('x') }, { give: cancel }, { give: nothing }],
    [50, 50],
  ],
])('after %s the pauses are right', async (_what, steps, expected) => {
  const { end, pauses } = await play(steps);
  expect(end).toEqual({ why: 'stopped' });
  expect(pauses).toEqual(expected);
});

// Bound: Pause between retries of the agent.
test('a server that is away is asked again for ever, at most every five seconds', async () => {
  const { pauses } = await play(Array.from({ length: 50 }, () => ({ give: new Error('refused') })));
  expect(pauses).toHaveLength(50);
  expect(Math.max(...pauses)).toBe(BACKOFF_MS_MAX);
});

test('a server that does not know the agent ends the loop', async () => {
  const { end, polls } = await play([{ give: answer('NotFound') }, { give: cancel }]);
  expect(end).toEqual({ why: 'unknown-agent' });
  expect(polls).toBe(1);
});

test('a token of a file is replaced at any time', async () => {
  const refusals = Array.from({ length: 2 * REFUSALS_MAX }, () => ({
    give: answer('Unauthorized'),
  }));
  const { end } = await play([...refusals, { give: cancel }], true);
  expect(end).toEqual({ why: 'stopped' });
});

test('a token that is refused again and again ends the loop', async () => {
  const refusal = answer('Unauthorized');
  const steps = Array.from({ length: REFUSALS_MAX + 1 }, () => ({ give: refusal }));
  const { end, polls } = await play(steps);
  expect(end).toEqual({ why: 'refused', answer: refusal });
  expect(polls).toBe(REFUSALS_MAX);
});

test('a token that is renewed in time does not', async () => {
  const refusals = Array.from({ length: REFUSALS_MAX - 1 }, () => ({
    give: answer('Unauthorized'),
  }));
  const { end } = await play([...refusals, { give: cancel }, ...refusals]);
  expect(end).toEqual({ why: 'stopped' });
});
