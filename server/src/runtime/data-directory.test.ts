import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeDataDirectory } from './data-directory.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'tutti-data-directory-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('Git passes over a new data directory', () => {
  const dataDir = join(folder(), 'a', 'b');
  makeDataDirectory(dataDir);
  expect(readFileSync(join(dataDir, '.gitignore'), 'utf8')).toBe('*\n');
});

test('a directory that is there is left as it is', () => {
  const dataDir = folder();
  makeDataDirectory(dataDir);
  expect(existsSync(join(dataDir, '.gitignore'))).toBe(false);
});
