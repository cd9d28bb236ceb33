import { type PostedLines, status } from '@tutti/manifests';
import { expect, test, vi } from 'vitest';
import { silentLogger } from '../agent-logger.ts';
import type { Answer } from '../connection/http-connection.ts';
import {
  BATCH_BYTES_MAX,
  BYTE_PARTS_MAX,
  LINE_OVERHEAD_BYTES,
  PIECES_MAX,
  RUN_OVERHEAD_BYTES,
  WAITING_BYTES_MAX,
} from '../limits.ts';
import { runOf } from './output-lines.ts';
import { OutputSender, type PostBody } from './output-sender.ts';

const stored: Answer = { code: 200, body: status('OK', 'Stored.') };

interface Post {
  readonly body: PostBody;
  readonly answer: (answer: Answer) => void;
  readonly fail: () => void;
}

/** A sender with waits and answers under the test's control. */
function openSender({ batchesUnderWay = 1, takesBytes = false } = {}) {
  const posts: Post[] = [];
  const waits: { ms: number; end: () => void }[] = [];
  let roomReports = 0;
  let nowMs = 0;
  const sender = new OutputSender({
    commandId: 'j/0',
    batchesUnderWay,
    takesBytes,
    post: (body) =>
      new Promise((answer, reject) => {
        posts.push({ body, answer, fail: () => reject(new Error('connection reset')) });
      }),
    onRoom: () => {
      roomReports += 1;
    },
    logger: silentLogger,
    timing: {
      now: () => nowMs,
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
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const textOf = ({ body }: Post): string =>
  typeof body === 'string' ? body : Buffer.concat(body).toString();

const bodyOf = (post: Post): unknown => JSON.parse(textOf(post));

test('the first lines of a command are gathered for 25 ms, and its result takes them along', async () => {
  const { sender, posts, post, wait } = openSender();
  sender.append('stdout', runOf(['a']));
  expect((await wait(0)).ms).toBe(25);
  sender.append('stdout', runOf(['b']));
  expect(posts).toHaveLength(0);
  sender.finish({ exit_status: 0, variables: null });
  expect(bodyOf(await post(0))).toMatchObject({ output: [{ lines: 'a\nb' }], exit_status: 0 });
});

test('a line after a silence is sent at once, and later lines go together after at least 10 ms', async () => {
  const { sender, posts, post, wait, pass } = openSender();
  sender.append('stdout', runOf(['first']));
  (await wait(0)).end();
  (await post(0)).answer(stored);
  sender.append('stdout', runOf(['also']));
  const rest = await wait(1);
  expect(rest.ms).toBe(10);
  rest.end();
  (await post(1)).answer(stored);
  pass(10);
  sender.append('stdout', runOf(['a']));
  const second = await post(2);
  expect(bodyOf(second)).toEqual({
    command_id: 'j/0',
    sequence: 2,
    output: [{ stream: 'stdout', lines: ['a'] }],
  });
  sender.append('stdout', runOf(['b']));
  second.answer(stored);
  const gathering = await wait(2);
  sender.append('stderr', runOf(['c']));
  expect(posts).toHaveLength(3);
  gathering.end();
  expect(bodyOf(await post(3))).toEqual({
    command_id: 'j/0',
    sequence: 3,
    output: [
      { stream: 'stdout', lines: ['b'] },
      { stream: 'stderr', lines: ['c'] },
    ],
  });
});

test('the result goes at once, together with waiting output', async () => {
  const { sender, post, wait } = openSender();
  sender.append('stdout', runOf(['a']));
  (await wait(0)).end();
  const first = await post(0);
  sender.append('stdout', runOf(['b']));
  sender.finish({ exit_status: 3, variables: ['x=1'] });
  first.answer(stored);
  const last = await post(1);
  expect(bodyOf(last)).toEqual({
    command_id: 'j/0',
    sequence: 1,
    output: [{ stream: 'stdout', lines: ['b'] }],
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

const LINES_OF_BATCH = 16;
const LONG_LINE_SIZE = BATCH_BYTES_MAX / LINES_OF_BATCH;
const LONG_LINE = 'x'.repeat(
  LONG_LINE_SIZE - '\n'.length - LINE_OVERHEAD_BYTES - RUN_OVERHEAD_BYTES,
);
/** Each line for itself, so that sizes are exact. */
function appendBatches(sender: OutputSender, batches: number): void {
  for (let line = 0; line < batches * LINES_OF_BATCH; line += 1) {
    sender.append('stdout', runOf([LONG_LINE]));
  }
}

const splitLines = ({ lines }: PostedLines) =>
  typeof lines === 'string' ? lines.split('\n') : lines;

/** Summary of a batch, with the number of its lines in their place. */
function summaryOf(post: Post): unknown {
  const { output, ...rest } = JSON.parse(textOf(post));
  return { ...rest, lines: output.flatMap(splitLines).length };
}

test('a full batch does not wait for more', async () => {
  const { sender, post } = openSender();
  appendBatches(sender, 1);
  const first = await post(0);
  expect(summaryOf(first)).toMatchObject({ sequence: 0, lines: LINES_OF_BATCH });
  first.answer(stored);
  appendBatches(sender, 1);
  expect(summaryOf(await post(1))).toMatchObject({ sequence: 1, lines: LINES_OF_BATCH });
});

test('one batch is on its way at a time and numbers go up', async () => {
  const { sender, posts, post } = openSender();
  appendBatches(sender, 2);
  const first = await post(0);
  sender.finish({ exit_status: 0, variables: null });
  expect(posts).toHaveLength(1);
  first.answer(stored);
  expect(summaryOf(await post(1))).toEqual({
    command_id: 'j/0',
    sequence: 1,
    lines: LINES_OF_BATCH,
    exit_status: 0,
    variables: null,
    next: true,
  });
});

test('as many full batches are under way as the server takes, and each names the oldest', async () => {
  const { sender, posts, post } = openSender({ batchesUnderWay: 3 });
  appendBatches(sender, 4);
  sender.append('stdout', runOf(['end']));
  const [first, second, third] = [await post(0), await post(1), await post(2)];
  expect(posts.map(summaryOf)).toMatchObject([
    { sequence: 0, oldest: 0 },
    { sequence: 1, oldest: 0 },
    { sequence: 2, oldest: 0 },
  ]);
  first.answer(stored);
  const fourth = await post(3);
  expect(summaryOf(fourth)).toMatchObject({ sequence: 3, oldest: 1, lines: LINES_OF_BATCH });
  sender.finish({ exit_status: 0, variables: null });
  for (const { answer } of [second, third, fourth]) answer(stored);
  expect(summaryOf(await post(4))).toMatchObject({ sequence: 4, oldest: 4, lines: 1 });
});

test('a batch that is sent again says the same, and which is the oldest by then', async () => {
  const { sender, post, wait } = openSender({ batchesUnderWay: 3 });
  appendBatches(sender, 4);
  const [first, second] = [await post(0), await post(1)];
  second.fail();
  // The first wait was for the first output.
  const pause = await wait(1);
  first.answer(stored);
  await post(3);
  pause.end();
  const again = await post(4);
  const expected = textOf(second).replace('"oldest":0', '"oldest":1');
  expect(textOf(again) === expected, textOf(again).slice(0, 80)).toBe(true);
});

test('the result goes when all that is on its way was stored', async () => {
  const { sender, posts, post } = openSender({ batchesUnderWay: 3 });
  appendBatches(sender, 2);
  sender.finish({ exit_status: 0, variables: null });
  const sent = [await post(0), await post(1)];
  expect(posts.map(summaryOf)).toEqual([
    { command_id: 'j/0', oldest: 0, sequence: 0, lines: LINES_OF_BATCH },
    { command_id: 'j/0', oldest: 0, sequence: 1, lines: LINES_OF_BATCH },
  ]);
  for (const { answer } of sent) answer(stored);
  const last = await post(2);
  expect(summaryOf(last)).toMatchObject({ sequence: 2, exit_status: 0, lines: 0 });
  last.answer(stored);
  expect(await sender.ended).toBe('stored');
});

test('one batch that is not wanted ends all', async () => {
  const { sender, posts, post } = openSender({ batchesUnderWay: 3 });
  appendBatches(sender, 4);
  const [first, second] = [await post(0), await post(1)];
  second.answer({ code: 409, body: status('Conflict', 'Nobody waits.') });
  first.answer(stored);
  // Connections are dropped with the signal.
  posts[2]?.fail();
  expect(await sender.ended).toBe('unwanted');
  expect(posts).toHaveLength(3);
});

test.each([
  ['a broken connection', (post: Post) => post.fail()],
  ['a server error', (post: Post) => post.answer({ code: 500, body: undefined })],
  ['a refused token', (post: Post) => post.answer({ code: 401, body: undefined })],
])('after %s the very same batch is sent again, later', async (_what, interrupt) => {
  const { sender, post, wait } = openSender();
  sender.append('stdout', runOf(['a']));
  (await wait(0)).end();
  const first = await post(0);
  sender.append('stdout', runOf(['b']));
  interrupt(first);
  const pause = await wait(1);
  expect(pause.ms).toBe(50);
  pause.end();
  expect((await post(1)).body).toBe(first.body);
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
  sender.append('stdout', runOf(['late']));
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

test.each([1, 3])(
  'a sender that has too much to send says so, and says when there is room: %i at a time',
  async (batchesUnderWay) => {
    const { sender, posts, roomReports } = openSender({ batchesUnderWay });
    const lines = WAITING_BYTES_MAX / LONG_LINE_SIZE + 1;
    for (let count = 0; count < lines; count += 1) {
      expect(sender.isFull()).toBe(false);
      sender.append('stdout', runOf([LONG_LINE]));
    }
    // Output under way counts, too, because the server may never accept it.
    expect(sender.isFull()).toBe(true);
    let answered = 0;
    while (roomReports() === 0) {
      posts[answered]?.answer(stored);
      answered += 1;
      await vi.waitFor(() => expect(roomReports() > 0 || answered in posts).toBe(true));
    }
    expect(sender.isFull()).toBe(false);
    expect(answered).toBeGreaterThan(1);
  },
);

test('a server that takes bytes gets output as it was printed, and a result as a document', async () => {
  const { sender, post, wait } = openSender({ batchesUnderWay: 3, takesBytes: true });
  sender.append('stdout', { bytes: Buffer.from('a\né\r\n'), count: 2, end: null });
  sender.append('stdout', runOf(['piece'], 'open'));
  sender.append('stderr', runOf(['b']));
  (await wait(0)).end();
  const first = await post(0);
  const parts = [
    { stream: 'stdout', open: true, bytes: 11 },
    { stream: 'stderr', bytes: 2 },
  ];
  const head = { oldest: 0, command_id: 'j/0', sequence: 0, output: parts };
  expect(textOf(first)).toBe(`${JSON.stringify(head)}\na\né\r\npieceb\n`);
  sender.append('stdout', runOf(['end']));
  sender.finish({ exit_status: 0, variables: null });
  first.answer(stored);
  const output = [{ stream: 'stdout', lines: ['end'] }];
  expect(bodyOf(await post(1))).toMatchObject({ sequence: 1, output, exit_status: 0 });
});

test('output of streams that take turns all the time is a document', async () => {
  const { sender, post, wait } = openSender({ takesBytes: true });
  for (let turn = 0; turn <= BYTE_PARTS_MAX; turn += 1) {
    sender.append(turn % 2 === 0 ? 'stdout' : 'stderr', runOf(['x']));
  }
  (await wait(0)).end();
  expect((await post(0)).body).toBeTypeOf('string');
});

test('many small pieces are one', async () => {
  const { sender, post, wait } = openSender({ takesBytes: true });
  for (let line = 0; line <= PIECES_MAX; line += 1) sender.append('stdout', runOf(['x']));
  (await wait(0)).end();
  const { body } = await post(0);
  expect(body.slice(1)).toEqual([Buffer.from('x\n'.repeat(PIECES_MAX + 1))]);
});
