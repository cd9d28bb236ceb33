import { describe, expect, test } from 'vitest';
import { html, rawText, scriptJson } from './markup.ts';

describe('text in a page', () => {
  test.each([
    ['<img onerror="a">', '&lt;img onerror=&quot;a&quot;&gt;'],
    ["'&amp;", '&#39;&amp;amp;'],
    ['a\u0000b\u001b[0m', 'a\ufffdb\ufffd[0m'],
    ['half \ud83d', 'half \ufffd'],
    ['whole \ud83d\ude00', 'whole \ud83d\ude00'],
    ['\u202egpj\u2069.\u200ftxt \u05d0', '\\u202Egpj\\u2069.\\u200Ftxt \u05d0'],
  ])('%j is %j', (text, expected) => {
    expect(html`${text}`.markup).toBe(expected);
    expect(html`<a title="${[text, html`<b>${text}</b>`]}">`.markup).toBe(
      `<a title="${expected}<b>${expected}</b>">`,
    );
  });

  test('that is null is nothing, and a number is a number', () => {
    expect(html`a${null}b${1.5}`.markup).toBe('ab1.5');
  });
});

test('data in a page ends no element, and is what it was', () => {
  const value = ['</script><!--', '\u2028\u2029', { a: 1 }];
  const text = scriptJson(value);
  expect(text).not.toMatch(/[<\u2028\u2029]/);
  expect(JSON.parse(text)).toEqual(value);
});

describe('style and scripts of a definition', () => {
  test.each([
    ['style', 'a > b { content: "x" }', 'a > b { content: "x" }'],
    ['style', 'a { content: "</STYLE ><script>" }', 'a { content: "\\3c /STYLE ><script>" }'],
    ['script', 'if (a < b) c();', 'if (a < b) c();'],
    ['script', 'x = "</script><!-- <script>"', 'x = "\\x3C/script>\\x3C!-- <script>"'],
    ['script', 'a\r\nb\rc', 'a\nb\nc'],
  ] as const)('stay in their %s: %j', (element, text, expected) => {
    expect(rawText(text, element).markup).toBe(expected);
  });
});
