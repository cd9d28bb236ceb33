import { expect, test } from 'vitest';
import { findUser, parseTokenFile } from './static-tokens.ts';

test('a token leads to the uid and the groups of its user', () => {
  const tokens = parseTokenFile('# who\ns3cret,Alice,alice,"a, b"\n\nother,Bob,bob\n', 'tokens');
  expect(findUser(tokens, 's3cret')).toEqual({
    name: 'Alice',
    uid: 'alice',
    groups: new Set(['a', 'b']),
  });
  expect(findUser(tokens, 'other')).toEqual({ name: 'Bob', uid: 'bob', groups: new Set() });
  for (const wrong of ['', 's3cre', 's3cret ', 'Alice', 'alice']) {
    expect(findUser(tokens, wrong)).toBeNull();
  }
});

test.each([
  ['two columns', 's3cret,Alice', 'line 1: 2 of 3 columns; write token,user,uid,"group1,group2".'],
  ['groups without quotes', 's3cret,Alice,alice,a,b', 'line 1: 5 columns; write'],
  ['an open quote', '\n\ns3cret,Alice,alice,"a', 'line 3: a quote is not closed; write'],
  ['no token', ',Alice,alice', 'line 1: the token or the uid is empty'],
  ['no uid', 's3cret,Alice,', 'line 1: the token or the uid is empty'],
  ['a blank in a token', 's3 cret,Alice,alice', 'line 1: a token has no blanks'],
  [
    'a token given twice',
    '#\ns3cret,Alice,alice\ns3cret,Bob,bob',
    'line 3: the token of line 2 again',
  ],
  ['two mistakes', 's3cret\ns3cret,Alice,', 'line 2: the token or the uid is empty'],
])('%s is refused, with its line and without the token', (_, content, why) => {
  const message = messageOf(() => parseTokenFile(content, '/etc/tokens.csv'));
  expect(message).toMatch(/^The token file \/etc\/tokens.csv is not usable: line 1|line [23]/);
  expect(message).toContain(why);
  expect(message).not.toContain('s3');
});

test('the first ten of many mistakes are reported', () => {
  const message = messageOf(() => parseTokenFile('wrong\n'.repeat(25), 'tokens'));
  expect(message).toContain('line 10: ');
  expect(message).not.toContain('line 11: ');
  expect(message).toMatch(/; and 15 more\.$/);
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'It was accepted.';
}
