import { atOnce, type Steps } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { nextTurn, Turns } from './turns.ts';

test('of those who wait for a turn, one goes on in each', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let step = 1; step <= 2; step += 1) {
      await nextTurn();
      order.push(`${name}${step}`);
    }
  };
  let turns = 0;
  const count = () => {
    turns += 1;
    if (order.length < 6) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(['a', 'b', 'c'].map(work));
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  expect(turns).toBeGreaterThanOrEqual(6);
});

function* busySteps(count: number): Steps<string> {
  for (let step = 0; step < count; step += 1) {
    const sinceMs = performance.now();
    while (performance.now() - sinceMs < 1);
    yield;
  }
  return 'done';
}

test('long work lets others run', async () => {
  let others = 0;
  const look = () => {
    others += 1;
    if (others < 1_000) setImmediate(look);
  };
  setImmediate(look);
  expect(await new Turns().run(busySteps(40))).toBe('done');
  expect(others).toBeGreaterThan(0);
  others = 1_000;
});

test('steps can be carried out at once', () => {
  expect(atOnce(busySteps(3))).toBe('done');
});
