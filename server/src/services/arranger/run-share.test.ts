import { emptyRun, type Run } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { RunMemory } from '../../runtime/run-memory.ts';
import { RunShare } from './run-share.ts';

const MIB = 1024 * 1024;
const BOUNDS = { liveRuns: 12 * MIB, liveRunsOfNamespace: 8 * MIB, run: 4 * MIB };

const runWith = (length: number): Run => ({
  ...emptyRun,
  namespace: 'a',
  labels: { text: 'x'.repeat(length) },
});

test('the size of events as JSON counts until the run is measured again', () => {
  const memory = new RunMemory(BOUNDS);
  const share = new RunShare(memory, 'a', 10_000);
  expect(share.grow(runWith(0), 100_000)).toBeNull();
  expect(memory.ofNamespace('a')).toBe(110_000);
  // Output is in the log, and not in the run.
  expect(share.grow(runWith(0), 200_000)).toBeNull();
  expect(memory.ofNamespace('a')).toBeLessThan(20_000);
});

test('a run that grows beyond the limit is reported', () => {
  const memory = new RunMemory(BOUNDS);
  const share = new RunShare(memory, 'a', 10_000);
  expect(share.grow(runWith(3 * MIB), 3 * MIB)).toBeNull();
  expect(share.grow(runWith(5 * MIB), 2 * MIB)).toEqual({
    reason: expect.stringMatching(/^The workflow takes more than 4194304/),
    toEnd: 'itself',
  });
});

test('where there is no more room, a run that has gathered little is looked at, too', () => {
  const memory = new RunMemory(BOUNDS);
  memory.add('a', 8 * MIB, 1);
  const share = new RunShare(memory, 'a', 10_000);
  expect(share.grow(runWith(0), 10_000)).toBeNull();
  expect(share.grow(runWith(100_000), 100_000)).toEqual({
    reason: expect.stringMatching(/^The workflow gathers more/),
    toEnd: 'itself',
  });
});

test('masks count with the memory for finding them', () => {
  const memory = new RunMemory(BOUNDS);
  const share = new RunShare(memory);
  share.restore({ ...runWith(0), masks: ['x'.repeat(10_000)] }, 100_000);
  expect(memory.ofNamespace('a')).toBeGreaterThan(1_000_000);
});

test('a run that was restored may take more than a new one, and gives it back when it leaves', () => {
  const memory = new RunMemory(BOUNDS);
  const share = new RunShare(memory);
  share.restore(runWith(10 * MIB), 10 * MIB);
  expect(memory.bytes).toBeGreaterThan(10 * MIB);
  expect(share.grow(runWith(10 * MIB), 1_000)).toBeNull();
  share.leave();
  share.grow(runWith(10 * MIB), 5_000_000);
  expect(memory.bytes).toBe(0);
});
