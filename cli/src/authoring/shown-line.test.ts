// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { expect, test } from 'vitest';
import { ShownLine } from './shown-line.ts';

const shown = (text: string, number = 1) => new ShownLine(text, number).piece();

test.each([
  ['secrets: {A: x, "B-C": 3}', 'secrets: {A: ***, "B-C": ***}'],
  [`secrets: {A: "x, B: y}", C: 'z'}`, 'secrets: {A: ***, C: ***}'],
  [
    '{"secrets":{"A":"x\\"y","B":1},"jobs":{"a":1}}',
    '{"secrets":{"A":***,"B":***},"jobs":{"a":1}}',
  ],
  ['metadata: {name: x}', 'metadata: {name: x}'],
  ['secrets: hidden', 'secrets: ***'],
  ['secrets: inherit', 'secrets: inherit'],
  ['a: {secrets: inherit }', 'a: {secrets: inherit }'],
  ['a: {secrets: inherit, secrets: {A: x}}', 'a: {secrets: ***'],
  ['secrets: [a, b]', 'secrets: ***'],
  ['"secrets": {A: {B: x}, C: y}', '"secrets": {A: ***'],
  ['secrets: {A: , B: x', 'secrets: {A: , B: ***'],
  ['secrets: {x y}', 'secrets: {***'],
  ['secrets: # none', 'secrets: # none'],
  ['secrets: {}', 'secrets: {}'],
  ['run: echo "${{ secrets.A }}"', 'run: echo "${{ secrets.A }}"'],
  ['endpoint: https://u:pw55@h/x', 'endpoint: https://***@h/x'],
  [
    'run: git clone "https://token@h/a" ssh://git@h',
    'run: git clone "https://***@h/a" ssh://***@h',
  ],
  ['url: https://u:p@w@h/x', 'url: https://***@h/x'],
  ['uses: https://h/a.git/b.yaml@v1', 'uses: https://h/a.git/b.yaml@v1'],
  ['endpoint: https://r:${{ secrets.T }}@h', 'endpoint: https://r:${{ secrets.T }}@h'],
  ['mail: a@b.c, see https://h/x', 'mail: a@b.c, see https://h/x'],
])('%s is shown %s', (line, expected) => {
  expect(shown(line)).toBe(expected);
});

const BLOCK = `secrets:
  A: one
  "B: C": two: three

  KEY: |
    -----BEGIN
    A: x
variables:
  D: four
`;

test('names of entries on lines of their own are shown', () => {
  const lines = BLOCK.split('\n').map((_, index) => shown(BLOCK, index + 1));
  expect(lines).toEqual([
    'secrets:',
    '  A: ***',
    '  "B: C": ***',
    '',
    '  KEY: ***',
    '    ***',
    '    ***',
    'variables:',
    '  D: four',
    '',
  ]);
});

test('names in JSON over several lines are shown', () => {
  const text = '{\n  "secrets": {\n    "A": "x", "B": "y"\n  },\n  "kind": "x"\n}';
  expect(text.split('\n').map((_, index) => shown(text, index + 1))).toEqual([
    '{',
    '  "secrets": {',
    '    "A": ***, "B": ***',
    '  },',
    '  "kind": "x"',
    '}',
  ]);
});

test('a hidden piece is marked as hidden', () => {
  const line = new ShownLine('secrets: {A: hidden, B: x}', 1);
  expect([line.piece(0, 13), line.piece(13, 19), line.piece(15, 17), line.piece(19)]).toEqual([
    'secrets: {A: ',
    '***',
    '***',
    ', B: ***}',
  ]);
});
