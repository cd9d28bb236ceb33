import { expect, test } from 'vitest';
import { plainNamespaces, wrongNamespace } from './namespace-list.ts';

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

test.each([
  [['*'], null],
  [['team-a', '0'], null],
  [['a', ''], ''],
  [['a', '*'], '*'],
  [['A'], 'A'],
  [['a b'], 'a b'],
])('of the namespaces %j, %j is no name', (names, wrong) => {
  expect(wrongNamespace(names)).toBe(wrong);
});
