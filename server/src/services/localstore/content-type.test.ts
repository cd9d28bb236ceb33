import { expect, test } from 'vitest';
import { contentType } from './content-type.ts';

test.each([
  [
    'report.xml',
    'application/vnd.opentestfactory.junit-surefire+xml',
    'application/vnd.opentestfactory.junit-surefire+xml',
  ],
  ['report.html', null, 'text/html; charset=utf-8'],
  ['REPORT.XML', null, 'application/xml; charset=utf-8'],
  ['archive.tar.gz', null, 'application/gzip'],
  ['report', null, 'application/octet-stream'],
  ['x.constructor', null, 'application/octet-stream'],
  ['x.txt', 'not a type', 'text/plain; charset=utf-8'],
  ['x.bin', 'text/html\r\nX-Evil: 1', 'application/octet-stream'],
  ['x.bin', '', 'application/octet-stream'],
])('%s attached as %j is %s', (name, attachedAs, expected) => {
  expect(contentType(name, attachedAs)).toBe(expected);
});
