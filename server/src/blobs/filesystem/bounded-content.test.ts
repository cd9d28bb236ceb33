import { expect, test } from 'vitest';
import { boundedContent } from './bounded-content.ts';

const MIB = 1024 * 1024;

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(MIB);
}

test.each([
  ['without a signal', undefined],
  ['with a signal', new AbortController().signal],
])('content that was passed on is not kept: %s', async (_name, signal) => {
  const before = process.memoryUsage().arrayBuffers;
  let held = 0;
  for await (const _ of boundedContent(chunks(512), 512 * MIB, signal)) {
    held = Math.max(held, process.memoryUsage().arrayBuffers - before);
  }
  // What is kept by nobody is collected from time to time; of what is kept all is here.
  expect(held).toBeLessThan(256 * MIB);
});
