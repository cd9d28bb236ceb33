/** `tutti tokens revoke` and `tutti tokens revoked`: single tokens that a server rejects. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cleanOutput } from '@tutti/run-view/text';
import { takeLock } from '@tutti/server/lock-file';
import { type DataDirOption, dataDirOf } from '../connection/data-directory.ts';
import { type OutputFormat, printDocument } from '../options/output-format.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { renderTable } from '../terminal/table.ts';
import { givenToken, type TokenFileOption } from '../tokens/given-token.ts';
import { decodeToken } from '../tokens/token-signature.ts';
import { expiryText } from '../tokens/token-text.ts';

export interface TokenRevokeOptions extends DataDirOption, TokenFileOption {
  /** The claim `jti`. */
  readonly id?: string;
  readonly sha256?: string;
}

export interface TokenRevokedOptions extends DataDirOption {
  readonly output: OutputFormat;
}

/** Time to wait for another command that holds the lock. */
const PATIENCE_MS = 10_000;

/** Revokes one token. Lists revoked tokens, and resolves with the exit code. */
export async function revokeOneToken(
  argument: string | undefined,
  options: TokenRevokeOptions,
  io: Io,
): Promise<number> {
  const [{ loadTokenTools, systemClock }, entry] = await Promise.all([
    import('@tutti/server'),
    entryOf(argument, options, io),
  ]);
  const { ensureAdminToken, revokeToken, signingKeyFile } = await loadTokenTools();
  const dataDir = dataDirOf(options, io);
  if (!existsSync(signingKeyFile(dataDir))) throw noServer(dataDir);
  const revokedAt = new Date(io.now()).toISOString();
  await alone(join(dataDir, 'revoked-tokens.change-lock'), () =>
    revokeToken(dataDir, { ...entry, revokedAt }, io.now()),
  );
  // The revoked token may have been the administrator's own.
  await ensureAdminToken(dataDir, systemClock);
  io.screen.write(cleanOutput(doneText(entry), false));
  return EXIT_CODES.done;
}

/** Resolves with the exit code. */
export async function listRevokedTokens(options: TokenRevokedOptions, io: Io): Promise<number> {
  const { loadTokenTools } = await import('@tutti/server');
  const { isExpired, readRevokedTokens } = await loadTokenTools();
  const all = (await readRevokedTokens(dataDirOf(options, io))) ?? [];
  const entries = all.filter((entry) => !isExpired(entry, io.now()));
  if (options.output === 'json') {
    printDocument(entries, io);
    return EXIT_CODES.done;
  }
  const rows = entries.map(({ subject, id, sha256, revokedAt, expiresAt }) => [
    subject ?? '<unknown>',
    id === undefined ? `sha256 ${sha256}` : `id ${id}`,
    revokedAt,
    expiryText(expiresAt, io.now()),
  ]);
  const lines = renderTable(['SUBJECT', 'TOKEN', 'REVOKED', 'EXPIRES'], rows);
  const text = entries.length === 0 ? 'No token is revoked.\n' : `${lines.join('\n')}\n`;
  io.screen.write(cleanOutput(asCalled(text, io.command), false));
  return EXIT_CODES.done;
}

interface Entry {
  readonly sha256?: string;
  readonly id?: string;
  readonly subject?: string;
  readonly expiresAt?: number;
}

async function entryOf(
  argument: string | undefined,
  { id, sha256, ...options }: TokenRevokeOptions,
  io: Io,
): Promise<Entry> {
  const named = [argument, options.tokenFile, id, sha256].filter((each) => each !== undefined);
  if (named.length !== 1) {
    throw new UsageError(
      'One token is revoked at a time, and it is named once.',
      'name the token, a file with it (--token-file), its id (--id) or its hash (--sha256).',
    );
  }
  if (id !== undefined) return { id };
  if (sha256 !== undefined) return { sha256: checkedHash(sha256) };
  return await entryOfToken((await givenToken(argument, options, io)) ?? '');
}

async function entryOfToken(token: string): Promise<Entry> {
  const { loadTokenTools } = await import('@tutti/server');
  const { tokenHash } = await loadTokenTools();
  // A token from a file of tokens is no JWT.
  const { sub, exp } = decodeToken(token)?.claims ?? {};
  return {
    sha256: tokenHash(token),
    ...(typeof sub === 'string' && { subject: sub }),
    ...(typeof exp === 'number' && { expiresAt: exp }),
  };
}

function checkedHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new UsageError(
    `--sha256 takes 64 hexadecimal digits, and "${text}" is something else.`,
    'name the token itself, or its id with --id.',
  );
}

async function alone(file: string, work: () => Promise<void>): Promise<void> {
  const lock = takeLock(file, PATIENCE_MS);
  if (lock === null) {
    throw new UsageError(
      'Another command changes the list of revoked tokens.',
      'try again when that command has ended.',
    );
  }
  try {
    await work();
  } finally {
    lock.release();
  }
}

const noServer = (dataDir: string): UsageError =>
  new UsageError(
    `${dataDir} has no key, so it is the data directory of no server.`,
    'name the data directory of the server with --data-dir or TUTTI_DATA_DIR.',
  );

const doneText = ({ subject, id, sha256 }: Entry): string =>
  `Revoked: ${subject === undefined ? 'the token' : `the token of ${subject}`} (${id === undefined ? `sha256 ${sha256}` : `id ${id}`}). A running server refuses it within a second.\n`;
