import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundedContent } from './bounded-content.ts';

const CHUNKS = 64;
const CHUNK_BYTES = 1024;
/** The chunk that is being passed on and the one before it may still be reachable. */
const HELD_MAX = 2;

let collectGarbage: () => void;

beforeAll(() => {
  setFlagsFromString('--expose-gc');
  collectGarbage = runInNewContext('gc');
});

afterAll(() => setFlagsFromString('--no-expose-gc'));

async function* chunks(count: number, passed: WeakRef<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    passed.push(new WeakRef(chunk));
    yield chunk;
  }
}

async function stillHeld(passed: readonly WeakRef<Uint8Array>[]): Promise<number> {
  // A weak reference keeps its object until the current task has ended.
  await setImmediate();
  collectGarbage();
  return passed.filter((chunk) => chunk.deref() !== undefined).length;
}

test.each([
  ['without a signal', undefined],
  ['with a signal', new AbortController().signal],
])('content that was passed on is not kept: %s', async (_name, signal) => {
  const passed: WeakRef<Uint8Array>[] = [];
  let seen = 0;
  for await (const { byteLength } of boundedContent(
    chunks(CHUNKS, passed),
    CHUNKS * CHUNK_BYTES,
    signal,
  )) {
    seen += byteLength;
    if (seen === CHUNKS * CHUNK_BYTES)
      expect(await stillHeld(passed)).toBeLessThanOrEqual(HELD_MAX);
  }
  expect(passed).toHaveLength(CHUNKS);
});
