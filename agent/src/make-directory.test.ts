import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeDirectory } from './make-directory.ts';

function openFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tutti made-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('all directories that lead to one are made, once', () => {
  const folder = openFolder();
  for (const name of ['a/b c/d', 'a/b c/d', 'a/e', 'a', '.']) {
    makeDirectory(path.join(folder, name));
    expect(statSync(path.join(folder, name)).isDirectory()).toBe(true);
  }
});

test('the target of a link counts', () => {
  const folder = openFolder();
  makeDirectory(path.join(folder, 'real'));
  symlinkSync(path.join(folder, 'real'), path.join(folder, 'link'));
  makeDirectory(path.join(folder, 'link', 'inner'));
  expect(existsSync(path.join(folder, 'real', 'inner'))).toBe(true);
});

test('below a file none can be made', () => {
  const folder = openFolder();
  writeFileSync(path.join(folder, 'file'), '');
  expect(() => makeDirectory(path.join(folder, 'file', 'a', 'b'))).toThrow('EEXIST');
});

test.runIf(process.platform === 'linux')(
  'in /proc, which Linux has, the attempt to make some ends with an error',
  () => {
    expect(() => makeDirectory('/proc/nope/x1')).toThrow('ENOENT');
  },
);
