/** Which server a command talks to, and with which token. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@tutti/client';
import { codeOf, fileReason } from './file-problem.ts';
import type { Io } from './io.ts';
import { createLightFetch } from './light-fetch.ts';
import { UsageError } from './problem.ts';

export interface ConnectionOptions {
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly dataDir?: string | undefined;
}

export interface Connection {
  readonly url: string;
  /** Read anew at each call, because files of tokens get renewed; null when there is none. */
  readonly token: () => string | null;
}

export const DEFAULT_SERVER = 'http://127.0.0.1:7774';
export const DEFAULT_DATA_DIR = './.tutti';
/** Written by a server into its data directory while it runs. */
const SERVER_FILE = 'server.json';
const ADMIN_TOKEN_FILE = 'admin.token';

/**
 * Options over environment over data directory. The administrator's token of the data directory goes to its own server, to
 * this machine, or where both were named together; never to any other host.
 */
export function resolveConnection(options: ConnectionOptions, env: Io['env']): Connection {
  const named = options.server ?? nonEmpty(env.TUTTI_SERVER);
  const namedDataDir = options.dataDir ?? nonEmpty(env.TUTTI_DATA_DIR);
  const dataDir = namedDataDir ?? DEFAULT_DATA_DIR;
  const url = checkedUrl(named ?? runningServer(dataDir) ?? DEFAULT_SERVER);
  const isOwn = named === undefined || namedDataDir !== undefined || isLoopback(url);
  return { url, token: tokenSource(options, env, isOwn ? dataDir : null) };
}

/** A client of that server. */
export async function connect(options: ConnectionOptions, io: Io): Promise<Client> {
  const { url, token } = resolveConnection(options, io.env);
  const { createClient } = await import('@tutti/client');
  return createClient({ baseUrl: url, token: token() ?? undefined, fetch: createLightFetch() });
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function checkedUrl(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new UsageError(
    `Not the address of a server: ${text}.`,
    `write it like ${DEFAULT_SERVER}, with http:// or https://.`,
  );
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The address that the data directory's server wrote; null when none runs, or when the file says nothing. */
function runningServer(dataDir: string): string | null {
  const text = readText(join(dataDir, SERVER_FILE));
  if (text === null) return null;
  try {
    const content: unknown = JSON.parse(text);
    const isRecord = typeof content === 'object' && content !== null;
    return isRecord && 'url' in content && typeof content.url === 'string' ? content.url : null;
  } catch {
    return null;
  }
}

function tokenSource(
  { token, tokenFile }: ConnectionOptions,
  env: Io['env'],
  dataDir: string | null,
): () => string | null {
  if (token !== undefined && tokenFile !== undefined) {
    throw new UsageError('--token and --token-file both name a token.', 'leave one of them out.');
  }
  if (token !== undefined) return () => checkedToken(token, 'the value of --token');
  if (tokenFile !== undefined) return () => requiredToken(tokenFile);
  const fromEnv = nonEmpty(env.TUTTI_TOKEN);
  if (fromEnv !== undefined) return () => checkedToken(fromEnv, 'TUTTI_TOKEN');
  if (dataDir === null) return () => null;
  return () => readText(join(dataDir, ADMIN_TOKEN_FILE))?.trim() ?? null;
}

/** What no header can carry is no token, and would look like a server that cannot be reached. */
function checkedToken(token: string, source: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const why = oddityOf(token);
  throw new UsageError(
    `There is no token in ${source}: it has ${why}.`,
    'name a token, or a file that holds a token and nothing else.',
  );
}

function oddityOf(token: string): string {
  if (token === '') return 'no characters';
  // What PowerShell writes if it is not told otherwise, read as what it is not.
  if (/[\0\ufffd]/.test(token))
    return 'another encoding, such as UTF-16, and not that of plain text';
  return /[\r\n]/.test(token) ? 'several lines' : 'characters that no token has';
}

function requiredToken(file: string): string {
  const text = readText(file);
  const token = text?.trim() ?? '';
  if (token !== '') return checkedToken(token, file);
  throw new UsageError(
    text === null ? `There is no file ${file}.` : `There is no token in ${file}.`,
    'name a file that holds a token and nothing else.',
  );
}

/** Null when there is no such file. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new UsageError(
      `Cannot read ${file}: ${fileReason(error)}.`,
      'use the account that runs the server, or name a server with --server and a token with --token-file.',
    );
  }
}
