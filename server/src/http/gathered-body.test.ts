import { expect, test } from 'vitest';
import { GatheredBody } from './gathered-body.ts';

test('pieces of any size become one content', () => {
  const body = new GatheredBody();
  const pieces = Array.from({ length: 50 }, (_, index) => Buffer.alloc(index * 1_000, index));
  for (const piece of pieces) body.add(piece);
  expect(body.content.equals(Buffer.concat(pieces))).toBe(true);
});

test('a body that is freed has no memory any more', () => {
  const body = new GatheredBody();
  body.add(Buffer.alloc(1_000_000));
  const { buffer } = body.content;
  body.free();
  expect([buffer.byteLength, body.content.length]).toEqual([0, 0]);
});
