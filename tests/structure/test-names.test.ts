import { describe, expect, test } from 'vitest';
import { missingTests, missingTitles, readTestName, tableRows } from './test-names.ts';

test('a title is missed that is only part of another, and all of a file that is not there', () => {
  const source = "test('says OK loudly', () => {});";
  expect(missingTitles({ path: 'a.test.ts', titles: ['says OK'] }, source)).toEqual(['says OK']);
  expect(missingTitles({ path: 'a.test.ts', titles: ['says OK loudly'] }, source)).toEqual([]);
  expect(missingTitles({ path: 'a.test.ts', titles: ['says OK loudly'] }, null)).toHaveLength(1);
});

test('each file is read once, and what is missing is told with it', () => {
  const read: string[] = [];
  const names = ['`a`: one', '`a`: two', '`b`: group > one'].map(readTestName);
  const missing = missingTests(names, (path) => {
    read.push(path);
    return path === 'a' ? '"one"' : null;
  });
  expect(missing).toEqual(['a: two', 'b: group', 'b: one']);
  expect(read).toEqual(['a', 'b']);
});

describe('a name', () => {
  test('has groups before the title', () => {
    expect(readTestName('`a.test.ts`: group > says OK')).toEqual({
      path: 'a.test.ts',
      titles: ['group', 'says OK'],
    });
  });

  test.each(['', 'a.test.ts: says OK', '`a.test.ts`', '`a.test.ts`: '])('is not %j', (text) => {
    expect(() => readTestName(text)).toThrow('Not a test: ');
  });
});

test('rows of tables are cells, without those of the heading', () => {
  const document = 'Text\n\n| A | B |\n|---|---|\n| 1 | a &#124; b |\n| 2 | |\n';
  expect(tableRows(document, 'A')).toEqual([
    ['1', 'a | b'],
    ['2', ''],
  ]);
});
