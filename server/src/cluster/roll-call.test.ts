import { expect, test } from 'vitest';
import { type Member, RollCall } from './roll-call.ts';

const member = (replica: string, beat: number): Member => ({
  ...{ replica, beat, address: '', version: '', level: 1, configuration: '' },
  state: 'up',
});

const deadOf = (call: RollCall, ...members: readonly Member[]) =>
  call.note(members).map(({ replica }) => replica);

test('a replica is dead after four heartbeats in which it did not change', () => {
  const call = new RollCall(4);
  expect(deadOf(call, member('a', 7), member('b', 1))).toEqual([]);
  for (const beat of [2, 3, 4]) {
    expect(deadOf(call, member('a', 7), member('b', beat))).toEqual([]);
  }
  expect(deadOf(call, member('a', 7), member('b', 5))).toEqual(['a']);
});

test('any sign of life begins the count anew', () => {
  const call = new RollCall(2);
  for (const beat of [1, 1, 2, 2, 3, 3]) expect(deadOf(call, member('a', beat))).toEqual([]);
  expect(deadOf(call, member('a', 3))).toEqual(['a']);
});

test('heartbeats from before the database was away do not count', () => {
  const call = new RollCall(1);
  deadOf(call, member('a', 1));
  call.forget();
  expect(deadOf(call, member('a', 1))).toEqual([]);
  expect(deadOf(call, member('a', 1))).toEqual(['a']);
});

test('a replica that left is forgotten', () => {
  const call = new RollCall(1);
  deadOf(call, member('a', 1));
  deadOf(call);
  expect(deadOf(call, member('a', 1))).toEqual([]);
  expect(deadOf(call, member('a', 1))).toEqual(['a']);
});
