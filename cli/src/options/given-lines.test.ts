import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { UsageError } from '../terminal/problem.ts';
import { addGiven, type GivenLines, linesOf } from './given-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-given-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with that content. */
function fileWith(content: string | Uint8Array): string {
  const file = join(folder, crypto.randomUUID());
  writeFileSync(file, content);
  return file;
}

/** Parses an option that is given with each of these texts. */
function given(...texts: readonly string[]) {
  const add = addGiven('-e');
  return linesOf(
    '-e',
    texts.reduce<GivenLines | undefined>((before, text) => add(text, before), undefined),
  );
}

test('pairs are taken as they are, and files line by line', async () => {
  expect(await given()).toEqual({});
  expect(await given('A=1', 'B= two = 2 ')).toEqual({ A: '1', B: ' two = 2 ' });
  const file = fileWith('\ufeffA=1\r\n\n  # a note with A=2\n B= x=y \r\nC=\n__proto__=p');
  expect(Object.entries(await given(file))).toEqual([
    ['A', '1'],
    ['B', ' x=y'],
    ['C', ''],
    ['__proto__', 'p'],
  ]);
  expect(await given(fileWith(''))).toEqual({});
});

test('pairs precede files, and later files precede earlier ones', async () => {
  const [one, two] = [fileWith('A=1\nB=1\nC=1\nC=1'), fileWith('B=2\nC=2')];
  expect(await given('C=3', one, two)).toEqual({ A: '1', B: '2', C: '3' });
});

test.each([
  ['A=1\nB', 'Line 2 of FILE is not name=value.'],
  ['A =1', 'Line 1 of FILE is not name=value.'],
  ['=1', 'Line 1 of FILE is not name=value.'],
  ['A=1\n\nA=2', 'Line 3 of FILE gives "A" another value than a line before.'],
])('a file with %j is refused', async (content, message) => {
  const file = fileWith(content);
  const advice =
    'write one name=value on each line, without blanks before the =; empty lines, and those that begin with #, do not count.';
  await expect(given(file)).rejects.toThrow(new UsageError(message.replace('FILE', file), advice));
});

test.each([
  ['STAGE', 'there is no such file'],
  [folder, 'it is a directory'],
  [fileWith(new Uint8Array([0x41, 0x3d, 0xff])), 'it is not UTF-8 text'],
  [fileWith(`A=${'x'.repeat(1024 * 1024)}`), 'it has more than 1048576 bytes'],
])('an unreadable file, such as %s, is reported with the possible forms', async (file, why) => {
  await expect(given(file)).rejects.toMatchObject({
    message: `-e takes name=value, or a file with such lines, and "${file}" cannot be read: ${why}.`,
  });
});
