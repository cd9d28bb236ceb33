/** The order in which the files of suites begin that run side by side. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LONG_FILES, mixed } from '../support/test-order.ts';

const ROOT = join(import.meta.dirname, '../..');

const files = (suite: string, group: number, ...paths: readonly string[]) =>
  paths.map((path) => ({ path, suite, group, sharesProcesses: false }));

const pathsOf = (given: Parameters<typeof mixed>[0]) => mixed(given).map(({ path }) => path);

test('the files of each suite are spread over the whole time of their group', () => {
  const given = [...files('few', 1, 'f1', 'f2'), ...files('many', 1, 'm1', 'm2', 'm3', 'm4')];
  expect(pathsOf(given)).toEqual(['m1', 'f1', 'm2', 'm3', 'f2', 'm4']);
});

test('files that share processes begin a dozen at a time', () => {
  const shared = Array.from({ length: 24 }, (_, index) => `s${index}`);
  const sharing = files('sharing', 1, ...shared).map((file) => ({
    ...file,
    sharesProcesses: true,
  }));
  const given = [...sharing, ...files('other', 1, 'o1', 'o2', 'o3')];
  expect(pathsOf(given)).toEqual(['o1', ...shared.slice(0, 12), 'o2', ...shared.slice(12), 'o3']);
});

test('groups stay one after the other', () => {
  const given = [...files('later', 2, 'l1'), ...files('first', 1, 'f1', 'f2')];
  expect(pathsOf(given)).toEqual(['f1', 'f2', 'l1']);
});

test('long files come first in their suite, in the order in which they are named', () => {
  const [longest = '', long = ''] = LONG_FILES;
  const given = [...files('one', 1, 'a', long, 'b', longest), ...files('other', 1, 'c')];
  expect(pathsOf(given)).toEqual([longest, long, 'c', 'a', 'b']);
});

test('the long files that are named are there', () => {
  expect(LONG_FILES.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
