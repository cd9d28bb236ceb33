import { isOrchestratorError } from '@tutti/manifests';
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseYaml } from './yaml-document.ts';

function messageOf(text: string): string {
  try {
    parseYaml(text);
  } catch (error) {
    if (isOrchestratorError(error)) return error.message;
    throw error;
  }
  throw new Error('The document was accepted.');
}

test.each([
  ['a: 1', { a: 1 }],
  ['{"a": [true, null]}', { a: [true, null] }],
  ['on: yes', { on: 'yes' }],
  ['a: &x {b: 1}\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
  ['a: &x {b: 1}\nc:\n  <<: *x\n  d: 2', { a: { b: 1 }, c: { b: 1, d: 2 } }],
  ['a: |\n  one\n  two\n', { a: 'one\ntwo\n' }],
  ['', null],
])('%j is read', (text, expected) => {
  expect(parseYaml(text).value).toEqual(expected);
});

describe('refusals have the mistake and the place', () => {
  test.each([
    [
      'a: 1\nb: 2\na: 3',
      'Not a valid YAML document: the key "a" is given twice (line 3, column 1).',
    ],
    ['a: !!js/function x', /the tag !!js\/function cannot be used here.* \(line 1, column 4\)\.$/],
    ['a: !custom x', /the tag !custom cannot be used here.* \(line 1, column 4\)\.$/],
    ['a: [1', /\(line 1, column \d\)\.$/],
    ['a: 1\n---\nb: 2', /: a second document begins \(line 2, column 1\)\.$/],
    ['a: *x', /: no anchor "&x" is before this alias \(line 1, column 4\)\.$/],
    ['<<: *x', /: no anchor "&x" is before this alias \(line 1, column 5\)\.$/],
    [
      'a: &a x\n<<: *a',
      /: what "<<" takes over must be a map, or a list of maps \(line 2, column 1\)\.$/,
    ],
    [
      '__proto__: {a: 1}',
      'Not a valid YAML document: the key "__proto__" is not allowed (line 1, column 1).',
    ],
    ['a: "\t\\q"', /\(line 1, column \d\)\.$/],
  ])('%j', (text, expected) => {
    expect(messageOf(text)).toMatch(expected);
  });
});

describe('bounds', () => {
  // Bound: Depth of JSON and YAML.
  test('nesting of any style', () => {
    const deep = 'Not a valid YAML document: values may be nested 64 levels deep at most';
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(messageOf(nested(65))).toBe(`${deep} (line 1, column 65).`);
    expect(messageOf(nested(20_000))).toBe(`${deep} (line 1, column 65).`);
    expect(messageOf(`${'- '.repeat(20_000)}x`)).toBe(`${deep} (line 1, column 129).`);
    const depth64 = `${'['.repeat(64)}${']'.repeat(64)}`;
    expect(parseYaml(depth64).value).toBeInstanceOf(Array);
  });

  test('a document that multiplies itself by references', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level++) {
      const references = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ');
      lines.push(`a${level}: &a${level} [${references}]`);
    }
    // Bound: References (`*name`) of a YAML document.
    expect(messageOf(lines.join('\n'))).toContain('what aliases repeat may stand 100 times');
  });

  test('a map of very many keys is read in linear time', () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(Object.keys(Object(parseYaml(text).value))).toHaveLength(30_000);
  });

  test('size', () => {
    const text = `a: ${'x'.repeat(DOCUMENT_LIMITS.yamlLength)}`;
    expect(messageOf(text)).toBe(
      'A YAML document may have 524288 characters at most; a larger one can be sent as JSON.',
    );
  });
});

test('a path is found again in the text', () => {
  const document = parseYaml('jobs:\n  a:\n    steps:\n    - run: x\n    - run: y\n');
  expect(document.spanOf({ path: ['jobs', 'a', 'steps', 1] }).line).toBe(5);
  expect(document.spanOf({ path: ['jobs', 'a', 'steps', 1, 'missing'] }).line).toBe(5);
  expect(document.spanOf({ path: [] }).line).toBe(1);
});

test('a key is found again in the text, or else the value that it would be in', () => {
  const document = parseYaml('a: 1\nb:\n  - c: 2\n    d:\n      e: 3\n');
  expect(document.spanOf({ path: [], key: 'b' }).line).toBe(2);
  expect(document.spanOf({ path: ['b', 0], key: 'd' }).line).toBe(4);
  expect(document.spanOf({ path: ['b', 0], key: 'missing' }).line).toBe(3);
  expect(document.spanOf({ path: ['a'], key: 'missing' }).line).toBe(1);
});

test('any text is read or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      try {
        parseYaml(text);
      } catch (error) {
        if (!isOrchestratorError(error)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});
