import { expect, test } from 'vitest';
import { createSystemClock } from './clock.ts';

function clocks() {
  const time = { dateMs: 1_800_000_000_000, monotonicMs: 5_000 };
  const clock = createSystemClock(
    () => Math.floor(time.dateMs),
    () => time.monotonicMs,
  );
  const pass = (ms: number) => {
    time.dateMs += ms;
    time.monotonicMs += ms;
  };
  return { clock, time, pass };
}

test('the time of day has microseconds, and goes on by them', () => {
  const { clock, pass } = clocks();
  pass(0.25);
  expect(clock.now()).toBe(1_800_000_000_000.25);
  pass(0.5);
  expect(clock.timestamp()).toBe('2027-01-15T08:00:00.000750');
});

test('the time of day follows the system: also after a sleep of the machine, and back', () => {
  const { clock, time, pass } = clocks();
  for (const ms of [86_400_000, -90_000, 3]) {
    time.dateMs += ms;
    expect(Math.abs(clock.now() - time.dateMs)).toBeLessThanOrEqual(2);
    pass(10);
    expect(Math.abs(clock.now() - time.dateMs)).toBeLessThanOrEqual(2);
  }
});

test('the monotonic clock knows nothing of that', () => {
  const { clock, time, pass } = clocks();
  const before = clock.monotonicMs();
  time.dateMs -= 3_600_000;
  pass(7);
  expect(clock.monotonicMs() - before).toBe(7);
});
