import { expect, test } from 'vitest';
import { isMemberOf } from './workspaces.ts';

test.each([
  [['packages/*'], 'packages/a', true],
  [['packages/*'], 'packages/a/b', false],
  [['packages/*'], 'nvm', false],
  [['./packages/*/'], 'packages/a', true],
  [['packages/**'], 'packages/a/b', true],
  [['**'], 'a/b', true],
  [['**/test-*-x'], 'a/b/test-1-x', true],
  [['**/test-*-x'], 'a/b/test-x', false],
  [['a*b*c'], 'abbc', true],
  [['a*b*c'], 'acb', false],
  [['packages/*', '!packages/b'], 'packages/b', false],
  [['{a,b}/*'], 'a/x', true],
  [['web'], 'web', true],
  [[], 'web', false],
])('of %j, %s is a member: %s', (patterns, path, expected) => {
  expect(isMemberOf(patterns, path)).toBe(expected);
});
