/** Addresses of the internet, and not of this machine, its network or its cloud: a workflow must not make the server ask those. */
import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose registries, and what hides IPv4 addresses in IPv6 ones. */
const RESERVED = {
  ipv4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
    ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
    ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ],
  // Of all addresses, 2000::/3 is of the internet; and what is special in that.
  ipv6: [
    ...['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ],
} as const;

type Family = keyof typeof RESERVED;

const lists = new Map<Family, BlockList>();

/** One list for each family: in one of both, `::ffff:0:0/96` would be all addresses of IPv4. */
function reservedOf(family: Family): BlockList {
  const known = lists.get(family);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const range of RESERVED[family]) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  lists.set(family, list);
  return list;
}

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  return !reservedOf(family).check(address, family);
}
