/** Names of the machine itself, which lead to no other. */
import { isIPv4 } from 'node:net';

/** Tests a host name of a listener or a URL, where an IPv6 address has brackets. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' ||
    name === '::1' ||
    name === '[::1]' ||
    (isIPv4(name) && name.startsWith('127.'))
  );
}
