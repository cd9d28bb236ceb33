import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { takeLock } from '@tutti/server/lock-file';
import { expect, onTestFinished, test } from 'vitest';
import { problemOf, renderProblem } from '../terminal/problem.ts';
import { changeFile, lockOf } from './change-file.ts';

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-change-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'below', 'config.yaml');
}

test('a change sees the change before it, and its file is for its owner alone', () => {
  const file = place();
  changeFile(file, () => 'a');
  changeFile(file, () => `${readFileSync(file, 'utf8')}b`);
  expect(readFileSync(file, 'utf8')).toBe('ab');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a change that does not end is reported, and the next one succeeds after its end', () => {
  const file = place();
  changeFile(file, () => 'a');
  const other = takeLock(lockOf(file), 0);
  const failed = problemIn(() => changeFile(file, () => 'b', 0));
  expect(renderProblem(problemOf(failed))).toBe(
    `tutti: ${file} is being changed by another command.\n` +
      'What to do: try again when that command has ended.\n',
  );
  expect(readFileSync(file, 'utf8')).toBe('a');
  other?.release();
  changeFile(file, () => 'b', 0);
  expect(readFileSync(file, 'utf8')).toBe('b');
});

function problemIn(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It went well.');
}

test('leftovers of a killed change do not block others', () => {
  const file = place();
  changeFile(file, () => 'a');
  writeFileSync(`${file}.next`, 'half', { mode: 0o400 });
  changeFile(file, () => 'b');
  expect(readFileSync(file, 'utf8')).toBe('b');
  expect(readdirSync(dirname(file))).toEqual(['config.yaml', 'config.yaml.change-lock']);
});

test('a change that fails leaves the file as it was, and is in no way of others', () => {
  const file = place();
  changeFile(file, () => 'a');
  const fail = () => {
    throw new Error('no');
  };
  expect(() => changeFile(file, fail)).toThrow('no');
  changeFile(file, () => `${readFileSync(file, 'utf8')}b`);
  expect(readFileSync(file, 'utf8')).toBe('ab');
});
