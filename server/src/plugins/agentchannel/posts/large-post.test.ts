import { expect, test } from 'vitest';
import { LIMITS } from '../jobs/limits.ts';
import { readLargePost, withPieces } from './large-post.ts';

const contentOf = (post: object): Uint8Array => Buffer.from(JSON.stringify(post));

// Bound: Parts of the output in one post of an agent.
test('too many parts are refused', () => {
  const output = Array.from({ length: LIMITS.postOutputParts + 1 }, () => ({ lines: ['x'] }));
  const content = contentOf({ command_id: 'c', sequence: 0, output });
  expect(() => readLargePost({ content, isOurs: true })).toThrow('its output has 65537 parts');
});

test('of a line that is far too long the beginning is kept, and the rest is counted', () => {
  const content = contentOf({ stdout: ['a', 'x'.repeat(2_000_000), 'b'], exit_status: 0 });
  const post = withPieces(readLargePost({ content, isOurs: false }));
  if (post.kind !== 'existing') throw new Error('Not the post of an existing agent.');
  const omitted = post.output.map((each) => each.omitted ?? 0);
  const lines = post.output.flatMap((each) => each.lines);
  expect(lines.map(({ length }) => length)).toEqual([1, 2_000_000 - Math.max(...omitted), 1]);
  expect(omitted.filter((count) => count > 0)).toHaveLength(1);
});
