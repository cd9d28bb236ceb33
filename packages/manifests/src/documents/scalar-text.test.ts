import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isScalar, parseDocument, Scalar, stringify } from 'yaml';
import { offsetInScalar } from './scalar-text.ts';

test.each<[style: string, written: string, text: string, wanted: string]>([
  ['plain', 'echo one two', 'echo one two', 'two'],
  ['plain over lines', 'echo one\n    two', 'echo one two', 'two'],
  ['in single quotes', "'it''s two'", "it's two", 'two'],
  ['in double quotes', '"a \\"b\\" two"', 'a "b" two', 'two'],
  ['in double quotes over lines', '"a\n  b\\n two"', 'a b\n two', 'two'],
  ['in double quotes with numbers', '"\\x41\\u20AC\\ud83d\\ude00\\/\\f two"', 'A€😀/\f two', 'two'],
  ['a literal block', '|\n    one\n      two\n', 'one\n  two\n', 'two'],
  ['a literal block with a header', '|2-\n    one\n   two', '  one\n two', 'two'],
  ['a folded block', '>\n    one\n    two\n\n    three\n', 'one two\nthree\n', 'three'],
])('a piece of a text is found where it is written: %s', (_, written, text, wanted) => {
  const offset = offsetInScalar(written, text, text.indexOf(wanted));
  expect(written.slice(offset ?? 0, (offset ?? 0) + wanted.length)).toBe(wanted);
});

test.each(['\\e', '\\U0001f600', '\\x42'])('what is behind %s is not found', (sign) => {
  expect(offsetInScalar(`"${sign} two"`, '\x1b two', 2)).toBe(null);
});

test('the end of a text is behind what is written', () => {
  expect(offsetInScalar('ab', 'ab', 2)).toBe(2);
  expect(offsetInScalar('ab', 'ab', 3)).toBe(null);
});

test('in whatever style a text is written, each letter of it is found', () => {
  const styles = fc.constantFrom(
    Scalar.BLOCK_FOLDED,
    Scalar.BLOCK_LITERAL,
    Scalar.PLAIN,
    Scalar.QUOTE_DOUBLE,
    Scalar.QUOTE_SINGLE,
  );
  const texts = fc
    .array(fc.constantFrom('a', 'b', ' ', '\n', "'", '"', '\\', ':', '#', '-'), { maxLength: 30 })
    .map((letters) => letters.join(''));
  fc.assert(
    fc.property(texts, styles, (text, style) => {
      const scalar = new Scalar(text);
      scalar.type = style;
      const yaml = stringify({ key: scalar }, { lineWidth: 20 });
      const node = parseDocument(yaml).getIn(['key'], true);
      // Not every text can be written in every style.
      if (!isScalar(node) || node.value !== text) return;
      const [start, end] = node.range ?? [0, 0];
      const written = yaml.slice(start, end);
      for (let at = 0; at < text.length; at++) {
        const offset = offsetInScalar(written, text, at);
        if (offset !== null && /\S/.test(text.charAt(at))) {
          const isEscaped = written.startsWith('"') && written.charAt(offset) === '\\';
          expect(written.charAt(isEscaped ? offset + 1 : offset)).toBe(text.charAt(at));
        }
      }
    }),
  );
});
