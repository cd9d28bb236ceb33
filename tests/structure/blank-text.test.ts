import { expect, test } from 'vitest';
import { blankText } from './blank-text.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these strings are source code with templates.
const rows: readonly (readonly [what: string, source: string, blanked: string])[] = [
  ['code stays', 'const a = b / c;', 'const a = b / c;'],
  ['a comment to the end of the line goes', 'a; // b\nc', 'a;     \nc'],
  ['a comment over lines keeps its line ends', 'a/* b\nc */d', 'a    \n    d'],
  ['the content of strings goes', `f('a', "b{")`, `f(' ', "  ")`],
  ['an escaped quote does not end a string', `'a\\'b' c`, `'    ' c`],
  ['two slashes in a string are no comment', `'http://a' b`, `'        ' b`],
  ['the text of a template goes, its code stays', '`a ${b + `c`} d` e', '`  ${b + ` `}  ` e'],
  ['an object in a template does not end its code', '`${f({ a })}b` c', '`${f({ a })} ` c'],
  ['regular expressions go', 'a = /[/{]"/g;', 'a = /      g;'],
  ['a division is no regular expression', 'a = (b) / c / d;', 'a = (b) / c / d;'],
  ['after return a slash begins a regular expression', `return /'/;`, 'return / /;'],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: end of the table.

test.each(rows)('%s', (_what, source, blanked) => {
  expect(blankText(source)).toBe(blanked);
});

test('strings are kept if wanted, comments never', () => {
  expect(blankText(`import 'a'; // b`, { keepStrings: true })).toBe(`import 'a';     `);
});
