import { expect, test } from 'vitest';
import { LongBodies } from './long-bodies.ts';

const never = new AbortController().signal;

/** Entries 1 and 2 have the same body, each other one its own, of four bytes. */
function bodiesOf(bytesMax: number) {
  const reads: number[] = [];
  const bodies = new LongBodies(
    {
      outboxBody: async (position) =>
        position > 9 ? null : { key: position < 3 ? 'shared' : `${position}`, bytes: 4 },
      outboxBytes: async (position) => {
        reads.push(position);
        return Buffer.from('body');
      },
    },
    bytesMax,
  );
  return { bodies, reads };
}

test('readers of a body at one time share one copy, which is read anew afterwards', async () => {
  const { bodies, reads } = bodiesOf(4);
  const held = await Promise.all([1, 2, 1].map((position) => bodies.take(position, never)));
  expect(new Set(held.map((each) => each?.content)).size).toBe(1);
  expect(reads).toHaveLength(1);
  for (const each of held) each?.release();
  (await bodies.take(2, never))?.release();
  expect(reads).toHaveLength(2);
});

// Bound: Bodies above 16 KiB in memory while they are sent.
test('the sum of what is held is bounded: others wait until it is released', async () => {
  const { bodies, reads } = bodiesOf(8);
  const held = await Promise.all([3, 4].map((position) => bodies.take(position, never)));
  const waiting = bodies.take(5, never);
  await bodies.take(10, never);
  expect(reads).toEqual([3, 4]);
  held[0]?.release();
  expect((await waiting)?.content.toString()).toBe('body');
  expect(reads).toEqual([3, 4, 5]);
});

test('a reader that stops waiting takes nothing', async () => {
  const { bodies, reads } = bodiesOf(4);
  const held = await bodies.take(3, never);
  const stop = new AbortController();
  const waiting = bodies.take(4, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  held?.release();
  expect((await bodies.take(5, never))?.content.length).toBe(4);
  expect(reads).toEqual([3, 5]);
});

test('an entry that was removed has no body', async () => {
  expect(await bodiesOf(4).bodies.take(10, never)).toBeNull();
});
