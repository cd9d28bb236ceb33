import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import type { ProblemPlace } from './problem.ts';
import { readYaml } from './yaml-reader.ts';

function problemsOf(text: string) {
  const reading = readYaml(yaml, text);
  return reading.ok ? [] : reading.problems;
}

/** The piece of the text that a problem at a place points at. */
function pointed(text: string, place: ProblemPlace): string {
  const reading = readYaml(yaml, text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const { line, column, endLine, endColumn } = reading.document.spanOf(place);
  const lines = text.split('\n');
  const offset = (row: number, col: number) =>
    lines.slice(0, row - 1).reduce((sum, each) => sum + each.length + 1, 0) + col - 1;
  return text.slice(offset(line, column), offset(endLine, endColumn));
}

test('all syntax errors are told, in the order of the text', () => {
  const problems = problemsOf('a: !x 1\nb: !y 2\nc: "\\q"\n');
  expect(problems.map(({ span }) => span?.line)).toEqual([1, 2, 3]);
});

test.each<[text: string, problems: readonly string[]]>([
  [
    'a:\n    b: 1\n  cd: 2\n',
    ['3:3-5 the keys of a map must begin in the same column, this one in column 1 or 5'],
  ],
  [
    'a:\n  b: 1\n   \n c\n',
    [
      '4:2-3 the lines of a map or a list must begin in the same column, each with a key and ":", or with "- "',
    ],
  ],
  [
    'a:\n  b:\n    - c: 1\n      d: 1\n     e: 1\n  f: 1\n',
    ['5:6-7 the keys of a map must begin in the same column, this one in column 3 or 7'],
  ],
  [
    'metadata: {name: x}\nruns: 1\n  a: {b: 1}\n  c: {b: 1}\n',
    [
      '3:3-4 this is indented deeper than what it follows: begin it in column 1, unless a key is missing above it',
    ],
  ],
  [
    ' a: 1\nb: 2\nc: 3\n',
    [
      '1:2-3 the first key of the document is indented deeper than others: begin all of them in column 1',
    ],
  ],
  [
    's:\n  - run: 1\n   - run: 2\n  - run: 3\n',
    ['3:4-5 the items of a list must begin in the same column, this one in column 3'],
  ],
  [
    's:\n  - {a: 1}\n    b: 1\n',
    [
      '3:5-6 the item above ends in its line: begin another one with "- ", or indent this as what it belongs to',
    ],
  ],
  [
    's:\n  - name: x\n  run: y\n',
    [
      '3:3-6 this is in the column of the items of a list: indent it deeper if it belongs to the item above, or begin it with "- "',
    ],
  ],
  ['s:\n  -run: x\n  - run: y\n', ['2:3-4 a blank is missing behind "-"']],
  ['s:\n  - run: x\n  -run: y\nb: 1\n', ['3:3-4 a blank is missing behind "-"']],
  [
    'a:\n  on: linux\n  - run: x\n',
    [
      '3:3-4 this list belongs to no key: a line such as "steps:" is missing above it, or it is indented wrongly',
    ],
  ],
  [
    'a:\n  on: linux\n    - run: x\n    - run: y\nb: 1\n',
    [
      '3:5-6 this list belongs to no key: a line such as "steps:" is missing above it, or it is indented wrongly',
    ],
  ],
  [
    'a: |\n  text\n    b: 1\nc: "x\n  y: z"\nd: [\n  1,\n    2]\n# e\n   \ne:\n  f: {g: 1,\n   h: 2}\n   i: 1\n',
    [
      '14:4-5 this is indented deeper than what it follows: begin it in column 3, unless a key is missing above it',
    ],
  ],
])('in %j the line is told that is in a wrong column, and what to do', (text, problems) => {
  expect(shownBy(text)).toEqual(problems);
});

test('all duplicate keys are told, with the place of the second one', () => {
  expect(problemsOf('a: 1\nb: {c: 1, c: 2}\na: 2\n')).toEqual([
    {
      message: 'the key "c" is given twice',
      span: { line: 2, column: 11, endLine: 2, endColumn: 12 },
      isTooLarge: false,
    },
    {
      message: 'the key "a" is given twice',
      span: { line: 3, column: 1, endLine: 3, endColumn: 2 },
      isTooLarge: false,
    },
  ]);
});

test('numbers that would come out with other digits are told, with their places', () => {
  const text = `id: 12345678901234567891
list: [1, -9007199254740993, .inf, 1e999]
kept: [9007199254740991, "12345678901234567891", 0.1234567890123456789, 1e20, 0x10]
`;
  expect(
    problemsOf(text).map(({ message, span }) => `${span?.line}:${span?.column} ${message}`),
  ).toEqual(
    ['1:5', '2:11', '2:30', '2:36'].map(
      (place) => `${place} this number is too large to be kept, put it in quotes if it is a text`,
    ),
  );
});

/** `line:column-column message`. */
const shownBy = (text: string) =>
  problemsOf(text).map(
    ({ message, span }) => `${span?.line}:${span?.column}-${span?.endColumn} ${message}`,
  );

const DEEP = 'values may be nested 64 levels deep at most';

test.each<[what: string, text: string, problems: readonly string[]]>([
  ['lists that are too deep', `a:\n  ${'['.repeat(64)}${']'.repeat(64)}`, [`2:66-68 ${DEEP}`]],
  [
    'lists that are far too deep',
    `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    [`1:67-68 ${DEEP}`],
  ],
  ['lists in lists that are far too deep', `${'- '.repeat(20_000)}x`, [`1:129-130 ${DEEP}`]],
  ['a value in itself', 'a: &a [*a]', [`1:8-10 ${DEEP}`]],
  [
    'a key that is not allowed',
    'a:\n  __proto__: 1\n',
    ['2:3-12 the key "__proto__" is not allowed'],
  ],
  [
    'all references to nothing',
    'a: *x\nb: [*y, &x 1]\n',
    ['1:4-6 no anchor "&x" is before this alias', '2:5-7 no anchor "&y" is before this alias'],
  ],
  [
    'what cannot be taken over',
    'a: &a x\nb:\n  <<: *a\n',
    ['3:3-5 what "<<" takes over must be a map, or a list of maps'],
  ],
  [
    'references that multiply',
    `a: &a [x]\nb: &b [${Array(20).fill('*a').join()}]\nc: [*b, *b, *b, *b,*b]`,
    [
      '3:17-19 what aliases repeat may stand 100 times in a document at most, those within it counted as well',
    ],
  ],
])('%s are told where they stand', (_, text, problems) => {
  expect(shownBy(text)).toEqual(problems);
});

// Bound: Characters of a YAML document, with repeated references.
test('texts that references repeat count each time', () => {
  const long = 'x'.repeat(DOCUMENT_LIMITS.yamlLength - 1_000);
  const repeated = (count: number) => `a: &a "${long}"\nb: [${Array(count).fill('*a').join()}]`;
  expect(problemsOf(repeated(7))).toEqual([]);
  expect(problemsOf(repeated(8))).toMatchObject([
    { message: expect.stringContaining('may have 4194304 characters at most'), span: { line: 2 } },
  ]);
});

// Bound: A YAML document.
test('a document that is too long is told where it becomes so', () => {
  const text = `a: 1\nb: ${'x'.repeat(DOCUMENT_LIMITS.yamlLength)}`;
  expect(problemsOf(text)).toMatchObject([
    { isTooLarge: true, span: { line: 2, column: DOCUMENT_LIMITS.yamlLength - 4 } },
  ]);
});

const TEXT = `metadata: {name: demo}
jobs:
  a:
    needs:
    steps:
      - run: |
          echo one
            echo \${{ two }}
      - {name: three, run: four}
      - name: five
        run: six
`;

describe('a place points at', () => {
  test.each<[what: string, place: ProblemPlace, text: string]>([
    ['a value', { path: ['metadata', 'name'] }, 'demo'],
    ['the key of a map over several lines', { path: ['jobs', 'a'] }, 'a'],
    ['the key of a list', { path: ['jobs', 'a', 'steps'] }, 'steps'],
    ['the key of a map on one line', { path: ['metadata'] }, 'metadata'],
    ['the key of what is empty', { path: ['jobs', 'a', 'needs'] }, 'needs'],
    ['an item of a list', { path: ['jobs', 'a', 'steps', 1] }, '{name: three, run: four}'],
    ['the first line of an item of a list', { path: ['jobs', 'a', 'steps', 2] }, 'name: five'],
    ['a key', { path: ['jobs', 'a', 'steps', 1], key: 'run' }, 'run'],
    [
      'a piece of a text',
      { path: ['jobs', 'a', 'steps', 0, 'run'], piece: { at: 20, length: 3 } },
      'two',
    ],
    [
      'what is around a value that is not there',
      { path: ['jobs', 'a', 'steps', 1, 'if'] },
      '{name: three, run: four}',
    ],
    ['the first line of the document', { path: [] }, 'metadata: {name: demo}'],
  ])('%s', (_, place, text) => {
    expect(pointed(TEXT, place)).toBe(text);
  });

  test('the reference, where a value comes from elsewhere', () => {
    const text = 'a: &x {b: 1}\nc: *x\n';
    expect(pointed(text, { path: ['c', 'b'] })).toBe('*x');
  });
});

describe('tags', () => {
  test.each([
    ['!!set', '{b, c}'],
    ['!!omap', '[b: 1]'],
    ['!!pairs', '[b: 1]'],
    ['!!binary', 'aGVsbG8='],
    ['!!timestamp', '2020-01-01'],
    ['!mine', 'x'],
    ['!<tag:yaml.org,2002:set>', '{b}'],
    ['!!int', 'abc'],
  ])('%s %s is refused where the tag is, with what to do', (tag, value) => {
    expect(shownBy(`a: ${tag} ${value}`)).toEqual([
      `1:4-${4 + tag.length} the tag ${tag} cannot be used here, leave it out`,
    ]);
  });

  test('of the values that JSON has are taken', () => {
    const text =
      'a: !!str 1\nb: !!int 1\nc: !!float 1.5\nd: !!bool true\ne: !!null null\nf: !!map {a: 1}\ng: !!seq [1]\n';
    const reading = readYaml(yaml, text);
    const value = reading.ok ? reading.document.value : reading.problems;
    expect(value).toEqual({ a: '1', b: 1, c: 1.5, d: true, e: null, f: { a: 1 }, g: [1] });
  });
});

test('what is no number is not called too large', () => {
  expect(shownBy('a: .nan')).toEqual([
    '1:4-8 this is no number that can be kept, write a number, or put it in quotes if it is a text',
  ]);
});

test.each([
  ['jobs:\n  a:\n    steps:\n\t- run: x\n', '4:1-2'],
  ['metadata:\n\tname: x\njobs:\n\ta: 1\n', '2:1-2'],
  ['a:\n  \tb: 1\n  c: 2\n', '2:3-4'],
])('of a tab as indentation in %j only the tab is told', (text, place) => {
  expect(shownBy(text)).toEqual([`${place} tabs are not allowed as indentation, use spaces`]);
});

describe('what else a document says is there, although it is refused', () => {
  const flawed = (text: string) => {
    const reading = readYaml(yaml, text);
    if (reading.ok || reading.document === null) throw new Error(JSON.stringify(reading));
    return { ...reading.document, count: reading.problems.length };
  };

  test.each<[what: string, text: string, value: unknown, unsure: ProblemPlace]>([
    ['a tag', 'a: !x 1\nb: 2', { a: '1', b: 2 }, { path: ['a'] }],
    ['a tag of a map', 'a: !x {b: 1}\nc: 2', { a: { b: 1 }, c: 2 }, { path: ['a', 'b'] }],
    ['a lone tag', 'run: ! grep x\nb: 2', { run: 'grep x', b: 2 }, { path: ['run'] }],
    ['a large number', 'a: 1e999\nb: 2', { a: Infinity, b: 2 }, { path: ['a'] }],
    ['a key of prototypes', 'a: {__proto__: 1, b: 2}', { a: { b: 2 } }, { path: [], key: '' }],
    ['a reference to nothing', 'a: [*x, 1]', { a: [null, 1] }, { path: ['a', 0] }],
    ['a text that is given twice', 'a: 1\na: 2\nb: 2', { a: 1, b: 2 }, { path: ['a'] }],
    ['maps that are given twice', 'a: {b: 1}\na: {c: 2}', { a: { b: 1, c: 2 } }, { path: ['a'] }],
    [
      'what is within maps that are given twice',
      'a: {b: {c: [1]}}\na: {b: {c: [2], d: 3}}',
      { a: { b: { c: [1], d: 3 } } },
      { path: ['a', 'b', 'd'] },
    ],
    ['a merge of nothing', 'a:\n  <<: *x\n  b: 2', { a: { b: 2 } }, { path: ['a', '<<'] }],
    ['merges of nothing', 'a:\n  <<: [*x]\n  b: 2', { a: { b: 2 } }, { path: ['a', '<<'] }],
    [
      'a reference to what does not count',
      'a: 1\na: &x 2\nb: *x',
      { a: 1, b: null },
      { path: ['b'] },
    ],
  ])('beside %s', (_, text, value, unsure) => {
    const document = flawed(text);
    expect(document.value).toEqual(value);
    expect(document.count).toBe(1);
    if (unsure.key === undefined && unsure.path.at(-1) !== '<<')
      expect(document.isUnsure(unsure)).toBe(true);
  });

  test('and certain, where its author wrote it so', () => {
    const { isUnsure, value } = flawed('a: {b: !x 1, c: 2}\nd: {e: 1}\nd: {f: 2}\nd: {g: 3}');
    expect(value).toEqual({ a: { b: '1', c: 2 }, d: { e: 1, f: 2, g: 3 } });
    const places: readonly ProblemPlace[] = [
      { path: [] },
      { path: ['a'] },
      { path: ['a'], key: 'b' },
      { path: ['a', 'c'] },
      { path: ['d'] },
      { path: ['d'], key: 'f' },
      { path: ['d', 'g'] },
    ];
    expect(places.map(isUnsure)).toEqual([false, false, true, false, true, false, false]);
  });

  test('with its places', () => {
    const { spanOf } = flawed('a: {b: 1}\na:\n  c: !x 2');
    expect(spanOf({ path: ['a', 'c'] })).toMatchObject({ line: 3, column: 9 });
  });

  test('but not where nobody can say what it has', () => {
    for (const text of [
      'a: [1',
      'a: "x" y',
      'a: 1e999\nb:\n  <<: 1',
      `a: !x ${'['.repeat(80)}${']'.repeat(80)}`,
    ]) {
      expect(readYaml(yaml, text)).toMatchObject({ ok: false, document: null });
    }
  });

  test('in linear time', () => {
    const text = Array.from({ length: 10_000 }, (_, index) => `k: {a${index}: 1}`).join('\n');
    const document = flawed(text);
    expect(document.count).toBe(9_999);
    expect(Object.keys(Object(Object(document.value).k))).toHaveLength(10_000);
  });
});

test('texts with a mistake in each of very many lines are read in linear time', () => {
  for (const line of ["k@: 'it's'", 'k@: "a" b', ' k@: [a] b', 'k@: {{ a }}', 'k@: !a && !b']) {
    const lines = Array.from({ length: 20_000 }, (_, index) => line.replace('@', `${index}`));
    const reading = readYaml(yaml, lines.join('\n'));
    expect(reading.ok ? [] : reading.problems.slice(0, 1)).toHaveLength(1);
  }
});

const TAG = '"!" begins a tag in YAML,';
const QUOTES = `${TAG} put the condition in quotes`;
const BARE = 'an expression within [ ] or { } must be in quotes';
const COLON = 'a text with ": " in it must be in quotes, or be a block that "|" begins';
const COLON_WITHIN = 'a text with ": " in it must be in quotes';
const NO_COLON = (key: string) => `":" is missing behind the key "${key}"`;
const NO_BLANK = (key: string) => `a blank is missing behind the key "${key}"`;
const BLOCK = (key: string) =>
  `the text of ${key} must be indented deeper than the line with its "|" or ">"`;
const AS_FIRST = 'must be indented as deep as its first line';
const MORE_LINES =
  'a text of several lines is a block: write "run: |", and all its lines below that, indented deeper';
const DEEPER = (column: number) =>
  `this is indented deeper than what it follows: begin it in column ${column}, unless a key is missing above it`;
const HEADER =
  'nothing may follow the "|" or ">" that begins a block: put the text into the lines below, indented deeper, or in quotes';
const NO_COMMA =
  'a "," is missing before this; a text that begins with a bracket must be in quotes as a whole';
const SIGN = (sign: string) => `a text that begins with "${sign}" must be in quotes`;
const OPEN = (open: string, close: string) =>
  `"${open}" is not closed: "${close}" must follow, in the same line or in lines that are indented deeper; a text that begins with "${open}" must be in quotes`;
const DOLLAR = 'an expression begins with "$", write';
const BEHIND = 'nothing may follow a value in quotes or brackets, put all of it in quotes together';

test.each<[text: string, problems: readonly string[]]>([
  ['if: !cancelled()', [`1:5-17 ${TAG} write if: \${{ !cancelled() }}`]],
  ['if: !failure() && true # yes', [`1:5-23 ${TAG} write if: \${{ !failure() && true }}`]],
  [
    'if: !cancelled() && !failure()\r\nb: 1\r\n',
    [`1:5-31 ${TAG} write if: \${{ !cancelled() && !failure() }}`],
  ],
  ["if: !contains(a, 'b')\nb: 1", [`1:5-22 ${TAG} write if: \${{ !contains(a, 'b') }}`]],
  ["if: !steps['x'].y && z", [`1:5-23 ${TAG} write if: \${{ !steps['x'].y && z }}`]],
  ['- if: !inputs.x', [`1:7-16 ${TAG} write if: \${{ !inputs.x }}`]],
  ['a: {if: !(a), b: 1}', [`1:9-13 ${TAG} write if: "!(a)"`]],
  [
    `a: {if: !contains(a, 'b'), b: 1}\nc: [{if: !contains(a, "it's")}]`,
    [
      `1:9-26 ${TAG} write if: "!contains(a, 'b')"`,
      `2:10-30 ${TAG} write if: '!contains(a, "it''s")'`,
    ],
  ],
  [`if: !${'a'.repeat(120)}`, [`1:5-126 ${QUOTES}`]],
  ['keep-workspace: !failure()', [`1:17-27 ${QUOTES}`]],
  ['run: ! grep x y', ['1:8-16 "!" begins a tag in YAML, put the whole text in quotes']],
  [`a: {runs-on: \${{ variables.X }}, steps: [{run: x}]}\nb: 1`, [`1:14-32 ${BARE}`]],
  [`a: [\${{ x }}]\nb: 1`, [`1:5-13 ${BARE}`]],
  [`a: {b: x \${{ y }}}`, [`1:10-18 ${BARE}`]],
  [`a: [\${{ x\n}}]`, [`1:5-7 ${BARE}`]],
  ['run: echo "a": b', [`1:6-17 ${COLON}`]],
  ['- run: echo "a": b\n- name: a: b\n- run: x', [`1:8-19 ${COLON}`, `2:9-13 ${COLON}`]],
  [
    '- {run: x: y}\n- {run: echo "a: b"}\n- a: 1',
    [`1:9-13 ${COLON_WITHIN}`, `2:9-20 ${COLON_WITHIN}`],
  ],
  ['jobs\n  a:\n    b: 1', [`1:1-5 ${NO_COLON('jobs')}`]],
  ['a:\n  runs-on linux\n  steps:\n  - run: x\n', [`2:3-10 ${NO_COLON('runs-on')}`]],
  ['a:\n  runs-on:linux\n  steps:\n  - run: x\n', [`2:3-10 ${NO_BLANK('runs-on')}`]],
  [
    'a:\n- name x\n  run: x\n- run: y\n  shell\n- if: a\n  run b\n',
    [`2:3-7 ${NO_COLON('name')}`, `5:3-8 ${NO_COLON('shell')}`, `7:3-6 ${NO_COLON('run')}`],
  ],
  [
    'a: 1\n"b" c\nd: 1',
    ['2:1-4 this is neither a key with ":" behind it nor part of what stands before it'],
  ],
  ['- run: |\n  a b\n  c d: e\n- x: y', [`2:3-6 ${BLOCK('"run"')}`]],
  ['- run: >-\n\n  a b\n- x: y', [`3:3-6 ${BLOCK('"run"')}`]],
  ['a:\n- run: | # it\n    foo\n- run: |\n  a\n- run: |\n  b\n', [`5:3-4 ${BLOCK('"run"')}`]],
  ['a:\n  - run: |\n  a "b"\n  if c\n    d: e\n  - run: |\n    x\n', [`3:3-8 ${BLOCK('"run"')}`]],
  ['a:\n  run: |\nb c\nd: e\n', [`3:1-4 ${BLOCK('"run"')}`]],
  [
    'a:\n    - run: x\n   - run: y\nb: 1',
    ['3:4-5 the items of a list must begin in the same column, this one in column 5'],
  ],
  [
    'a:\n    - name: x\n      run: x\n  - run: y\n',
    ['4:3-4 the items of a list must begin in the same column, this one in column 5'],
  ],
  ['a: b\n c: d', [`2:2-3 ${DEEPER(1)}`]],
  ['a:\n  b: 1\n   c: 2\nd: 1', [`3:4-5 ${DEEPER(3)}`]],
  ['a: "abc\nb: 1\n', ['1:4-5 the quote " is not closed']],
  ['x: "y"\na: \'abc\nb: it\n', ["2:4-5 the quote ' is not closed"]],
  ["a: [\n 'abc, 1]\nb: it\n", ["2:2-3 the quote ' is not closed"]],
  ['if: "a" == "b"\nrun: "x" y', [`1:9-15 ${BEHIND}`, `2:10-11 ${BEHIND}`]],
  ['run: [ -f x ] && y', [`1:15-17 ${BEHIND}`]],
  ['{a: 1}: 2', ['1:1-2 a key must be a text']],
  ['- run: npm test\n  npm run lint\n- run: x', [`2:3-15 ${MORE_LINES}`]],
  ['- run: npm test\n  npm run lint\n  if: x', [`2:3-15 ${MORE_LINES}`]],
  ['- run: |\n    a\n   b c\n- run: y', [`3:4-7 the text of "run" ${AS_FIRST}`]],
  ['- run: |\n    a\n  b c\n- run: y', [`3:3-6 ${BLOCK('"run"')}`]],
  ['- run: |\n    a\n  shell b\n- run: y', [`3:3-8 ${NO_COLON('shell')}`]],
  ['- run: |\n    a\n\t  b c\n- run: y', ['3:1-4 tabs are not allowed as indentation, use spaces']],
  ['run: docker run\n  -e "A: b" image', [`2:3-18 ${COLON}`]],
  ['run: | echo x\nb: 1', [`1:8-14 ${HEADER}`]],
  ['run: > out.txt\nb: 1', [`1:8-15 ${HEADER}`]],
  ['a: >os: x', [`1:5-6 ${HEADER}`]],
  ['a: ["b" "c"]', [`1:9-10 ${NO_COMMA}`]],
  ['run: [ "$A" = x ] && echo', [`1:13-14 ${NO_COMMA}`]],
  ['a: @x\nb: `c`\nd: %e', ['@', '`', '%'].map((sign, index) => `${index + 1}:4-5 ${SIGN(sign)}`)],
  ['a: * \nb: 1', [`1:4-5 ${SIGN('*')}`]],
  [
    'run: - x',
    [
      '1:6-7 a list begins in the line below its key; a text that begins with "- " must be in quotes',
    ],
  ],
  ['a: ]\nb: 1', ['1:4-5 "]" closes nothing; a text that begins with it must be in quotes']],
  ['a: {b: 1\nc: 2\n', [`1:4-5 ${OPEN('{', '}')}`]],
  ['a: [{b: 1}, [c]\nd: 2\n', [`1:4-5 ${OPEN('[', ']')}`]],
  [
    'a: {{ b.c }}\nd: !x 1',
    [`1:4-13 ${DOLLAR} \${{ b.c }}`, '2:4-6 the tag !x cannot be used here, leave it out'],
  ],
  ['a: [{{ b.c }}]', [`1:5-14 ${DOLLAR} "\${{ b.c }}"`]],
  [`a: {{ ${'b'.repeat(200)} }}`, [`1:4-210 ${DOLLAR} \${{ ... }}`]],
])('of what goes wrong after a mistake in %j nothing is told', (text, problems) => {
  expect(shownBy(text)).toEqual(problems);
});
