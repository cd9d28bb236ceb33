import { isOrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { SQLITE_LIMITS, type SqliteLimits } from '../sqlite/limits.ts';
import type { WriterAnswer, WriterOperation } from './operations.ts';
import { WriteQueue } from './write-queue.ts';

const DONE: WriterAnswer = { outcome: 'done' };
const operation: WriterOperation = { kind: 'write', write: {} };

/** A queue whose writer answers on a signal of the test. Its deferred flush runs at once, or on another signal. */
function setUp(limits: Partial<SqliteLimits> = {}) {
  const batches: number[] = [];
  const deferred: (() => void)[] = [];
  const queue = new WriteQueue({
    limits: { ...SQLITE_LIMITS, ...limits },
    send: (operations) => batches.push(operations.length),
    defer: (flush) => deferred.push(flush),
  });
  const flush = () => {
    for (const run of deferred.splice(0)) run();
  };
  const submit = (count: number, size = 1) =>
    Array.from({ length: count }, () => queue.submit(operation, size));
  const answer = (count: number) => queue.answered(Array.from({ length: count }, () => DONE));
  return { batches, queue, flush, submit, answer };
}

describe('write queue', () => {
  test('operations that wait can be refused, and those on their way go on', async () => {
    const { queue, flush, submit, answer } = setUp();
    const [sent] = submit(1);
    flush();
    const waiting = submit(2);
    queue.refuseWaiting(new Error('away'));
    for (const each of waiting) await expect(each).rejects.toThrow('away');
    answer(1);
    await expect(sent).resolves.toEqual(DONE);
    await queue.drained();
  });

  test('operations of one go share a batch', async () => {
    const { batches, flush, submit, answer } = setUp();
    const answers = submit(3);
    expect(batches).toEqual([]);
    flush();
    expect(batches).toEqual([3]);
    answer(3);
    expect(await Promise.all(answers)).toEqual([DONE, DONE, DONE]);
  });

  test('operations that come while the writer is at work go out together with its answer', () => {
    const { batches, flush, submit, answer } = setUp();
    submit(1);
    flush();
    submit(2);
    submit(3);
    flush();
    expect(batches).toEqual([1]);
    answer(1);
    expect(batches).toEqual([1, 5]);
  });

  test('the sender learns of a full disk, as of a state that passes', async () => {
    const { queue, flush, submit } = setUp();
    const [full = Promise.resolve(DONE), other = Promise.resolve(DONE)] = submit(2);
    flush();
    queue.answered([
      { outcome: 'failed', why: 'database or disk is full', isDiskFull: true, isDamaged: false },
      { outcome: 'failed', why: 'constraint failed', isDiskFull: false, isDamaged: false },
    ]);
    await expect(full).rejects.toMatchObject({
      reason: 'ServiceUnavailable',
      retryAfterSeconds: 10,
      message: 'The disk of the server is full.',
      details: {
        error:
          'Nothing of the request was stored. The server goes on by itself when there is room again.',
      },
    });
    await expect(other).rejects.toEqual(new Error('constraint failed'));
  });

  test('a batch is bounded by its number of operations', () => {
    const { batches, flush, submit, answer } = setUp({ batchOperationsMax: 2 });
    submit(5);
    flush();
    answer(2);
    answer(2);
    expect(batches).toEqual([2, 2, 1]);
  });

  test('a batch is bounded by its size, and a large operation goes alone', () => {
    const { batches, flush, submit, answer } = setUp({ batchSizeMax: 10 });
    submit(1, 100);
    submit(2, 5);
    flush();
    answer(1);
    expect(batches).toEqual([1, 2]);
  });

  test.each([
    ['operations', { queueOperationsMax: 2 }, 2, 1],
    ['text', { queueSizeMax: 10 }, 2, 5],
    // Bound: Operations that wait for the disk.
  ])('a queue full of %s refuses more', async (_, limits, count, size) => {
    const { queue, submit } = setUp(limits);
    submit(count, size);
    const refusal = await queue.submit(operation, 1).catch((error: unknown) => error);
    expect(isOrchestratorError(refusal) && refusal.reason).toBe('ServiceUnavailable');
  });

  test('an empty queue takes an operation of any size', () => {
    const { batches, flush, submit } = setUp({ queueSizeMax: 10 });
    submit(1, 1_000);
    flush();
    expect(batches).toEqual([1]);
  });

  test('a failed operation rejects alone', async () => {
    const { queue, flush, submit } = setUp();
    const [first, second] = submit(2);
    flush();
    queue.answered([
      { outcome: 'failed', why: 'NOT NULL', isDiskFull: false, isDamaged: false },
      DONE,
    ]);
    await expect(first).rejects.toThrow('NOT NULL');
    await expect(second).resolves.toEqual(DONE);
  });

  test('when the writer fails, all that waits, is on its way or comes later rejects', async () => {
    const { queue, flush, submit } = setUp();
    const sent = submit(1);
    flush();
    const waiting = submit(1);
    queue.fail(new Error('gone'));
    const outcomes = await Promise.allSettled([...sent, ...waiting, ...submit(1)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await queue.drained();
  });

  test('it is drained when the last answer has come', async () => {
    const { queue, flush, submit, answer } = setUp();
    let isDrained = false;
    submit(1);
    flush();
    submit(1);
    const drained = queue.drained().then(() => {
      isDrained = true;
    });
    answer(1);
    expect(isDrained).toBe(false);
    answer(1);
    await drained;
  });
});
