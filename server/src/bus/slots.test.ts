import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

const never = new AbortController().signal;

test('who comes first is served first, and no more at a time than there are slots', async () => {
  const slots = createSlots(2);
  const order: string[] = [];
  const take = async (name: string) => {
    const giveBack = await slots.take(never);
    order.push(name);
    return giveBack;
  };
  const [first] = await Promise.all([take('a'), take('b')]);
  const third = take('c');
  const fourth = take('d');
  await Promise.resolve();
  expect(order).toEqual(['a', 'b']);
  first();
  const giveBack = await third;
  expect(order).toEqual(['a', 'b', 'c']);
  giveBack();
  await fourth;
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

test('who gives up waiting takes no slot', async () => {
  const slots = createSlots(1);
  const giveBack = await slots.take(never);
  const abort = new AbortController();
  const waiting = slots.take(abort.signal);
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(slots.take(abort.signal)).rejects.toThrow('enough');
  giveBack();
  await slots.take(never);
});
