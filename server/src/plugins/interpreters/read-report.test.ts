import { expect, test } from 'vitest';
import { readAhead } from './read-report.ts';

/** Numbers from 1 on; `given` is how many were asked for. */
function createSource(count: number, failure?: Error) {
  const state = { given: 0, isClosed: false };
  async function* numbers(): AsyncGenerator<number> {
    try {
      for (let number = 1; number <= count; number += 1) {
        state.given = number;
        yield number;
      }
      if (failure !== undefined) throw failure;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, source: numbers() };
}

/** Lets all pending work continue. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the first part comes alone, parts that arrive meanwhile come together', async () => {
  const { state, source } = createSource(7);
  const taken: (readonly number[])[] = [];
  for await (const parts of readAhead(source, 3)) {
    taken.push(parts);
    await settled();
    expect(state.given).toBeLessThanOrEqual(taken.flat().length + 3);
  }
  expect(taken).toEqual([[1], [2, 3, 4], [5, 6, 7]]);
});

test('an empty source gives nothing', async () => {
  for await (const parts of readAhead(createSource(0).source, 3)) expect(parts).toBe('nothing');
});

test('an error follows the parts before it', async () => {
  const taken: number[] = [];
  const read = async () => {
    for await (const parts of readAhead(createSource(5, new Error('cut off')).source, 3)) {
      taken.push(...parts);
      await settled();
    }
  };
  await expect(read()).rejects.toThrow('cut off');
  expect(taken).toEqual([1, 2, 3, 4, 5]);
});

test.each([
  [
    'an end',
    async (source: AsyncIterable<readonly number[]>) => {
      for await (const _ of source) break;
    },
  ],
  [
    'an error',
    async (source: AsyncIterable<readonly number[]>) => {
      const work = async () => {
        for await (const _ of source) throw new Error('the work failed');
      };
      await expect(work()).rejects.toThrow('the work failed');
    },
  ],
])('%s of the work closes the source', async (_, work) => {
  const { state, source } = createSource(100);
  await work(readAhead(source, 3));
  expect(state.isClosed).toBe(true);
  expect(state.given).toBeLessThan(10);
});

test('a source that fails after the work stopped causes no error', async () => {
  const { source } = createSource(2, new Error('too late'));
  for await (const _ of readAhead(source, 1)) break;
  await settled();
});
