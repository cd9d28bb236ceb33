import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
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

test.each([
  ['a:\n    b: 1\n  cd: 2\n', { line: 3, column: 3, endLine: 3, endColumn: 5 }],
  ['a:\n  b: 1\n   \n c\n', { line: 4, column: 2, endLine: 4, endColumn: 3 }],
])('wrong indentation in %j is told where the key is', (text, span) => {
  expect(problemsOf(text)).toContainEqual({
    message: 'All mapping items must start at the same column',
    span,
    isTooLarge: false,
  });
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
    [
      ['1:5', '12345678901234567891'],
      ['2:11', '-9007199254740993'],
      ['2:30', '.inf'],
      ['2:36', '1e999'],
    ].map(
      ([place, number]) =>
        `${place} the number ${number} is too large to be kept, put it in quotes`,
    ),
  );
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
