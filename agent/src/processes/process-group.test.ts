import { expect, test } from 'vitest';
import { isGroupAlive, parseProcessState } from './process-group.ts';

test.each([
  ['42 (sh) S 1 40 40 0 -1', { groupId: 40, isDead: false }],
  ['42 (sh) Z 1 42 42 0 -1', { groupId: 42, isDead: true }],
  ['42 (a) Z 1 (b) R 7 8 9 0', { groupId: 8, isDead: false }],
  ['', null],
  ['42 (sh) S', null],
])('%o is the state %o', (text, expected) => {
  expect(parseProcessState(text)).toEqual(expected);
});

test('a group without members is not alive', () => {
  // Above the largest process id of any system.
  expect(isGroupAlive(2 ** 30)).toBe(false);
});
