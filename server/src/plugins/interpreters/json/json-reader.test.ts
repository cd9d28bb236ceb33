import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJsonReader, type JsonValue } from './json-reader.ts';

/** The values at a path, or the error. */
function read(pieces: Iterable<string>, taken = ''): readonly JsonValue[] | string {
  const values: JsonValue[] = [];
  const reader = createJsonReader({
    taken: [taken],
    skipped: ['skipped'],
    take: (_path, value) => values.push(value),
    leave: () => undefined,
    end: () => undefined,
    abandon: () => undefined,
  });
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end();
    return values;
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return error.message;
  }
}

const inPieces = (text: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );

test('any value is read as JSON.parse reads it, whatever the pieces', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (value, size, isWide) => {
        const text = JSON.stringify(
          value,
          (key, each) => (key === 'skipped' ? undefined : each),
          isWide ? 2 : 0,
        );
        expect(JSON.stringify(read(inPieces(text, size)))).toEqual(
          JSON.stringify([JSON.parse(text)]),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('text that JSON.parse refuses is refused', () => {
  const part = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '1',
    '-',
    'true',
    'nul',
    '"\\u00',
    '"\\n"',
    ' ',
    '"',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.integer({ min: 1, max: 4 }), (parts, size) => {
      const text = parts.join('');
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(typeof read(inPieces(text, size)) === 'object').toBe(isJson);
    }),
    { numRuns: 1000 },
  );
});

describe('places', () => {
  const text = '{"a": {"list": [{"x": 1, "skipped": [{"y": 2}]}, [3], "four"]}, "b": 5}';
  test.each<[string, readonly JsonValue[]]>([
    ['a/list/*', [{ x: 1 }, [3], 'four']],
    ['a/list', [[{ x: 1 }, [3], 'four']]],
    ['b', [5]],
    ['c', []],
  ])('%s', (path, values) => {
    for (const size of [1, 2, 100]) expect(read(inPieces(text, size), path)).toEqual(values);
  });
});

describe('a hostile document', () => {
  function* many(head: string, part: string, count: number, tail = ''): Generator<string> {
    yield head;
    for (let index = 0; index < count; index += 1) yield part;
    yield tail;
  }
  const filler = 'x'.repeat(64 * 1024);

  test.each<[string, Iterable<string>, string]>([
    ['a million lists in lists', many('', '[', 1_000_000), 'more than 256 nested values'],
    ['a number without end', many('[', '1'.repeat(1000), 1000), 'a number is too long'],
    ['a key without end', many('{"', filler, 1000), 'the document ends too early'],
    ['a string without end', many('["', filler, 1000), 'the document ends too early'],
  ])('with %s is refused', (_what, pieces, error) => {
    expect(read(pieces)).toBe(error);
  });

  test('is taken as far as there is room', () => {
    const [one] = read(many('["', filler, 1000, '"]'), '*');
    expect(one).toHaveLength(32 * 1024);
    const [list] = read(many('[[0', ',0', 1_000_000, ']]'), '*');
    expect(Array.isArray(list) && list.length).toBe(20_000);
    const [texts] = read(many('[[""', `,"${filler}"`, 1000, ']]'), '*');
    expect(JSON.stringify(texts).length).toBeLessThan(1024 * 1024 + 10_000);
  });
});
