import { isOrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { memoryBounds } from './memory-bounds.ts';
import { RunMemory } from './run-memory.ts';

const KIB = 1024;
const BOUNDS = { liveRuns: 1_000 * KIB, liveRunsOfNamespace: 400 * KIB, run: 200 * KIB };

function refusalOf(call: () => void) {
  try {
    call();
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return { reason: error.reason, message: error.message, seconds: error.retryAfterSeconds };
  }
  return null;
}

test('a run that is larger than one may be is refused for good', () => {
  const memory = new RunMemory(BOUNDS);
  expect(memory.requireRoom('a', 200 * KIB)).toBeUndefined();
  expect(refusalOf(() => memory.requireRoom('a', 200 * KIB + 1))).toEqual({
    reason: 'PayloadTooLarge',
    message:
      'The workflow would take more than 204800 bytes of memory, which is the limit of one workflow (limits.liveRunsBytes). Divide it.',
    seconds: null,
  });
});

test('a namespace at its share waits, and others do not', () => {
  const memory = new RunMemory(BOUNDS);
  memory.add('a', 200 * KIB, 1);
  expect(refusalOf(() => memory.requireRoom('a', 100 * KIB))).toBeNull();
  expect(refusalOf(() => memory.requireRoom('a', 101 * KIB))).toEqual({
    reason: 'TooManyRequests',
    message:
      'The workflows of namespace "a" that are not over have no room for one more in the 307200 bytes of memory that one namespace may take (limits.liveRunsBytes). Wait until some have ended, or cancel some.',
    seconds: 10,
  });
  expect(refusalOf(() => memory.requireRoom('b', 101 * KIB))).toBeNull();
  memory.add('a', -200 * KIB, -1);
  expect(refusalOf(() => memory.requireRoom('a', 101 * KIB))).toBeNull();
});

// Bound: Bytes of runs in memory.
test('runs of all namespaces together have a bound', () => {
  const memory = new RunMemory(BOUNDS);
  for (const namespace of ['a', 'b', 'c']) memory.add(namespace, 225 * KIB, 1);
  expect(refusalOf(() => memory.requireRoom('d', 75 * KIB))).toBeNull();
  expect(refusalOf(() => memory.requireRoom('d', 76 * KIB))).toEqual({
    reason: 'ServiceUnavailable',
    message:
      'The workflows that are not over have no room for one more in the 768000 bytes of memory that they may take (limits.liveRunsBytes). Try again later.',
    seconds: 10,
  });
});

test('a namespace with little may start runs also then', () => {
  const memory = new RunMemory(BOUNDS);
  for (const namespace of ['a', 'b']) memory.add(namespace, 400 * KIB, 1);
  expect(refusalOf(() => memory.requireRoom('c', 15 * KIB))).toBeNull();
  expect(refusalOf(() => memory.requireRoom('c', 16 * KIB))?.reason).toBe('ServiceUnavailable');
  memory.add('d', 190 * KIB, 1);
  expect(refusalOf(() => memory.requireRoom('c', 15 * KIB))?.reason).toBe('ServiceUnavailable');
});

test('live runs may use the reserve; then the one that grows further is named', () => {
  const memory = new RunMemory(BOUNDS);
  memory.add('a', 400 * KIB, 1);
  expect(memory.problem('a', 150 * KIB, 100 * KIB)).toBeNull();
  memory.add('a', 1, 0);
  expect(memory.problem('a', 150 * KIB, 100 * KIB)).toEqual({
    reason: expect.stringMatching(/^The workflow gathers more/),
    toEnd: 'itself',
  });
  expect(memory.problem('a', 150 * KIB, 1 * KIB)).toBeNull();
  expect(memory.problem('b', 150 * KIB, 100 * KIB)).toBeNull();
  expect(memory.problem('b', 201 * KIB, 100 * KIB)).toEqual({
    reason: expect.stringMatching(/^The workflow takes more than 204800/),
    toEnd: 'itself',
  });
});

test('where all have no more room, a run of the namespace that takes most ends', () => {
  const memory = new RunMemory(BOUNDS);
  for (const namespace of ['a', 'b']) memory.add(namespace, 390 * KIB, 1);
  memory.add('a', 1, 0);
  memory.add('c', 221 * KIB, 1);
  expect(memory.problem('c', 50 * KIB, 20 * KIB)).toEqual({
    reason: expect.stringContaining('those of namespace "a" take most of it'),
    toEnd: { largestOf: 'a' },
  });
  expect(memory.problem('a', 50 * KIB, 20 * KIB)).toMatchObject({ toEnd: 'itself' });
});

test('the bounds follow from the heap, unless they are set', () => {
  const heap = 64 * 1024 * KIB * 8 + 3 * 64 * 1024 * KIB;
  const bounds = memoryBounds({}, heap);
  expect(bounds).toMatchObject({
    liveRuns: 144 * 1024 * KIB,
    liveRunsOfNamespace: 96 * 1024 * KIB,
  });
  expect(bounds.run).toBe(32 * 1024 * KIB);
  const set = memoryBounds({ liveRunsBytes: 6_000, namespaceRunsBytes: 3_000 }, heap);
  expect(set).toMatchObject({ liveRuns: 6_000, liveRunsOfNamespace: 3_000, run: 1_000 });
  expect(memoryBounds({ liveRunsBytes: 6_000 }, heap).liveRunsOfNamespace).toBe(4_000);
});

// Bound: Events that wait for their runs.
test('events that wait for their runs have a bound', () => {
  const bounds = { liveRuns: 100, liveRunsOfNamespace: 100, run: 100, waitingEvents: 10 };
  const memory = new RunMemory(bounds);
  const leave = memory.holdWaiting(6);
  expect(() => memory.holdWaiting(6)).toThrow('events that wait');
  leave();
  expect(() => memory.holdWaiting(6)).not.toThrow();
});
