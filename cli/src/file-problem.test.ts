import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  ['an error of another kind', () => JSON.parse('{'), null],
])('%s', (_name, work, sentence) => {
  expect(fileProblem(errorOf(work))).toBe(sentence);
});

test('what is rare is told in the words of the system', () => {
  expect(fileReason(Object.assign(new Error('ELOOP: too many'), { code: 'ELOOP' }))).toBe(
    'ELOOP: too many',
  );
  expect(fileReason('broken')).toBe('broken');
});
