import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fileProblem, fileReason } from './file-problem.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-file-problem-'));
const file = join(folder, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true }));

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test.each<[name: string, work: () => unknown, sentence: string | null]>([
  [
    'a missing file',
    () => readFileSync(join(folder, 'x')),
    `Cannot open ${folder}/x: there is no such file.`,
  ],
  [
    'a file where a directory should be',
    () => mkdirSync(file),
    `Cannot make the directory ${file}: a file of that name is in the way.`,
  ],
  [
    'a file on the way',
    () => mkdirSync(join(file, 'a')),
    `Cannot make the directory ${file}/a: a part of the path is a file.`,
  ],
  [
    'a missing directory',
    () => readdirSync(join(folder, 'x')),
    `Cannot read the directory ${folder}/x: there is no such directory.`,
  ],
  [
    'a file in the place of a directory',
    () => readdirSync(file),
    `Cannot read the directory ${file}: it is a file, or a part of the path is.`,
  ],
  [
    'a full disk',
    () => Object.assign(new Error(), { code: 'ENOSPC', syscall: 'write', path: '/d/file' }),
    'Cannot write to /d/file: the disk is full.',
  ],
  [
    'a full disk under an open file',
    () => Object.assign(new Error(), { code: 'ENOSPC', syscall: 'write' }),
    'Cannot write a file: the disk is full.',
  ],
  [
    'a directory where the system has none of users',
    () => Object.assign(new Error(), { code: 'ENOENT', syscall: 'mkdir', path: '/proc/x' }),
    'Cannot make the directory /proc/x: none can be made there.',
  ],
  ['an error of another kind', () => JSON.parse('{'), null],
])('%s', (_name, work, sentence) => {
  expect(fileProblem(errorOf(work))).toBe(sentence);
});

test('rare errors keep the words of the system', () => {
  expect(fileReason(Object.assign(new Error('EMFILE: too many'), { code: 'EMFILE' }))).toBe(
    'EMFILE: too many',
  );
  expect(fileReason('broken')).toBe('broken');
});
