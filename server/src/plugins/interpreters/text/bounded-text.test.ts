import { createRedactor } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { REPORT_LIMITS } from '../report-limits.ts';
import { detailsOf, joinNames, nameOf } from './bounded-text.ts';

const MAX = REPORT_LIMITS.nameLengthMax;
const LONG = 'x'.repeat(MAX);

test('a name that has room is as it is, but for blanks', () => {
  expect(nameOf(LONG)).toBe(LONG);
  expect(nameOf(' adds\n\tone ')).toBe('adds one');
  expect(nameOf('of\r\nlines')).toBe('of lines');
  expect(nameOf(undefined)).toBe('');
});

test('invisible characters do not become blanks, which would hide a secret from its mask', () => {
  const name = nameOf('s\ufeffe\rc\vr\fe\x07t-1');
  const shown = createRedactor(['secret-1']).shownJson(
    JSON.stringify({ kind: 'Custom', metadata: {}, name }),
  );
  expect(JSON.parse(shown).name).toBe('***');
});

test('a name that is too long says so, and is the same each time', () => {
  const name = nameOf(`${LONG}y`);
  expect(name).toHaveLength(MAX);
  expect(name).toMatch(/^x+…[0-9a-f]{12}$/);
  expect(nameOf(`${LONG}y`)).toBe(name);
});

test.each<readonly [what: string, ...names: readonly string[]]>([
  ['behind the room', `${LONG}1`, `${LONG}2`, `${LONG}12`],
  ['far behind it', `${LONG.repeat(8)}1`, `${LONG.repeat(8)}2`],
  ['behind many blanks', `a${' '.repeat(8 * MAX)}1`, `a${' '.repeat(8 * MAX)}2`, 'a'],
  [
    'in halves of characters',
    `${LONG.slice(14)}\ud83d\ude00 1 ${LONG}`,
    `${LONG.slice(14)}\ud83d\ude00 2 ${LONG}`,
  ],
])('names that differ %s stay apart', (_, ...names) => {
  const shown = names.map((name) => nameOf(name));
  expect(new Set(shown).size).toBe(names.length);
  for (const name of shown) {
    expect(name.length).toBeLessThanOrEqual(MAX);
    expect(name.isWellFormed()).toBe(true);
  }
});

test('so do names of suites in suites', () => {
  const [one, two] = ['1', '2'].map((last) => joinNames([LONG.slice(5), LONG.slice(5), last]));
  expect(one).not.toBe(two);
  expect([one?.length, two?.length]).toEqual([MAX, MAX]);
  expect(joinNames(['a', '', 'b'])).toBe('a > b');
  expect(joinNames(['', ''])).toBeNull();
});

test('a type of a failure is cut without a digest', () => {
  expect(detailsOf({ type: `${LONG}y` }).type).toBe(`${'x'.repeat(MAX - 1)}…`);
});
