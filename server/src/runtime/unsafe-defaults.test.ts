import { expect, test } from 'vitest';
import { warnOfDefaults } from './unsafe-defaults.ts';

const NO_TLS = {};
const TLS = { cert: 'cert.pem', key: 'key.pem' };

test.each([
  ['an account of its own on this machine', '127.0.0.1', NO_TLS, 1000, []],
  ['TLS on a public address', '0.0.0.0', TLS, 1000, []],
  ['plain HTTP on all addresses', '0.0.0.0', NO_TLS, 1000, ['plain HTTP on 0.0.0.0']],
  ['plain HTTP on one address', '192.0.2.7', NO_TLS, 1000, ['plain HTTP on 192.0.2.7']],
  ['plain HTTP on a name', 'tests.example.org', NO_TLS, 1000, ['plain HTTP on tests.example.org']],
  ['root', 'localhost', NO_TLS, 0, ['runs as root']],
  ['root on all addresses', '::', NO_TLS, 0, ['runs as root', 'plain HTTP on ::']],
  ['a system without such numbers', '::1', NO_TLS, null, []],
])('%s has as many warnings as it needs', (_what, host, tls, userId, words) => {
  const lines: unknown[] = [];
  const auth = { insecureLogin: false };
  warnOfDefaults({ host, tls, auth }, { warn: (line: unknown) => void lines.push(line) }, userId);
  expect(lines).toEqual(words.map((text) => expect.stringContaining(text)));
});
