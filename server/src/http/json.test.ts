import { isOrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { decodeText, parseJson } from './json.ts';

function messageOf(content: string | Uint8Array): string {
  try {
    parseJson(content);
  } catch (error) {
    if (isOrchestratorError(error) && error.reason === 'BadRequest') return error.message;
    throw error;
  }
  throw new Error('The document was accepted.');
}

test.each([
  ['{"a": [1, null, "x"]}', { a: [1, null, 'x'] }],
  ['\uFEFF{}', {}],
  ['"\\u005F"', '_'],
  [`${'['.repeat(64)}${']'.repeat(64)}`, expect.any(Array)],
  [
    '[9007199254740991, 12345678901234567890, 1.5e308, "1e400", 1e-400]',
    [9007199254740991, 12345678901234567000, 1.5e308, '1e400', 0],
  ],
  [JSON.stringify({ a: '['.repeat(100), b: '\\"['.repeat(100) }), expect.any(Object)],
])('%j is read', (text, expected) => {
  expect(parseJson(Buffer.from(text))).toEqual(expected);
});

// Bound: Values of a document; different keys of it.
test('a document that has too many values is refused before it is parsed', () => {
  const list = (count: number) => `[${'1,'.repeat(count - 1)}1]`;
  expect(parseJson(list(1_000))).toHaveLength(1_000);
  const message = 'Not a valid JSON document for this server: it has more than 120000 values.';
  expect(() => parseJson(list(200_000))).toThrow(message);
  expect(parseJson(list(200_000), { valuesMax: 300_000 })).toHaveLength(200_000);
});

describe('refusals', () => {
  test.each<[string, RegExp]>([
    ['', /it is empty\.$/],
    ['  ', /it is empty\.$/],
    ['{"a":', /end of JSON input \(line 1, column 6\)\.$/],
    ['{a: 1}', /Expected property name or '\}' \(line 1, column 2\)\.$/],
    ['[\n  tru]', /Unexpected token .* \(line 2, column 3\)\.$/s],
    [`["${'x'.repeat(65_536)}", tru]`, /Unexpected token .* is not valid JSON\.$/],
  ])('%.40j', (text, expected) => {
    expect(messageOf(text)).toMatch(/^Not a valid JSON document: /);
    expect(messageOf(text)).toMatch(expected);
  });

  test.each<[string, string]>([
    ['{"__proto__": {}}', 'it has the key "__proto__".'],
    ['{"a": {"\\u005f_proto\\u005F_": {}}}', 'it has the key "__proto__".'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'it is nested more than 64 levels deep.'],
    ['{"a": [1e400]}', 'the number 1e400 is too large.'],
    [`{"a": -${'9'.repeat(400)}}`, `the number -${'9'.repeat(39)}… is too large.`],
    [`${'{"a":'.repeat(100_000)}`, 'it is nested more than 64 levels deep.'],
    // HTTP 7: 400 for what is malformed, and for JSON beyond our bounds.
  ])('JSON that breaks a bound of this server: %.40j', (text, why) => {
    expect(messageOf(text)).toBe(`Not a valid JSON document for this server: ${why}`);
  });

  test('bytes of another document that are not UTF-8, which is as invalid as any other mistake in it', () => {
    expect(() => decodeText(Buffer.from([0xe9]), 'The workflow')).toThrow(
      expect.objectContaining({ reason: 'Invalid', message: 'The workflow is not UTF-8 text.' }),
    );
  });

  test('bytes that are not UTF-8', () => {
    expect(messageOf(Uint8Array.of(0x22, 0xff, 0x22))).toBe(
      'Not a valid JSON document: it is not UTF-8 text.',
    );
  });
});

test.each([
  ['{"id": 9007199254740993}', '9007199254740993'],
  ['[-12345678901234567891]', '-12345678901234567891'],
])('where integers must be kept, %s is refused', (text, number) => {
  expect(() => parseJson(text, { exactIntegers: true })).toThrow(
    `the number ${number} has too many digits to be kept, write it as a text.`,
  );
});

test('with exact integers, exact ones and all other numbers are read', () => {
  const text =
    '[9007199254740991, -9007199254740991, 0.12345678901234567, 1e20, "9007199254740993"]';
  expect(parseJson(text, { exactIntegers: true })).toEqual(JSON.parse(text));
});
