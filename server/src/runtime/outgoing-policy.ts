/**
 * The addresses that the server itself may request: inboxes, files and key sets. Names are resolved once for a connection, which
 * uses the checked address. Only traces bypass it: the operator names their collector, and a library sends them.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { OrchestratorError } from '@tutti/manifests';
import { isPublicAddress } from './public-address.ts';

/**
 * Sources of an address. `anybody`: a client with a token. `machine`: a local program, which can reach local addresses anyway.
 * `operator`: the configuration.
 */
export type Asker = 'anybody' | 'machine' | 'operator';
/** Sources of an inbox address. */
export type InboxAsker = Exclude<Asker, 'operator'>;

/** Works like `dns.lookup` with `all: true`. */
export type Resolve = (
  hostname: string,
  options: { readonly all: true; readonly family?: number | 'IPv4' | 'IPv6' | undefined },
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface OutgoingPolicyOptions {
  /** Networks (`10.0.0.0/8`) and addresses outside the internet that each client may name. */
  readonly privateNetworks: readonly string[];
  readonly resolve?: Resolve;
  /** Addresses of this machine besides loopback ones. */
  readonly ownAddresses?: () => readonly string[];
}

/** The way to connect to an address. */
export interface Way {
  /** Reason to refuse the connection; null if allowed. For a host name, it is known after resolution. */
  readonly refusal: string | null;
  readonly lookup: LookupFunction;
}

export const ALL_NETWORKS: readonly string[] = ['0.0.0.0/0', '::/0'];

const SETTING = 'outgoing.privateNetworks';

export class OutgoingRefusal extends Error {}

export class OutgoingPolicy {
  readonly #allowed: BlockList;
  readonly #resolve: Resolve;
  readonly #ownAddresses: () => readonly string[];
  readonly #ownPorts = new Set<number>();

  /** Throws `Invalid` for a wrong network. */
  constructor({
    privateNetworks,
    resolve = lookup,
    ownAddresses = interfaceAddresses,
  }: OutgoingPolicyOptions) {
    this.#allowed = listOf(privateNetworks);
    this.#resolve = resolve;
    this.#ownAddresses = ownAddresses;
  }

  /** The server listens on these ports: a request to one would return to it. */
  listensOn(ports: Iterable<number>): void {
    for (const port of ports) this.#ownPorts.add(port);
  }

  wayTo(url: URL, asker: Asker): Way {
    const host = hostOf(url);
    const address = addressIn(host);
    const refusal = address === null ? null : this.#refusal(address, host, portOf(url), asker);
    return { refusal, lookup: this.#checkedLookup(portOf(url), asker) };
  }

  /** The reason to refuse connections to this address. Null also for an unresolved name: it is checked again. */
  refusalOf(url: URL, asker: Asker): Promise<string | null> {
    const { refusal, lookup: resolve } = this.wayTo(url, asker);
    const host = hostOf(url);
    if (refusal !== null || isIP(host) !== 0) return Promise.resolve(refusal);
    return new Promise((done) => {
      resolve(host, { all: true }, (error) =>
        done(error instanceof OutgoingRefusal ? error.message : null),
      );
    });
  }

  /** Answers the addresses of a name that may be connected to. */
  #checkedLookup(port: number, asker: Asker): LookupFunction {
    return (hostname, options, callback) => {
      this.#resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, []);
        const refusals = addresses.map(({ address }) =>
          this.#refusal(address, hostname, port, asker),
        );
        const found = addresses.filter((_, index) => refusals[index] === null);
        const [first] = found;
        const why = refusals[0] ?? `${hostname} has no address`;
        if (first === undefined) return callback(new OutgoingRefusal(why), []);
        if (options.all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      });
    };
  }

  /** `host` is the name in the address. The message hides the resolved address, which not every client may see. */
  #refusal(address: string, host: string, port: number, asker: Asker): string | null {
    if (asker === 'operator') return null;
    if (this.#ownPorts.has(port) && this.#isOwn(address)) {
      return `${host}:${port} is an address of this server`;
    }
    if (isPublicAddress(address) || contains(this.#allowed, address)) return null;
    if (asker === 'machine' && this.#isOfMachine(address)) return null;
    return `${host} is an address of a private network, which ${SETTING} does not list`;
  }

  /** True if a connection to it leads to this machine, in any notation. */
  #isOwn(address: string): boolean {
    return contains(OWN, address) || contains(listOf(this.#ownAddresses()), address);
  }

  /** Local programs name their machine only by address. Plugins that listen on all addresses name `0.0.0.0`. */
  #isOfMachine(address: string): boolean {
    if (isIPv4(address) && address.startsWith('127.')) return true;
    if (['::1', '0.0.0.0', '::'].includes(address)) return true;
    return this.#ownAddresses().includes(address);
  }
}

/** Advice in the refusal of an address. */
export const HOW_TO_ALLOW = `An operator allows private networks with the setting ${SETTING}, for example ["10.0.0.0/8"]. Programs of the server's own machine may subscribe with its addresses if they ask the server directly (http://127.0.0.1:PORT) and not through a proxy`;

const OWN = listOf(['127.0.0.0/8', '0.0.0.0/8', '::1', '::']);

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Null for a name, except names that mean this machine everywhere (RFC 6761), even without resolution. */
function addressIn(host: string): string | null {
  if (isIP(host) !== 0) return host;
  return /(?:^|\.)localhost\.?$/i.test(host) ? '127.0.0.1' : null;
}

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

/** An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is in the networks of both. */
function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const most = family === 'ipv4' ? 32 : 128;
    const length = bits === undefined ? most : Number(bits);
    if (isIP(address) === 0 || !Number.isInteger(length) || length < 0 || length > most) {
      throw new OrchestratorError(
        'Invalid',
        `Not a valid configuration: ${SETTING}: "${network}" is no network, such as 10.0.0.0/8, and no address.`,
      );
    }
    list.addSubnet(address, length, family);
  }
  return list;
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => address),
  );
}
