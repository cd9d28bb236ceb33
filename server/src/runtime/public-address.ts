/** Recognizes internet addresses, as opposed to this machine, its network or its cloud. A workflow must not make the server ask the latter. */
import { BlockList, isIP } from 'node:net';

/** The IPv6 networks of the internet (IANA); all other addresses are refused. */
const GLOBAL_UNICAST = blockList(['2000::/3'], 'ipv6');

/** Ranges of IANA's special-purpose registries, and IPv6 forms that hide IPv4 addresses. */
const RESERVED = {
  ipv4: blockList(
    [
      ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
      ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
      ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
    ],
    'ipv4',
  ),
  ipv6: blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'], 'ipv6'),
};

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !RESERVED.ipv4.check(address, 'ipv4');
  if (version !== 6 || !GLOBAL_UNICAST.check(address, 'ipv6')) return false;
  return !RESERVED.ipv6.check(address, 'ipv6');
}
