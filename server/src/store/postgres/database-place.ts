/** The address of a database: `postgres://tutti@db1,db2:5433/tutti?sslmode=disable`. */
import { OrchestratorError } from '@tutti/manifests';

export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

export interface DatabasePlace {
  /** Tried in turn; the one that takes writes is used. */
  readonly hosts: readonly DatabaseHost[];
  readonly user: string;
  readonly database: string;
  readonly isTls: boolean;
  /** The address without what is its default, for messages and comparisons. It has no secret. */
  readonly address: string;
}

const EXAMPLE = 'postgres://tutti@db.example.com/tutti';
const ADDRESS = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/([^/?#]+)(?:\?([^#]*))?$/;
const HOST = /^(\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9._-]+)(?::(\d{1,5}))?$/;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
const OPTIONS: readonly string[] = ['sslmode', 'host'];
const PORT = 5432;

/** Where the password belongs; for messages. */
export const PASSWORD_ADVICE =
  'Set PGPASSWORD in the environment of the server, or name a password file with PGPASSFILE';

/** Throws `Invalid` for any other text. The message repeats no part that may be secret. */
export function parseDatabasePlace(text: string): DatabasePlace {
  const [whole, user = '', hostList = '', database = '', query = ''] = ADDRESS.exec(text) ?? [];
  // Also where the rest is malformed.
  if (/^[a-z]+:\/\/[^@/]*:[^@]*@/i.test(text) || /[?&]password=/i.test(text)) {
    throw wrong(`an address may not have a password, since others can read it. ${PASSWORD_ADVICE}`);
  }
  if (whole === undefined) throw wrong(`it is not an address like ${EXAMPLE}`);
  if (user === '') throw wrong(`it names no user, as ${EXAMPLE} does`);
  const options = new URLSearchParams(query);
  const unknown = [...options.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw wrong(`it may have ${OPTIONS.join(' and ')}, and not "${unknown}"`);
  }
  const folder = options.get('host');
  const hosts = folder === null ? hostList.split(',').map(hostIn) : [socketIn(folder, hostList)];
  const isTls = isTlsIn(options.get('sslmode'), hosts);
  const place = { hosts, user: decoded(user), database: decoded(database), isTls };
  return { ...place, address: addressOf(place) };
}

function hostIn(text: string): DatabaseHost {
  const [whole, host = '', port = String(PORT)] = HOST.exec(text) ?? [];
  if (whole === undefined || Number(port) > 65_535)
    throw wrong('a host of it is no name of a host');
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** The folder of a socket, as in `postgres://tutti@/tutti?host=/run/postgresql`. A port may name the socket. */
function socketIn(folder: string, hostList: string): DatabaseHost {
  const port = /^:(\d{1,5})$/.exec(hostList)?.[1] ?? String(PORT);
  if (!folder.startsWith('/')) throw wrong('its host is the absolute path of a folder');
  return { host: folder, port: Number(port) };
}

/** Off by default only where nobody can listen between the two. */
function isTlsIn(mode: string | null, hosts: readonly DatabaseHost[]): boolean {
  if (mode === 'disable') return false;
  if (mode === 'verify-full') return true;
  if (mode !== null) throw wrong('its sslmode is verify-full or disable');
  return !hosts.every(({ host }) => host.startsWith('/') || LOOPBACK.test(host));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('it has a % that is no escape');
  }
}

function addressOf({ hosts, user, database, isTls }: Omit<DatabasePlace, 'address'>): string {
  const [first] = hosts;
  const named = (name: string) => encodeURIComponent(name);
  const begin = `postgres://${named(user)}@`;
  if (first?.host.startsWith('/') === true) {
    const port = first.port === PORT ? '' : `:${first.port}`;
    return `${begin}${port}/${named(database)}?host=${first.host}`;
  }
  const list = hosts.map(({ host, port }) => {
    const name = host.includes(':') ? `[${host}]` : host;
    return port === PORT ? name : `${name}:${port}`;
  });
  const isDefault = isTls === isTlsIn(null, hosts);
  const mode = isDefault ? '' : `?sslmode=${isTls ? 'verify-full' : 'disable'}`;
  return `${begin}${list.join(',')}/${named(database)}${mode}`;
}

const wrong = (why: string): OrchestratorError =>
  new OrchestratorError('Invalid', `The address of the store is wrong: ${why}.`);
