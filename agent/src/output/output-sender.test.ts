import { status } from '@tutti/manifests';
import { expect, test, vi } from 'vitest';
import { silentLogger } from '../agent-logger.ts';
import type { Answer } from '../connection/http-connection.ts';
import { WAITING_BYTES_MAX } from '../limits.ts';
import { createOutputSender } from './output-sender.ts';

const stored: Answer = { code: 200, body: status('OK', 'Stored.') };

interface Post {
  readonly json: string;
  readonly answer: (answer: Answer) => void;
  readonly fail: () => void;
}

/** A sender whose waits end when the test says so, and whose posts the test answers. */
function openSender() {
  const posts: Post[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  let roomReports = 0;
  const sender = createOutputSender({
    commandId: 'j/0',
    post: (json) =>
      new Promise((answer, reject) => {
        posts.push({ json, answer, fail: () => reject(new Error('connection reset')) });
      }),
    onRoom: () => {
      roomReports += 1;
    },
    logger: silentLogger,
    timing: {
      now: () => 0,
      random: () => 1,
      wait: (ms, signal) =>
        new Promise((end) => {
          waits.push({ ms, end });
          signal?.addEventListener('abort', () => end(), { once: true });
        }),
    },
  });
  const at = <T>(list: readonly T[], index: number): Promise<T> =>
    vi.waitFor(
      () => {
        const item = list[index];
        if (item === undefined) throw new Error(`There is no item ${index}.`);
        return item;
      },
      { interval: 1, timeout: 20_000 },
    );
  return {
    sender,
    posts,
    post: (index: number) => at(posts, index),
    wait: (index: number) => at(waits, index),
    roomReports: () => roomReports,
  };
}

const bodyOf = ({ json }: Post): unknown => JSON.parse(json);

test('lines are gathered for 25 ms and sent together', async () => {
  const { sender, post, wait } = openSender();
  sender.append('stdout', ['a']);
  const gathering = await wait(0);
  expect(gathering.ms).toBe(25);
  sender.append('stderr', ['b']);
  gathering.end();
  expect(bodyOf(await post(0))).toEqual({
    command_id: 'j/0',
    sequence: 0,
    output: [
      { stream: 'stdout', lines: ['a'] },
      { stream: 'stderr', lines: ['b'] },
    ],
  });
});

test('the result goes at once, with what waits', async () => {
  const { sender, post } = openSender();
  sender.append('stdout', ['a']);
  sender.finish({ exit_status: 3, variables: ['x=1'] });
  const last = await post(0);
  expect(bodyOf(last)).toEqual({
    command_id: 'j/0',
    sequence: 0,
    output: [{ stream: 'stdout', lines: ['a'] }],
    exit_status: 3,
    variables: ['x=1'],
    next: true,
  });
  last.answer(stored);
  expect(await sender.ended).toBe('stored');
});

test('a command without output sends its result alone', async () => {
  const { sender, post } = openSender();
  sender.finish({ exit_status: 0, variables: null });
  expect(bodyOf(await post(0))).toEqual({
    command_id: 'j/0',
    sequence: 0,
    output: [],
    exit_status: 0,
    variables: null,
    next: true,
  });
});

test('a full batch does not wait for more', async () => {
  const { sender, post } = openSender();
  const line = 'x'.repeat(64 * 1024);
  sender.append(
    'stdout',
    Array.from({ length: 5 }, () => line),
  );
  expect(bodyOf(await post(0))).toMatchObject({ output: [{ lines: [line, line, line] }] });
});

test('one batch is on its way at a time and numbers go up', async () => {
  const { sender, posts, post, wait } = openSender();
  sender.append('stdout', ['a']);
  (await wait(0)).end();
  const first = await post(0);
  sender.append('stdout', ['b']);
  sender.finish({ exit_status: 0, variables: null });
  expect(posts).toHaveLength(1);
  first.answer(stored);
  expect(bodyOf(await post(1))).toMatchObject({
    sequence: 1,
    output: [{ lines: ['b'] }],
    exit_status: 0,
  });
});

test.each([
  ['a broken connection', (post: Post) => post.fail()],
  ['a server error', (post: Post) => post.answer({ code: 500, body: undefined })],
  ['a refused token', (post: Post) => post.answer({ code: 401, body: undefined })],
])('after %s the very same batch is sent again, later', async (_what, interrupt) => {
  const { sender, post, wait } = openSender();
  sender.append('stdout', ['a']);
  (await wait(0)).end();
  const first = await post(0);
  sender.append('stdout', ['b']);
  interrupt(first);
  const pause = await wait(1);
  expect(pause.ms).toBe(50);
  pause.end();
  expect((await post(1)).json).toBe(first.json);
});

test.each([
  [409, status('Conflict', 'Nobody waits.'), 'unwanted'],
  [404, status('NotFound', 'Agent a not known.'), 'unknown-agent'],
  [413, status('PayloadTooLarge', 'Too large.'), 'unwanted'],
])('code %i ends the sender', async (code, body, outcome) => {
  const { sender, posts, post } = openSender();
  sender.finish({ exit_status: 0, variables: null });
  (await post(0)).answer({ code, body });
  expect(await sender.ended).toBe(outcome);
  sender.append('stdout', ['late']);
  expect(posts).toHaveLength(1);
});

test('abandoning ends the sender wherever it is', async () => {
  const idle = openSender();
  idle.sender.abandon();
  expect(await idle.sender.ended).toBe('abandoned');

  const waiting = openSender();
  waiting.sender.finish({ exit_status: 0, variables: null });
  (await waiting.post(0)).fail();
  await waiting.wait(0);
  waiting.sender.abandon();
  expect(await waiting.sender.ended).toBe('abandoned');
});

test('a sender that has too much to send says so, and says when there is room', async () => {
  const { sender, post, roomReports } = openSender();
  const line = 'x'.repeat(64 * 1024);
  const lines = WAITING_BYTES_MAX / line.length + 1;
  sender.append(
    'stdout',
    Array.from({ length: lines }, () => line),
  );
  expect(sender.isFull()).toBe(true);
  let answered = 0;
  for (; roomReports() === 0; answered += 1) (await post(answered)).answer(stored);
  expect(sender.isFull()).toBe(false);
  expect(answered).toBeGreaterThan(5);
});
