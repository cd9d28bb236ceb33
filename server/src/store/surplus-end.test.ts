import { expect, test } from 'vitest';
import { timestamp } from './conformance/samples.ts';
import type { RunEnd } from './store.ts';
import { surplusEnd } from './surplus-end.ts';

/** Ends of runs in a row, and how many of them were passed. */
function endsOf(count: number) {
  const read: number[] = [];
  const endBefore = async ({ place }: RunEnd, ends: number): Promise<RunEnd | null> => {
    read.push(ends);
    const found = Math.min(place, count) - ends;
    return found < 1 ? null : { at: timestamp(found), place: found };
  };
  return { read, endBefore };
}

test('many ends are passed in several turns, each once', async () => {
  const ends = endsOf(30_000);
  const last = await surplusEnd(ends, { before: timestamp(0), kept: 25_000 });
  expect([last.place, ends.read]).toEqual([5_000, [10_000, 10_000, 5_000]]);
});

test.each([
  ['too many', 100, 40, 0, 60],
  ['none that is too many', 100, 100, 0, 0],
  ['fewer than a portion of those that stay', 100, 25_000, 0, 0],
])('%s of the ends are surplus', async (_, count, kept, before, expected) => {
  const last = await surplusEnd(endsOf(count), { before: timestamp(before), kept });
  expect(last.place).toBe(expected);
});

test('where the time says more than the number, it counts', async () => {
  const last = await surplusEnd(endsOf(100), { before: timestamp(80), kept: 40 });
  expect(last).toEqual({ at: timestamp(80), place: 0 });
});
