import { expect, test } from 'vitest';
import { BEGINNING_BYTES, contentType, isText, textType } from './content-type.ts';

test.each([
  [
    'report.xml',
    'application/vnd.opentestfactory.junit-surefire+xml',
    'application/vnd.opentestfactory.junit-surefire+xml',
  ],
  ['report.html', null, 'text/html'],
  ['REPORT.XML', null, 'application/xml'],
  ['archive.tar.gz', null, 'application/gzip'],
  ['report', null, 'application/octet-stream'],
  ['x.constructor', null, 'application/octet-stream'],
  ['report', 'text/html; charset=iso-8859-1', 'text/html'],
  ['x.bin', 'text/html;\r\nX-Evil: 1', 'text/html'],
  ['x.txt', 'not a type', 'text/plain'],
  ['x.bin', 'text/html\r\nX-Evil: 1', 'application/octet-stream'],
  ['x.bin', '', 'application/octet-stream'],
])('%s attached as %j is %s', (name, attachedAs, expected) => {
  expect(contentType(name, attachedAs)).toBe(expected);
});

test.each([
  ['text/plain', true],
  ['Text/CSV', true],
  ['application/json', true],
  ['application/yaml', true],
  ['application/xml', false],
  ['text/xml', false],
  ['application/vnd.opentestfactory.junit-surefire+xml', false],
  ['image/svg+xml', false],
  ['application/octet-stream', false],
])('whether %s needs a charset: %s', (type, expected) => {
  expect(isText(type)).toBe(expected);
});

const ascii = (length: number): Buffer => Buffer.from('a'.repeat(length));

test.each<[string, Buffer, boolean]>([
  ['nothing', Buffer.alloc(0), true],
  ['letters', Buffer.from('abc'), true],
  ['UTF-8', Buffer.from('Prüfung ✓'), true],
  ['ISO 8859-1', Buffer.from('Prüfung', 'latin1'), false],
  ['UTF-16', Buffer.from('\ufeffPrüfung', 'utf16le'), false],
  ['half a character at the end of the content', Buffer.from([0x61, 0xc3]), false],
  [
    'half a character at the end of the beginning',
    Buffer.concat([ascii(BEGINNING_BYTES - 1), Buffer.from([0xc3])]),
    true,
  ],
  [
    'no character at the end of the beginning',
    Buffer.concat([ascii(BEGINNING_BYTES - 1), Buffer.from([0xff])]),
    false,
  ],
])('the charset of %s', (_name, beginning, expected) => {
  expect(textType('text/plain', beginning)).toBe(
    expected ? 'text/plain; charset=utf-8' : 'text/plain',
  );
});
