// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeCondition, placeExpressions } from './placed-expressions.ts';

/** The pieces of the text that were found wrong. */
const wrongIn = (text: string, read: typeof placeExpressions) =>
  read(text).mistakes.map(({ at, length }) => text.slice(at, at + length));
const sourcesIn = (text: string, read: typeof placeExpressions) =>
  read(text).expressions.map(({ expression, at }) => text.slice(at, at + expression.source.length));

describe('expressions of texts', () => {
  test.each([
    ['plain text', []],
    ['a ${{ inputs.a }} b ${{b}}', ['inputs.a', 'b']],
    ["${{ '}}' }}", ["'}}'"]],
    ['x ${{ a b }} ${{ c }}', ['c']],
    ['x ${{ c }} ${{ d }} ${{ a', ['c', 'd']],
    ["x ${{ c }} ${{ 'd }}", ['c']],
  ])('of %j are found at their places', (text, sources) => {
    expect(sourcesIn(text, placeExpressions)).toEqual(sources);
  });

  test.each([
    ['x ${{ a b }}', ['b']],
    ['${{ a b }} and ${{ c( }}', ['b', '(']],
    ['${{ "text" }}', ['"']],
    ['all of ${{ a', ['$']],
    ['${{ contains(a) }}', ['contains']],
    ["${{ a ~= '(' }}", ["a ~= '('"]],
    ['${{ }}', ['}']],
  ])('the mistake in %j is pointed at', (text, wrong) => {
    expect(wrongIn(text, placeExpressions)).toEqual(wrong);
  });
});

describe('conditions', () => {
  test.each([
    ["a == 'x'", ["a == 'x'"]],
    ['  ${{  a }} ', ['a']],
    ['', []],
    ['  ', []],
    ['  ${{ c }} && ${{ a', ['c']],
    [' ${{ c }} && ${{ a b }} || ${{ d }}', ['c', 'd']],
  ])('%j is found at its place', (text, sources) => {
    expect(sourcesIn(text, placeCondition)).toEqual(sources);
  });

  test.each([
    ['  (true', ['e']],
    ['${{ a b }}', ['b']],
    ['  ${{ a }} b', ['b']],
    ['a = b', ['=']],
    ["success() && 'x", ["'"]],
    ['a ${{ b', ['$']],
  ])('the mistake in %j is pointed at', (text, wrong) => {
    expect(wrongIn(text, placeCondition)).toEqual(wrong);
  });
});

/** Paths and functions, each with the text at its place. */
const usedIn = (text: string, read: typeof placeExpressions) =>
  read(text).broken.flatMap(({ uses, at }) => [
    ...uses.contexts.map(({ names }) =>
      names.map((used) => text.slice(at + used.at, at + used.at + used.name.length)).join('.'),
    ),
    ...uses.functions.map(
      (used) => `${text.slice(at + used.at, at + used.at + used.name.length)}()`,
    ),
  ]);

describe('names used before a mistake', () => {
  test.each<[text: string, used: readonly string[]]>([
    ['${{ a.b && c. }}', ['a.b', 'c']],
    ['${{ a.b == "x" && c }}', ['a.b']],
    ['x ${{ a.b = c.d }} ${{ e }} ${{ f && }}', ['a.b', 'f']],
    ['${{ f(a.b, }}', ['a.b', 'f()']],
    // A text without quotes may stand before a name.
    ['${{ a == some text }}', ['a']],
    ['${{ a.some text }}', []],
    ['${{ a 1 }}', []],
    ['${{ true && null | a }}', []],
    ["${{ a['b'][c].d | e }}", ["a.'", 'c']],
    // The rest is as it seems.
    ['${{ contains(a.b) || c }}', ['a.b', 'c', 'contains()']],
    ["${{ a ~= '(' && b }}", ['a', 'b']],
    ['x ${{ a }} ${{ b.c }', ['b.c']],
    ['x ${{ a }} ${{ b.c', []],
    ['x ${{ a }} ${{ b.c && d', ['b.c']],
    ["x ${{ a }} ${{ b.c == 'd }}", ['b.c']],
    ['${{ }}', []],
    ['${{ a }} and more', []],
  ])('is found: %s', (text, used) => {
    expect(usedIn(text, placeExpressions)).toEqual(used);
  });

  test.each<[text: string, used: readonly string[]]>([
    [' a.b && c. ', ['a.b', 'c']],
    ['  ${{ a.b && }}', ['a.b']],
    [' ${{ c }} && ${{ a || }} || ${{ d }}', ['a']],
    [' ${{ c }} && ${{ a.b == ', ['a.b']],
    ['a || b', []],
  ])('is found in conditions: %s', (text, used) => {
    expect(usedIn(text, placeCondition)).toEqual(used);
  });
});

test('no text is too wrong to be reported on, and every place lies in it', () => {
  const pieces = fc.constantFrom('${{', '}}', "'", 'a', ' ', '(', ')', '&&', '.', '"', '\n');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      const text = parts.join('');
      for (const read of [placeExpressions, placeCondition]) {
        const { broken, mistakes } = read(text);
        const used = broken.flatMap(({ uses, at }) =>
          [...uses.contexts.flatMap(({ names }) => names), ...uses.functions].map(
            (name) => [name, at] as const,
          ),
        );
        for (const [name, at] of used) {
          expect(text.slice(at + name.at)).toMatch(/^['\w]/);
        }
        for (const { at, length } of mistakes) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at + length).toBeLessThanOrEqual(Math.max(1, text.length));
        }
      }
    }),
  );
});
