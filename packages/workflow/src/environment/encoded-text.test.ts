import { createFile } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import { hideEncoded } from './encoded-text.ts';

const SECRET = 'Sup3r Sécret';
const shown = (lines: readonly string[]) =>
  hideEncoded(lines, (text) => text.includes(SECRET), '***');

/** Far enough for several pieces, with the secret across the cut between two of them. */
const contentWith = (cut: number) => `${'x'.repeat(cut - 5)}${SECRET} and more\r`;

describe.each([
  ['windows', 3072],
  ['linux', 1024],
] as const)('a file that is made on %s', (os, piece) => {
  test.each([0, 1, 2].map((index) => contentWith(index * 100 + 20)))(
    'hides what it has',
    (content) => {
      const lines = createFile(os, 'a/b.txt', content);
      const text = shown(lines).join('\n');
      expect(text).toContain('***');
      expect(text).not.toContain('3r');
      expect(text.split('\n')).toHaveLength(lines.length);
    },
  );

  test('hides what its pieces say together', () => {
    const lines = createFile(os, 'b.txt', contentWith(piece));
    const all = shown(lines);
    const changed = lines.filter((line, index) => all[index] !== line);
    expect(changed.length).toBeGreaterThanOrEqual(2);
    expect(all.filter((line) => line.includes('***'))).toHaveLength(changed.length);
  });

  test('is shown as it is where it has no secret', () => {
    const lines = createFile(os, 'a/b.txt', `${'y'.repeat(4000)}\r`);
    expect(shown(lines)).toEqual(lines);
  });
});

test.each([
  ['echo hello'],
  ['echo a b c='],
  ["printf 'plain'"],
  ["printf '%s\\n' x"],
  ['echo'],
  ["printf 'no end"],
])('the line %j is left alone', (line) => {
  expect(shown([line])).toEqual([line]);
});

test('long lines take no longer than their length', () => {
  for (const line of [
    'echo '.repeat(100_000),
    `echo ${'A'.repeat(400_000)}!`,
    `printf '${'\\'.repeat(400_000)}`,
  ]) {
    expect(shown([line])).toEqual([line]);
  }
});
