import { expect, test } from 'vitest';
import { nextQuery } from './link-header.ts';

test.each([
  ['no header', null, null],
  ['no next relation', '<http://h/a?page=1>; rel="first"', null],
  ['next alone', '<http://h/a?page=2&per_page=5>; rel="next"', { page: '2', per_page: '5' }],
  [
    'next among others',
    '<http://h/a?page=1>; rel="first", <http://h/a?page=3>; rel="next", <http://h/a?page=9>; rel="last"',
    { page: '3' },
  ],
  ['several relations in one link', '<http://h/a?page=2>; rel="last next"', { page: '2' }],
  ['a relation without quotes', '<http://h/a?page=2>; rel=next', { page: '2' }],
  [
    'commas in the address',
    '<http://h/a?fieldSelector=a,b&page=2>; title="x"; rel="next"',
    {
      fieldSelector: 'a,b',
      page: '2',
    },
  ],
  ['a relation that only begins alike', '<http://h/a?page=2>; rel="nextish"', null],
])('the next page is found: %s', (_name, header, query) => {
  expect(nextQuery(header)).toEqual(query);
});
