/** Resolves the server and the token of a command. */
import { existsSync } from 'node:fs';
import type { Client, Fetch } from '@tutti/client';
import type { ClientContext, TlsFiles } from '../client-config/client-context.ts';
import { type ContextOptions, loadContext } from '../client-config/load-context.ts';
import { createDebugFetch, isDebugging } from '../terminal/debug.ts';
import { type NamedDirectory, ofDirectory } from '../terminal/directory-server.ts';
import type { Io } from '../terminal/io.ts';
import { readNamedText } from '../terminal/named-file.ts';
import { UsageError } from '../terminal/problem.ts';
import { isPlainAddress, shownAddress } from '../terminal/shown-address.ts';
import { adminToken, NO_TOKEN, tokenPlaces } from '../tokens/token-place.ts';
import { createLightFetch, type TlsContent } from './light-fetch.ts';
import { answersItself, runningServerOf } from './running-server.ts';

export interface ConnectionOptions extends ContextOptions {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

export interface Connection {
  readonly url: string;
  /** The option, variable or file that named the address. */
  readonly source: ServerSource;
  /** Read at each call, because token files get renewed; null without a token. */
  readonly token: () => string | null;
  /** Source of the token, as in "--token-file"; null without one. */
  readonly tokenSource: string | null;
  /** Whether it is a file, which may have another token later. */
  readonly hasTokenFile: boolean;
  readonly tls: TlsFiles;
  /** The context of the connection; null if none counts. */
  readonly context: ClientContext | null;
  /** The data directory of the server, if it was named and takes effect. */
  readonly directory: NamedDirectory | null;
}

export type ServerSource =
  | '--server'
  | 'TUTTI_SERVER'
  | 'the context'
  | 'the data directory'
  | 'the default';

export const DEFAULT_SERVER = 'http://127.0.0.1:7774';
export const DEFAULT_DATA_DIR = './.tutti';

/**
 * Options precede environment, context and data directory, in this order. A context that an option names counts as an option. The
 * administrator's token goes only to its own server or to this machine. A server that is named together with the data directory also gets
 * it.
 */
export function resolveConnection(
  options: ConnectionOptions,
  env: Io['env'],
  context: ClientContext | null = null,
): Connection {
  const chosen = options.context !== undefined && context !== null;
  const namedDataDir = namedDataDirOf(options, env);
  const dataDir = namedDataDir ?? DEFAULT_DATA_DIR;
  const running = runningServerOf(dataDir);
  const places: readonly Place[] = [
    ['--server', options.server],
    ['TUTTI_SERVER', chosen ? undefined : nonEmpty(env.TUTTI_SERVER)],
    ['the context', context?.server],
    ['the data directory', running?.url],
  ];
  const found = places.find(([, address]) => address !== undefined);
  const [source, address = DEFAULT_SERVER] = found ?? ['the default', undefined];
  const url = checkedUrl(address);
  const isOwn = isOfDataDir(source) || namedDataDir !== undefined || isLoopback(url);
  const hasToken = (context?.token ?? context?.tokenFile ?? null) !== null;
  const tokens = tokenPlaces(options, chosen && hasToken ? {} : env, context);
  const token = tokens ?? (isOwn ? adminToken(dataDir) : NO_TOKEN);
  const named = tlsOf(options, env, source === 'the context' || chosen ? context : null);
  const tls =
    source === 'the data directory' && named.caFile === null
      ? { ...named, serverFile: running?.certificate ?? null, serverKeyFile: running?.key ?? null }
      : named;
  const directory =
    namedDataDir !== undefined && isOfDataDir(source)
      ? { dataDir: namedDataDir, isNamed: source !== 'the default' }
      : null;
  const { read, source: tokenSource, isFile: hasTokenFile } = token;
  return { url, source, token: read, tokenSource, hasTokenFile, tls, context, directory };
}

/** Undefined where neither an option nor the environment names one. */
export const namedDataDirOf = (
  { dataDir }: ConnectionOptions,
  env: Io['env'],
): string | undefined => dataDir ?? nonEmpty(env.TUTTI_DATA_DIR);

/**
 * Refuses a named data directory that does not exist: otherwise the server at the default address would be asked. Commands that
 * wait for a server skip this check.
 */
export function refuseNoDirectory(
  { source }: Connection,
  options: ConnectionOptions,
  env: Io['env'],
): void {
  const named = namedDataDirOf(options, env);
  if (named === undefined || source !== 'the default' || existsSync(named)) return;
  throw new UsageError(
    `There is no data directory ${named}.`,
    'name that of a server on this machine with --data-dir or TUTTI_DATA_DIR, or the address of a server with --server.',
  );
}

/** True if no option, variable or context names the address of a server. */
export const isOfDataDir = (source: ServerSource): boolean =>
  source === 'the data directory' || source === 'the default';

type Place = readonly [source: ServerSource, address: string | undefined];

/** Finds the connection by options, environment and the context of this command. */
export async function findConnection(options: ConnectionOptions, io: Io): Promise<Connection> {
  const context = await loadContext(options, io.env);
  followDisplay(context, io);
  return resolveConnection(options, io.env, context);
}

/** Applies the display settings of the context to all output. */
export function followDisplay(context: ClientContext | null, io: Io): void {
  if (context?.colors === false) io.withoutColors?.();
}

/** A client of the server, or of the data directory with runs if no server exists. */
export async function connect(options: ConnectionOptions, io: Io): Promise<Client> {
  return await connectBy(await findConnection(options, io), options, io);
}

/** Connects, for callers that need the connection, too. */
export async function connectBy(
  connection: Connection,
  options: ConnectionOptions,
  io: Io,
): Promise<Client> {
  refuseNoDirectory(connection, options, io.env);
  const dataDir = namedDataDirOf(options, io.env) ?? DEFAULT_DATA_DIR;
  if (!isOfDataDir(connection.source) || !answersItself(dataDir))
    return await connectTo(connection, io);
  const { createClient } = await import('@tutti/client');
  const { createDirectoryFetch } = await import('./directory-fetch.ts');
  const fetch = ofDirectory(createDirectoryFetch(dataDir, io), connection.directory);
  return createClient({ baseUrl: connection.url, fetch });
}

/** Makes a client for a known connection. */
export async function connectTo(connection: Connection, io: Io): Promise<Client> {
  const { createClient } = await import('@tutti/client');
  const { url: baseUrl, token } = connection;
  const own = ofDirectory(await createConnectionFetch(connection), connection.directory);
  const fetch = isDebugging(io.env) ? createDebugFetch(own, io) : own;
  return createClient({ baseUrl, token: token() ?? undefined, fetch });
}

/** Sends requests as the connection says: with its TLS, to the addresses of its services. */
export async function createConnectionFetch({ url, tls, context }: Connection): Promise<Fetch> {
  const isPlain = Object.keys(readTls(tls)).length === 0;
  const fetch = createLightFetch(isPlain ? {} : { tls: readTls(tls) });
  // Service addresses of a context count only together with its server address.
  if (context === null || context.server !== url || context.services.size === 0) return fetch;
  const { createServiceFetch } = await import('@tutti/client/service-addresses');
  return createServiceFetch(url, context.services, fetch);
}

function tlsOf(
  { caFile, clientCertificate, clientKey, insecureSkipTlsVerify }: ConnectionOptions,
  env: Io['env'],
  context: ClientContext | null,
): TlsFiles {
  const { insecure = false } = context?.tls ?? {};
  const isNamed = ['1', 'true'].includes(env.TUTTI_INSECURE_SKIP_TLS_VERIFY ?? '');
  return {
    insecure: insecure || insecureSkipTlsVerify === true || isNamed,
    caFile: caFile ?? nonEmpty(env.TUTTI_CA_FILE) ?? context?.tls.caFile ?? null,
    ...ownCertificate(
      clientCertificate ?? nonEmpty(env.TUTTI_CLIENT_CERTIFICATE),
      clientKey ?? nonEmpty(env.TUTTI_CLIENT_KEY),
      context,
    ),
  };
}

/** Certificate and key belong together: one of a context does not fit another. */
function ownCertificate(
  certificate: string | undefined,
  key: string | undefined,
  context: ClientContext | null,
): Pick<TlsFiles, 'certificateFile' | 'keyFile'> {
  if (certificate !== undefined && key !== undefined) {
    return { certificateFile: certificate, keyFile: key };
  }
  if (certificate === undefined && key === undefined) {
    const { certificateFile = null, keyFile = null } = context?.tls ?? {};
    return { certificateFile, keyFile };
  }
  const [there, missing] =
    key === undefined ? ['certificate', '--client-key'] : ['key', '--client-certificate'];
  throw new UsageError(
    `A ${there} is named to be known by, and ${missing} is missing.`,
    'name both: --client-certificate and --client-key, or TUTTI_CLIENT_CERTIFICATE and TUTTI_CLIENT_KEY.',
  );
}

/** The contents of its files, as Node takes them. */
export function readTls(files: TlsFiles): TlsContent {
  const { insecure, caFile, certificateFile, keyFile, serverFile = null } = files;
  return {
    ...(serverFile !== null && trustOnly(readNamedText(serverFile))),
    ...(insecure && { rejectUnauthorized: false }),
    ...(caFile !== null && { ca: readNamedText(caFile) }),
    ...(certificateFile !== null && { cert: readNamedText(certificateFile) }),
    ...(keyFile !== null && { key: readNamedText(keyFile) }),
  };
}

/** A certificate's name may be the one that other machines use for the server. */
function trustOnly(pem: string): TlsContent {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const own = new X509Certificate(pem);
  return {
    ca: pem,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, { raw }) =>
      raw.equals(own.raw) ? undefined : new Error('It is not the certificate of the server.'),
  };
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function checkedUrl(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(
      `Not the address of a server: ${shownAddress(text)}.`,
      `write it like ${DEFAULT_SERVER}, with http:// or https://.`,
    );
  }
  if (isPlainAddress(text)) return text;
  throw new UsageError(
    `The address of the server ${shownAddress(text)} has a name, a password or a query, which no server takes.`,
    'leave them out, and pass a token with --token-file, --token or TUTTI_TOKEN.',
  );
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
