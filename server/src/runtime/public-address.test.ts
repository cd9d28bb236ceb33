import { expect, test } from 'vitest';
import { isPublicAddress } from './public-address.ts';

test.each([
  ...['8.8.8.8', '1.1.1.1', '100.63.255.255', '172.15.0.1', '172.32.0.1', '192.167.0.1'],
  ...['223.255.255.255', '2606:4700::1111', '2a00:1450::1', '2001:4860:4860::8888'],
])('%s is an address of the internet', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3', '100.64.0.1', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::1', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '64:ff9b::7f00:1'],
  ...['2002:7f00:1::', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'ff02::1', '2001:db8::1'],
  // Addresses of translators and tunnels, and unassigned ones.
  ...['::ffff:0:127.0.0.1', '64:ff9b:1::7f00:1', '2001:0:7f00:1::1', '100::1', '3fff::1'],
  ...['5f00::1', 'fec0::1', '4000::1', '8000::1', '1fff::1', 'fe80::1%lo'],
  ...['', 'localhost', '8.8.8', '0x7f000001'],
])('%j is none', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});
