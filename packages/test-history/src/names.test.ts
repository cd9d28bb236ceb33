import { expect, test } from 'vitest';
import { movedTests, nameWarning, stableName } from './names.ts';

test('rules map changing names of a suite to one name', () => {
  const rules = [{ suite: /^Order/, match: /order \d+/, replace: 'order N' }];
  expect(stableName({ suite: 'OrderTest', name: 'ships order 17' }, rules)).toBe('ships order N');
  expect(stableName({ suite: 'CartTest', name: 'ships order 17' }, rules)).toBe('ships order 17');
});

test.each([
  ['ids', 'ships 17', 'ships 42', 'ships #'],
  ['times', 'at 10:20:30', 'at 11:00:01', 'at #'],
  ['ports', 'GET localhost:40213', 'GET localhost:40999', 'GET localhost:#'],
  [
    'UUIDs',
    'user 7f6a1c52-6f0e-5b1e-9d53-3f1d2a7c9b80',
    'user 2ed6657d-e927-568b-95e1-2665a8aea6a2',
    'user #',
  ],
  ['hashes', 'commit deadbeef1', 'commit cafe0123a', 'commit #'],
])('a suite with %s in its names is reported', (_, before, now, pattern) => {
  const names = { suite: 'S', names: ['plain', now], appeared: [now], gone: [before] };
  expect(nameWarning(names)).toEqual({ suite: 'S', example: now, pattern });
});

test('new tests are no warning: in a first run, beside many known ones, or with other words', () => {
  const appeared = ['case 1', 'case 2'];
  expect(nameWarning({ suite: 'S', names: appeared, appeared, gone: [] })).toBeNull();
  const many = [...appeared, 'a', 'b', 'c'];
  expect(nameWarning({ suite: 'S', names: many, appeared, gone: ['case 0'] })).toBeNull();
  const other = [...appeared, 'new'];
  expect(nameWarning({ suite: 'S', names: other, appeared: other, gone: ['case 0'] })).toBeNull();
});

const named = (suite: string, name: string, technology = 'junit') => ({ suite, name, technology });

test('a test that is gone in one suite and appears in another one has moved', () => {
  const [from, to] = [named('old', 'signs in'), named('new', 'signs in')];
  expect(movedTests([from, named('old', 'signs out')], [to])).toEqual([{ from, to }]);
});

test.each([
  ['the match is not unique', [named('a', 't'), named('b', 't')], [named('c', 't')]],
  ['it appears twice', [named('a', 't')], [named('b', 't'), named('c', 't')]],
  ['the technology differs', [named('a', 't')], [named('b', 't', 'pytest')]],
  ['the suite is the same', [named('a', 't')], [named('a', 't')]],
])('a test has not moved if %s', (_, gone, appeared) => {
  expect(movedTests(gone, appeared)).toEqual([]);
});
