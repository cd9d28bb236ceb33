/** Names of the machine itself, which lead to no other. */
import { isIPv4 } from 'node:net';

/** Of a host as it is listened on, or as it stands in a URL, with an IPv6 address in brackets. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' ||
    name === '::1' ||
    name === '[::1]' ||
    (isIPv4(name) && name.startsWith('127.'))
  );
}
