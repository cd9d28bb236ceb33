import { expect, test } from 'vitest';
import { BLOCK_BYTES, findStart, type WantedEnd } from './find-start.ts';

const ALL: WantedEnd = {
  count: Number.POSITIVE_INFINITY,
  context: 0,
  isWanted: () => true,
  isCounted: () => true,
  isTooOld: () => false,
  learn: async () => {},
};

/** Finds the start in a log; returns the text behind it, and the amount read. */
async function found(log: string, wanted: Partial<WantedEnd>) {
  const all = Buffer.from(log);
  let read = 0;
  const client = {
    logPart: async (_id: string, range: { last: number } | { start: number; end: number }) => {
      const { start, end } =
        'last' in range ? { start: Math.max(0, all.length - range.last), end: all.length } : range;
      read += end - start;
      return { start, total: all.length, bytes: new Uint8Array(all.subarray(start, end)) };
    },
  };
  const start = await findStart(client, 'w', { ...ALL, ...wanted });
  return { text: all.toString('utf8', start), read };
}

test.each([
  ['one\ntwo\nthree\n', 1, 'three\n'],
  ['one\ntwo\nthree\n', 2, 'two\nthree\n'],
  ['one\ntwo\nthree\n', 9, 'one\ntwo\nthree\n'],
  ['one\ntwo', 1, 'two'],
  ['', 3, ''],
])('from %j the last %s', async (log, count, expected) => {
  expect((await found(log, { count })).text).toBe(expected);
});

const line = (index: number) => `[2026-01-31T12:00:00.000000] [job ${'0'.repeat(36)}] é ${index}\n`;
const LINES = Array.from({ length: 20_000 }, (_, index) => line(index));
const LARGE = LINES.join('');

test('the end of a large log is found in its last block', async () => {
  const { text, read } = await found(LARGE, { count: 10 });
  expect(text).toBe(LINES.slice(-10).join(''));
  expect(read).toBe(BLOCK_BYTES);
});

test('lines across the edges of blocks are whole, and characters in them', async () => {
  const seen: string[] = [];
  const isCounted = ({ text }: { text: string }) => {
    seen.push(text);
    return text.endsWith(' 7');
  };
  const { text } = await found(LARGE, { count: 1, isCounted });
  expect(text.startsWith(line(7))).toBe(true);
  expect(seen.toReversed()).toEqual(LINES.slice(7).map((_, index) => `é ${index + 7}`));
});

test('a line that is too old ends the search', async () => {
  const isTooOld = ({ text }: { text: string }) => Number(text.slice(2)) < 19_990;
  const { text, read } = await found(LARGE, { isTooOld });
  expect([text, read]).toEqual([LINES.slice(19_990).join(''), BLOCK_BYTES]);
});

test('a line longer than blocks is one line', async () => {
  const long = 'x'.repeat(3 * BLOCK_BYTES);
  expect((await found(`a\n${long}\nb\n`, { count: 2 })).text).toBe(`${long}\nb\n`);
});

test('lines around the first one that counts come with it', async () => {
  const counted = { count: 1, isCounted: ({ text }: { text: string }) => text === 'c', context: 2 };
  expect((await found('a\nb\nx\nc\nd\n', { ...counted, isWanted: ({ text }) => text !== 'x' })).text).toBe('a\nb\nx\nc\nd\n');
  expect((await found('0\na\nb\nc\nd\n', counted)).text).toBe('a\nb\nc\nd\n');
}); // biome-ignore format: one line for each log
