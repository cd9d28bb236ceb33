import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

const never = new AbortController().signal;

test('the first caller is served first, and no more at a time than there are slots', async () => {
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

test('a caller that gives up waiting takes no slot', async () => {
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

test('a caller that wants several waits for all of them, and those behind wait too', async () => {
  const slots = createSlots(3);
  const never = new AbortController().signal;
  const order: string[] = [];
  const first = await slots.take(never, 2);
  const large = slots.take(never, 3).then((giveBack) => {
    order.push('large');
    giveBack();
  });
  const small = slots.take(never, 1).then(() => order.push('small'));
  first();
  await Promise.all([large, small]);
  expect(order).toEqual(['large', 'small']);
});

test('callers behind one that stops waiting go on, and more than there are is all of them', async () => {
  const slots = createSlots(2);
  const never = new AbortController().signal;
  const stop = new AbortController();
  await slots.take(never, 1);
  const large = slots.take(stop.signal, 9);
  const small = slots.take(never, 1);
  stop.abort(new Error('stopped'));
  await expect(large).rejects.toThrow('stopped');
  expect(await small).toEqual(expect.any(Function));
});
