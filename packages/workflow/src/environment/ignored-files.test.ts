import { expect, test } from 'vitest';
import { missingReports } from './ignored-files.ts';

test('a result tells of reports beyond the limit, and of those that could not be read, with the first of them', () => {
  const unread = [{ path: 'a.xml', why: 'no such file' }];
  expect(missingReports(undefined, [])).toEqual([]);
  expect(missingReports({ first: 'r/9.xml', count: 1 }, unread)).toEqual([
    { file: 'r/9.xml', count: 1, problem: 'It was not attached, as there were too many files.' },
    { file: 'a.xml', count: 1, problem: 'It could not be read: no such file.' },
  ]);
  const more = [...unread, { path: 'b.xml', why: 'it is too large' }];
  expect(missingReports({ first: 'r/9.xml', count: 476 }, more)).toEqual([
    {
      file: 'r/9.xml',
      count: 476,
      problem: 'They were not attached, as there were too many files.',
    },
    { file: 'a.xml', count: 2, problem: 'They could not be read.' },
  ]);
});
