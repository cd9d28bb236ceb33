import { expect, test } from 'vitest';
import { REPORT_LIMITS } from '../report-limits.ts';
import { FileNames } from './file-names.ts';

test.each<readonly [what: string, paths: readonly string[], names: readonly (string | null)[]]>([
  ['files have their names', ['/ws/test/a.js', '/ws/test/b.js'], ['a.js', 'b.js']],
  ['a file has one name', ['/ws/a.js', '/ws/a.js', '/ws/a.js'], ['a.js', 'a.js', 'a.js']],
  [
    'files of one name have what tells them apart from the first',
    ['/ws/test/a.js', '/ws/test/sub/a.js', '/ws/more/test/a.js', '/ws/test/a.js'],
    ['a.js', 'sub/a.js', 'more/test/a.js', 'a.js'],
  ],
  ['no folder of the workspace', ['/ws/test/a.js', '/ws/a.js'], ['a.js', './a.js']],
  ['nor for a path within one of the other', ['sub/a.js', 'a.js'], ['a.js', './a.js']],
  ['paths of Windows', ['C:\\ws\\a\\a.js', 'C:\\ws\\b\\a.js'], ['a.js', 'b/a.js']],
  ['no path', ['', '/ws/'], [null, null]],
])('%s', (_, paths, names) => {
  const files = new FileNames();
  expect(paths.map((path) => files.nameOf(path))).toEqual(names);
});

test('a report without a file has none', () => {
  expect(new FileNames().nameOf(undefined)).toBeNull();
});

test('beyond the limit of files, the last ones have only their names', () => {
  const files = new FileNames();
  for (let index = 0; index < 10_000; index += 1) files.nameOf(`/ws/${index}.js`);
  expect([files.nameOf('/ws/a/new.js'), files.nameOf('/ws/b/new.js')]).toEqual([
    'new.js',
    'new.js',
  ]);
});

test('a path that is too long is cut', () => {
  const name = new FileNames().nameOf('x'.repeat(5000)) ?? '';
  expect(name.length).toBeLessThanOrEqual(REPORT_LIMITS.nameLengthMax);
});
