/** The source of a command's token, and the checks of a token. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientContext } from '../client-config/client-context.ts';
import { codeOf, fileReason } from '../terminal/file-problem.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { createTokenReader } from './token-file.ts';

interface TokenOptions {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
}

const ADMIN_TOKEN_FILE = 'admin.token';

export interface TokenPlace {
  readonly source: string | null;
  /** Whether it is a file, which may have another token later. */
  readonly isFile: boolean;
  readonly read: () => string | null;
}

export const NO_TOKEN: TokenPlace = { source: null, isFile: false, read: () => null };

export const adminToken = (dataDir: string): TokenPlace => {
  const file = join(dataDir, ADMIN_TOKEN_FILE);
  return { source: file, isFile: true, read: () => readText(file)?.trim() ?? null };
};

/** Null if no option names a token. */
export function tokenPlaces(
  { token, tokenFile }: TokenOptions,
  env: Io['env'],
  context: ClientContext | null,
): TokenPlace | null {
  if (token !== undefined && tokenFile !== undefined) {
    throw new UsageError('--token and --token-file both name a token.', 'leave one of them out.');
  }
  const ofUser = `user "${context?.user}" of ${context?.file}`;
  const texts = [
    ['--token', token, 'the value of --token'],
    ['TUTTI_TOKEN', env.TUTTI_TOKEN || undefined, 'TUTTI_TOKEN'],
    [ofUser, context?.token ?? undefined, ofUser],
  ] as const;
  const file = tokenFile ?? null;
  const ofFile = (place: string, source = place) => ({
    ...{ source, isFile: true, read: requiredToken(place) },
  });
  if (file !== null) return ofFile(file, `--token-file ${file}`);
  for (const [source, text, placeName] of texts) {
    if (text !== undefined)
      return { source, isFile: false, read: () => checkedToken(text, placeName) };
  }
  const ofContext = context?.tokenFile ?? null;
  return ofContext === null ? null : ofFile(ofContext);
}

/** A text that no header can carry is refused here. Sent anyway, it would look like an unreachable server. */
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
  // PowerShell writes UTF-16 by default; read as UTF-8 it contains these characters.
  if (/[\0\ufffd]/.test(token))
    return 'another encoding, such as UTF-16, and not that of plain text';
  return /[\r\n]/.test(token) ? 'several lines' : 'characters that no token has';
}

/** Call it at each use. */
function requiredToken(file: string): () => string {
  const read = createTokenReader(file);
  return () => {
    const text = readText(file, read);
    const token = text?.trim() ?? '';
    if (token !== '') return checkedToken(token, file);
    throw new UsageError(
      text === null ? `There is no file ${file}.` : `There is no token in ${file}.`,
      'name a file that holds a token and nothing else.',
    );
  };
}

/** Null when there is no such file. */
function readText(file: string, read = () => readFileSync(file, 'utf8')): string | null {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (error instanceof UsageError || codeOf(error) === 'EISDIR') throw error;
    throw new UsageError(
      `Cannot read ${file}: ${fileReason(error)}.`,
      'use the account that runs the server, or name a server with --server and a token with --token-file.',
    );
  }
}
