import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTextFile } from './text-files.ts';

const BYTES_MAX = 8;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-texts-'));
  writeFileSync(join(folder, 'text'), 'größe');
  writeFileSync(join(folder, 'large'), 'x'.repeat(BYTES_MAX + 1));
  writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0xfe]));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  mkdirSync(join(folder, 'directory'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a text is read whole', async () => {
  expect(await readTextFile(join(folder, 'text'), 'The text', BYTES_MAX)).toBe('größe');
});

test.each([
  ['a pipe, which nobody may ever write to', 'pipe', 'it is a pipe, and a file is wanted.'],
  ['a directory', 'directory', 'it is a directory, and a file is wanted.'],
  ['what is too large', 'large', 'it may have 8 bytes at most.'],
  ['what is no text', 'binary', 'The text is not UTF-8 text.'],
])('%s is refused', async (_, name, message) => {
  const reading = readTextFile(join(folder, name), 'The text', BYTES_MAX);
  await expect(reading).rejects.toThrow(message);
});
