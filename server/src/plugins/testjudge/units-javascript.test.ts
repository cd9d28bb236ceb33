import type { TestUnit } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { selectorOf } from './units.ts';

/** `suite|name|file`; a mark `!` at the end says that the other test failed. */
function testOf(text: string) {
  const [suite = '', name = '', file = ''] = text.replace(/!$/, '').split('|');
  const hasFailed = text.endsWith('!');
  return { suite: suite || null, name, file: file || null, hasFailed };
}

function selected(unit: TestUnit, wanted: readonly string[], others: readonly string[] = []) {
  const asked = { wanted: wanted.map(testOf), others: others.map(testOf), os: 'linux' } as const;
  return selectorOf(unit)(asked);
}

type Row = readonly [string, readonly string[], readonly string[], readonly string[] | null];

test.each<Row>([
  ['a project', ['a > b > t.js|s › n'], [], ['[a > b] › t.js › s › n']],
  ['no project', ['more/t.js|n "$(x)"'], ['t.js|n "$(x)"'], ['more/t.js › n "$(x)"']],
  ['a sign that separates titles', ['t.js|a› b'], [], null],
  ['a title that is empty', ['t.js|a ›  › b'], [], null],
  ['a file that begins a comment', ['#t.js|n'], [], null],
  ['a test with the title of a suite', ['t.js|n'], ['t.js|n › m'], null],
  ['the same in another file', ['t.js|n'], ['u.js|n › m'], ['t.js › n']],
  ['no suite', ['|n'], [], null],
  ['more than a file may have', [`t.js|${'x'.repeat(60_001)}`], [], null],
])('Playwright: %s', (_, wanted, others, expected) => {
  expect(selected('playwright', wanted, others)).toEqual(expected);
});

test.each<Row>([
  ['a suite', ['s t|n|/w/a.js'], [], ['{"file":"/w/a.js","suites":["s t"],"name":"n"}']],
  ['no suite', ['a.js|n|/w/a.js'], [], ['{"file":"/w/a.js","suites":["a.js",""],"name":"n"}']],
  ['a file that is named by its folder', ['more/a.js|n|/w/more/a.js'], [], null],
  ['a folder that differs', ['./a.js|n|/w/more/a.js'], [], null],
  ['a hook', ['s|"before each" hook for "n"|/w/a.js'], [], null],
  ['no file', ['s|n'], [], null],
])('Mocha: %s', (_, wanted, others, expected) => {
  expect(selected('mocha', wanted, others)).toEqual(expected);
});

const pattern = (source: string): string => `--testNamePattern=^\\s*(?:${source})\\s*$`;

test.each<Row>([
  ['a suite', ['s t|n (1)|a.js'], [], [pattern('s\\s+t\\s+n\\s+\\(1\\)'), 'a.js']],
  ['no suite', ['a.js|n|a.js'], [], [pattern('(?:a\\.js\\s+)?n'), 'a.js']],
  ['two of a file', ['s|n|-a.js', 's|m|-a.js'], [], [pattern('s\\s+n|s\\s+m'), './-a.js']],
  [
    'the title in a file that does not run',
    ['s|n|a.js'],
    ['s|n|b.js'],
    [pattern('s\\s+n'), 'a.js'],
  ],
  ['the title in a file that runs', ['s|n|a.js', 's|m|b.js'], ['s t|N|b.js', 's|N|b.js'], null],
  ['the title in other suites', ['s t|n|a.js'], ['s|t n|a.js'], null],
  ['the title in several other files', ['s t|n|a.js'], ['s|t n'], null],
  ['no file', ['s|n'], [], null],
])('Jest: %s', (_, wanted, others, expected) => {
  expect(selected('jest', wanted, others)).toEqual(expected);
});

test.each<Row>([
  ['a suite', ['a.ts|s > n'], ['b.ts|s > n'], [pattern('s(?: > | )n'), 'a.ts']],
  ['a file whose path has the other', ['a.ts|n'], ['more/A.tsx|n'], null],
  ['titles that are the same in older versions', ['a.ts|s > n'], ['a.ts|s n'], null],
  ['a suite whose hook failed', ['a.ts|s'], ['a.ts|s > n'], null],
  ['a file that cannot be loaded', ['a.ts|a.ts'], [], null],
  ['a class of another template', ['shop|n'], [], null],
])('Vitest: %s', (_, wanted, others, expected) => {
  expect(selected('vitest', wanted, others)).toEqual(expected);
});

const titles = (source: string): string => `^\\s*(?:${source})\\s*$`;

test.each<Row>([
  ['a scenario', ['F|n (1)'], ['F|m', 'G|o'], [titles('n\\s+\\(1\\)')]],
  ['a rule', ['F|r - n'], [], [titles('r\\s+-\\s+n|n')]],
  ['an example', ['F|o - e - #1.2: n - m'], [], [titles('n\\s+-\\s+m')]],
  ['an example with the title of its outline', ['F|o - #1.2'], ['F|o - #1.1'], [titles('o')]],
  ['named examples', ['F|o - e - #1.2'], [], [titles('o|o\\s+-\\s+e|e')]],
  ['the title in another feature', ['F|n'], ['G|r - n'], null],
  ['the title of a spared failure', ['F|o - #1.2'], ['F|o - #1.1!'], null],
])('Cucumber-js: %s', (_, wanted, others, expected) => {
  expect(selected('cucumber-js', wanted, others)).toEqual(expected);
});

test.each<Row>([
  ['no suite', ['|n (1)'], ['|m'], ['^\\s*(?:)?n\\s+\\(1\\)\\s*$']],
  ['suites', ['s > t|n'], ['s|m'], ['^\\s*(?:s[ .]t[ .])?n\\s*$']],
  ['suites of newer versions', ['s.t|n'], ['s|m'], ['^\\s*(?:s[ .]t[ .])?n\\s*$']],
  ['two tests', ['|n', '|m'], [], ['^\\s*(?:)?n\\s*$', '^\\s*(?:)?m\\s*$']],
  ['the title in another suite', ['s|n'], ['t|n'], null],
  ['the title of a suite', ['|n'], ['s > n|m'], null],
  ['the title of a suite in a suite', ['|s n'], ['s > n|m'], null],
  ['the title of a suite with a dot', ['|a.c'], ['s.a.c|m'], null],
])('node:test: %s', (_, wanted, others, expected) => {
  expect(selected('node-test', wanted, others)).toEqual(expected);
});

test.each<TestUnit>(['jest', 'vitest', 'cucumber-js'])('%s on Windows gets no pattern', (unit) => {
  const wanted = [{ suite: 'a.ts', name: 'n', file: 'a.ts' }];
  expect(selectorOf(unit)({ wanted, others: [], os: 'windows' })).toBeNull();
});
