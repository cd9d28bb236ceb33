import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeDirectory } from './make-directory.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-directories-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('missing directories are made, for their owner alone, and existing ones stay', () => {
  const inner = join(folder, 'a', 'b');
  expect([makeDirectory(inner), makeDirectory(inner)]).toEqual([true, false]);
  if (process.platform === 'win32') return;
  for (const each of [join(folder, 'a'), inner]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test('a file on the way is named', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(join(file, 'a', 'b'))).toThrow(`EEXIST: file already exists, mkdir`);
});

test.runIf(process.platform === 'linux')('what nobody can make is refused at once', () => {
  expect(() => makeDirectory('/proc/nope/inner')).toThrow('ENOENT');
});
