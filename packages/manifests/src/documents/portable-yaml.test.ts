import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { parse } from 'yaml';
import { portableYaml } from './portable-yaml.ts';

/** Texts that some reader takes for another kind of value, or for syntax. */
const TEXTS = [
  ...['y', 'Y', 'yes', 'No', 'on', 'OFF', 'true', 'False', 'null', 'Null', '~', '', '=', '<<'],
  ...['12:30', '190:20:30.15', '+12:30', '2001-01-01', '2001-1-1 10:00:00', '2001-12-14t21:59:43Z'],
  ...['0o7', '017', '0x1F', '0b101', '1_000', '685_230.15', '1,000', '1e3', '12e03', '.5', '1.'],
  ...['+1', '-1', '.inf', '-.INF', '.NaN', '_1', '1__0'],
  ...[
    '! a',
    '!a',
    '*',
    '&a',
    '%a',
    '@a',
    '`a',
    '|',
    '>',
    '?',
    '-',
    '- a',
    '---',
    '...',
    '{a',
    '[a',
  ],
  ...[
    'a: b',
    'a:',
    ':a',
    'a #b',
    '#a',
    ' a',
    'a ',
    'a\tb',
    "it's",
    'say "hi"',
    'back\\slash',
    '\0',
  ],
  ...['\u0007', '\u007f', '\u0085', '\u00a0', '\u2028', '\u2029', '\ufeff', '\ufffe', '\ud800'],
  ...['é', 'größe', '日本', '😀', 'https://a.b/c?d=e', '/usr/bin', 'a, b', 'a\r\nb', 'a\rb'],
  ...['a\nb', 'a\nb\n', 'a\nb\n\n', '\na', ' a\nb', 'a\n b', 'a\n\u2028b', 'a \nb', 'a\n '],
] as const;

test.each(['1.1', '1.2'] as const)('readers of YAML %s find each text as it is', (version) => {
  const asKeys = Object.fromEntries(TEXTS.map((text, index) => [text, index]));
  const data = { texts: TEXTS, asKeys, deep: [{ yes: ['no', { on: 'off' }] }] };
  expect(parse(portableYaml(yaml, data), { version, merge: true })).toEqual(data);
});

test.each([
  [{ a: 'yes' }, 'a: "yes"'],
  [{ on: 'x' }, '"on": x'],
  [
    ['12:30', '=', '2001-01-01', '0o7', '1_000'],
    '- "12:30"\n- "="\n- "2001-01-01"\n- "0o7"\n- "1_000"',
  ],
  [
    ['plain text', 'https://a.b/c', 'größe', 'a-b_c.d'],
    '- plain text\n- https://a.b/c\n- größe\n- a-b_c.d',
  ],
  ['\u0085\u2028\ufeff\u007f"\\', '"\\u0085\\u2028\\ufeff\\u007f\\"\\\\"'],
  [{ script: 'one\ntwo\n' }, 'script: |\n  one\n  two'],
  [{ script: 'one\n\u0085' }, 'script: "one\\n\\u0085"'],
  [['x'.repeat(200)], `- ${'x'.repeat(200)}`],
  [[true, false, null, 0, -1.5, 12], '- true\n- false\n- null\n- 0\n- -1.5\n- 12'],
  // Without a point, readers of 1.1 take it for a text.
  [[1e21, -1e-7, 1.5e-7], '- 1.0e+21\n- -1.0e-7\n- 1.5e-7'],
  [{ list: [], map: {} }, 'list: []\nmap: {}'],
])('%j is written as %j', (data, text) => {
  expect(portableYaml(yaml, data)).toBe(`${text}\n`);
});

describe('what was another kind of value', () => {
  test.each(['1.1', '1.2'] as const)('stays that for readers of YAML %s', (version) => {
    const data = [true, false, null, 0, -1.5, 1e21, -1e-7, 12345678901, { a: [] }];
    expect(parse(portableYaml(yaml, data), { version })).toEqual(data);
  });
});
