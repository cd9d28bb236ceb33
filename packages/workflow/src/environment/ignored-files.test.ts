import { expect, test } from 'vitest';
import { missingReports } from './ignored-files.ts';

const absent = undefined;

test('a result tells of reports beyond the limit, and of those that could not be read, with the first of them', () => {
  const unread = [{ path: 'a.xml', why: 'no such file' }];
  expect(missingReports({ beyond: undefined, absent, unread: [] })).toEqual([]);
  expect(missingReports({ beyond: { first: 'r/9.xml', count: 1 }, absent, unread })).toEqual([
    { file: 'r/9.xml', count: 1, problem: 'It was not attached, as there were too many files.' },
    { file: 'a.xml', count: 1, problem: 'It could not be read: no such file.' },
  ]);
  const more = [...unread, { path: 'b.xml', why: 'it is too large' }];
  expect(
    missingReports({ beyond: { first: 'r/9.xml', count: 476 }, absent, unread: more }),
  ).toEqual([
    {
      file: 'r/9.xml',
      count: 476,
      problem: 'They were not attached, as there were too many files.',
    },
    { file: 'a.xml', count: 2, problem: 'They could not be read.' },
  ]);
});

test.each([
  [1, 'There is no such file.'],
  [2, 'There are no such files.'],
])('a result tells of %d reports that a step says are not there', (count, problem) => {
  const lost = { beyond: undefined, absent: { first: 'r/*.xml', count }, unread: [] };
  expect(missingReports(lost)).toEqual([{ file: 'r/*.xml', count, problem }]);
});
