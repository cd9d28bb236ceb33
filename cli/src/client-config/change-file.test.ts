import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { problemOf, renderProblem } from '../terminal/problem.ts';
import { changeFile } from './change-file.ts';
import { takeFileLock } from './file-lock.ts';

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-change-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'below', 'config.yaml');
}

test('a change waits for the one that is under way, and is made of what that wrote', async () => {
  const file = place();
  await changeFile(file, () => 'a');
  writeFileSync(`${file}.lock`, '');
  const changed = changeFile(file, () => `${readFileSync(file, 'utf8')}c`);
  writeFileSync(file, 'ab');
  rmSync(`${file}.lock`);
  await changed;
  expect(readFileSync(file, 'utf8')).toBe('abc');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a change that does not end is told, with what to do', async () => {
  const file = place();
  await changeFile(file, () => 'a');
  writeFileSync(`${file}.lock`, '');
  const failed = await changeFile(file, () => 'b', 0).catch((error: unknown) => error);
  expect(renderProblem(problemOf(failed))).toBe(
    `tutti: ${file} is being changed by another command, or one was ended while it did: there is a file ${file}.lock.\n` +
      'What to do: try again; if no other command is at work, remove that file.\n',
  );
  expect(readFileSync(file, 'utf8')).toBe('a');
});

test('a change of a process that is at work is told with its number', async () => {
  const file = place();
  await changeFile(file, () => 'a');
  const release = await takeFileLock(`${file}.lock`, 0);
  const failed = await changeFile(file, () => 'b', 0).catch((error: unknown) => error);
  release();
  expect(renderProblem(problemOf(failed))).toBe(
    `tutti: ${file} is being changed by process ${process.pid} on ${hostname()}: there is a file ${file}.lock.\n` +
      'What to do: try again; if that process is no command, or none any more, remove that file.\n',
  );
});

test('what a change left that was killed while it wrote is in no way of others', async () => {
  const file = place();
  await changeFile(file, () => 'a');
  writeFileSync(`${file}.next`, 'half', { mode: 0o400 });
  await changeFile(file, () => 'b');
  expect(readFileSync(file, 'utf8')).toBe('b');
  expect(readdirSync(dirname(file))).toEqual(['config.yaml']);
});

test('a change that fails leaves the file as it was, and is in no way of others', async () => {
  const file = place();
  await changeFile(file, () => 'a');
  const fail = () => {
    throw new Error('no');
  };
  await expect(changeFile(file, fail)).rejects.toThrow('no');
  await changeFile(file, () => `${readFileSync(file, 'utf8')}b`);
  expect(readFileSync(file, 'utf8')).toBe('ab');
});
