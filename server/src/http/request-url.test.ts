import { expect, test } from 'vitest';
import { connectedHost } from './request-url.ts';

test.each<[string | undefined, number | undefined, string]>([
  ['127.0.0.1', 7774, '127.0.0.1:7774'],
  ['::ffff:127.0.0.1', 7774, '127.0.0.1:7774'],
  ['::1', 80, '[::1]:80'],
  ['fe80::1%eth0', 80, 'localhost'],
  [undefined, undefined, 'localhost'],
])('a connection to %s, port %s, leads to %s', (address, port, host) => {
  expect(connectedHost(address, port)).toBe(host);
});
