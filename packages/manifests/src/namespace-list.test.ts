import { expect, test } from 'vitest';
import { plainNamespaces } from './namespace-list.ts';

test.each([
  ['', ''],
  [' , ', ''],
  ['team-a', 'team-a'],
  ['team-a, team-b', 'team-a,team-b'],
  [' b ,,a,b,', 'b,a'],
  ['*', '*'],
  ['a, * ', '*'],
])('the namespaces %j are %j', (namespaces, plain) => {
  expect(plainNamespaces(namespaces)).toBe(plain);
});
