import { describe, expect, onTestFinished, test } from 'vitest';
import { ThreadPool, type ThreadPoolLimits, type ThreadTask } from './thread-pool.ts';

const LIMITS: ThreadPoolLimits = {
  threads: 2,
  ofShare: 1,
  seconds: 20,
  memory: 24,
  idleSeconds: 30,
  waitingOfShare: 4,
  waiting: 8,
  waitingBytes: 100,
};

function openPool(limits: Partial<ThreadPoolLimits> = {}) {
  const pool = new ThreadPool({
    entry: new URL('./thread-pool.fixture.ts', import.meta.url),
    name: 'thread of a test',
    limits: { ...LIMITS, ...limits },
  });
  onTestFinished(() => pool.close());
  const run = (name: string, input: unknown = null, more: Partial<ThreadTask> = {}) =>
    pool.run({ name, input, what: 'The document', share: 'one', bytes: 1, ...more });
  return { pool, run };
}

describe('a task in a thread', () => {
  test('answers, also with bytes', async () => {
    const { run } = openPool();
    expect(await run('double', 4)).toMatchObject({ output: '8' });
    const { output, bytes } = await run('bytes', 3);
    expect([output, bytes]).toEqual(['{"size":3}', new Uint8Array(3)]);
  });

  test('refuses with the reason that it gives, and the thread goes on', async () => {
    const { run } = openPool();
    const refusal = { reason: 'Invalid', message: 'No.', details: { error: 'No.' } };
    await expect(run('refuse', 'No.')).rejects.toMatchObject(refusal);
    expect(await run('double', 1)).toMatchObject({ output: '2' });
  });

  // Bound: Threads that read documents.
  test('that takes more time than it may is ended with its thread alone', async () => {
    const { run } = openPool({ seconds: 1 });
    const message =
      'The document takes more than 1 seconds to read and check. Make it smaller, or divide it.';
    const held = expect(run('hold')).rejects.toMatchObject({ reason: 'Invalid', message });
    expect(await run('double', 2, { share: 'other' })).toMatchObject({ output: '4' });
    await held;
    expect(await run('double', 3)).toMatchObject({ output: '6' });
  });

  test('that takes too much memory is ended with its thread alone', async () => {
    const { run } = openPool();
    const message = expect.stringContaining('takes more than 24 MiB of memory');
    await expect(run('fill')).rejects.toMatchObject({ reason: 'Invalid', message });
    expect(await run('double', 3)).toMatchObject({ output: '6' });
  });
});

describe('askers', () => {
  test('one that asks for much leaves a thread to the others', async () => {
    const { pool, run } = openPool();
    const many = [run('hold'), run('hold'), run('hold')].map((each) => each.catch(() => 'ended'));
    expect(await run('double', 2, { share: 'other' })).toMatchObject({ output: '4' });
    await pool.close();
    expect(await many[0]).toBe('ended');
  });

  // Bound: Documents that wait for these threads.
  test('one that waits for too much is refused', async () => {
    const { run } = openPool({ waitingOfShare: 2 });
    const many = [run('hold'), run('hold'), run('hold')];
    for (const each of many) each.catch(() => undefined);
    await expect(run('double', 2)).rejects.toMatchObject({ reason: 'TooManyRequests' });
    expect(await run('double', 2, { share: 'other' })).toMatchObject({ output: '4' });
  });

  test('any is refused while too much waits of all', async () => {
    const { run } = openPool();
    for (const share of ['one', 'two', 'three']) {
      run('hold', null, { share, bytes: 60 }).catch(() => undefined);
    }
    const last = run('double', 2, { share: 'four', bytes: 60 });
    await expect(last).rejects.toMatchObject({ reason: 'ServiceUnavailable' });
  });
});
