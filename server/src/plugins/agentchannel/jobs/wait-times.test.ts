import type { Timestamp } from '@tutti/manifests';
import type { Job } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { WAIT_TIMES_LIMITS, WaitTimes } from './wait-times.ts';

const job = { requestedAt: '1970-01-01T00:00:00.000000' as Timestamp } as Job;
const asked = (...tags: string[]) => ({ namespace: 'default', tags });

test('the usual wait is the median of the newest, whatever the order of the tags', () => {
  const waits = new WaitTimes();
  expect(waits.usual(asked('a'))).toBeNull();
  for (const ms of [900, 100, 200]) waits.note(asked('a', 'b'), job, ms);
  expect(waits.usual(asked('b', 'a', 'b'))).toBe(200);
  expect(waits.usual({ ...asked('a', 'b'), namespace: 'other' })).toBeNull();
  for (let times = 0; times < WAIT_TIMES_LIMITS.times; times += 1) {
    waits.note(asked('a', 'b'), job, 5_000);
  }
  expect(waits.usual(asked('a', 'b'))).toBe(5_000);
});

test('a job that is gone, or has not asked, counts nowhere', () => {
  const waits = new WaitTimes();
  waits.note(asked('a'), null, 100);
  waits.note(asked('a'), { ...job, requestedAt: null }, 100);
  expect(waits.usual(asked('a'))).toBeNull();
});

test('the set of tags that was used least recently is forgotten', () => {
  const waits = new WaitTimes();
  waits.note(asked('used'), job, 1);
  waits.note(asked('unused'), job, 1);
  waits.note(asked('used'), job, 1);
  for (let set = 2; set <= WAIT_TIMES_LIMITS.sets; set += 1) waits.note(asked(`${set}`), job, 1);
  expect(waits.usual(asked('used'))).toBe(1);
  expect(waits.usual(asked('unused'))).toBeNull();
});
