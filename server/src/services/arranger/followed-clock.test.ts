import { formatTimestamp, type WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { FollowedClock } from './followed-clock.ts';

const ID = '00000000-0000-4000-8000-000000000001' as WorkflowId;
const MINUTE = 60_000;

function setUp(deadlineMs: number) {
  const time = { nowMs: 10 * MINUTE, monotonicMs: 0 };
  const jumps: number[] = [];
  const clock: FollowedClock = new FollowedClock(
    {
      now: () => time.nowMs,
      timestamp: () => formatTimestamp(time.nowMs),
      monotonicMs: () => time.monotonicMs,
    },
    (ms) => {
      jumps.push(ms);
      clock.move(ID, [deadlineMs], ms);
    },
  );
  const pass = (ms: number) => {
    time.nowMs += ms;
    time.monotonicMs += ms;
  };
  return { clock, time, jumps, pass };
}

test('deadlines stay where they are while the clocks go on together', () => {
  const { clock, time, jumps, pass } = setUp(20 * MINUTE);
  pass(5 * MINUTE);
  time.nowMs += 900;
  clock.now();
  expect([jumps, clock.movedOf(ID).size]).toEqual([[], 0]);
});

test('deadlines move as far as the clock jumps, there and back', () => {
  const { clock, time, jumps, pass } = setUp(20 * MINUTE);
  time.nowMs += 60 * MINUTE;
  expect(clock.timestamp()).toBe(formatTimestamp(70 * MINUTE));
  expect(clock.movedOf(ID).get(20 * MINUTE)).toBe(80 * MINUTE);
  pass(MINUTE);
  time.nowMs -= 90 * MINUTE;
  clock.now();
  expect(clock.movedOf(ID).get(20 * MINUTE)).toBe(-10 * MINUTE);
  expect(jumps).toEqual([60 * MINUTE, -90 * MINUTE]);
});

test('a slow clock is followed when it is a second behind', () => {
  const { clock, time, jumps, pass } = setUp(20 * MINUTE);
  for (let i = 0; i < 25; i += 1) {
    pass(MINUTE);
    time.nowMs -= 100;
    clock.now();
  }
  expect(jumps).toEqual([-1_000, -1_000]);
});

test('nothing is kept of runs that are over', () => {
  const { clock, time } = setUp(20 * MINUTE);
  time.nowMs += MINUTE * 60;
  clock.now();
  clock.forget(ID);
  expect(clock.movedOf(ID).size).toBe(0);
});
