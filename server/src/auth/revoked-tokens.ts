/**
 * Single tokens that were revoked before they expired: a list in the data directory. It has no token, only hashes of tokens (SHA-256)
 * and ids (the claim `jti`). A running server reads it again when it changes.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { OrchestratorError } from '@tutti/manifests';
import { revokedTokensOf } from '../runtime/data-directory.ts';
import { readBounded } from './bounded-file.ts';
import { reasonOf, unusableFile } from './file-problem.ts';
import { AUTH_LIMITS } from './limits.ts';
import { replaceFile, syncDirectoryOf } from './private-files.ts';

/** An entry of the list; it has `sha256`, `id` or both. */
export interface RevokedToken {
  /** Hash of `signedPart`, in hexadecimal digits. */
  readonly sha256?: string;
  /** The claim `jti`. */
  readonly id?: string;
  /** Subject of the token, as far as it is known. */
  readonly subject?: string;
  readonly revokedAt: string;
  /** Seconds since 1970: then the entry is not needed any more. Absent: it is kept for ever. */
  readonly expiresAt?: number;
}

export interface RevokedTokens {
  has(token: string): boolean;
}

const NONE_REVOKED: RevokedTokens = { has: () => false };

/** The part of a token that cannot be changed: all but the signature, which can be written in many forms. For any other text, all of it. */
const signedPart = (token: string): string => /^([^.]*\.[^.]*)\.[^.]*$/.exec(token)?.[1] ?? token;

export const tokenHash = (token: string): string =>
  createHash('sha256').update(signedPart(token)).digest('hex');

const WHAT = 'list of revoked tokens';

/** The list of a data directory; null where there is none. Throws `Invalid` for a file that is no such list. */
export async function readRevokedTokens(dataDir: string): Promise<readonly RevokedToken[] | null> {
  const file = revokedTokensOf(dataDir);
  if (!existsSync(file)) return null;
  return parseRevokedTokens(await readBounded(WHAT, file, AUTH_LIMITS.revokedFileBytes), file);
}

/** Parses the list of revoked tokens. Throws `Invalid` for a malformed list. */
export function parseRevokedTokens(text: string, file: string): readonly RevokedToken[] {
  const entries = parsed(text, file);
  if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  throw unusableFile(WHAT, file, 'it is no list of entries with "sha256" or "id".');
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusableFile(WHAT, file, `it is no JSON document (${reasonOf(cause)}).`, cause);
  }
}

function isEntry(entry: unknown): entry is RevokedToken {
  if (typeof entry !== 'object' || entry === null) return false;
  const { sha256, id }: Partial<Record<keyof RevokedToken, unknown>> = entry;
  return [sha256, id].some((each) => typeof each === 'string' && each !== '');
}

export function revokedTokens(entries: readonly RevokedToken[]): RevokedTokens {
  if (entries.length === 0) return NONE_REVOKED;
  const hashes = new Set(entries.map(({ sha256 }) => sha256));
  const ids = new Set(entries.map(({ id }) => id));
  return {
    has: (token) => {
      const id = idOf(token);
      return hashes.has(tokenHash(token)) || (typeof id === 'string' && ids.has(id));
    },
  };
}

/** The claim `jti`; null for a token that is no JWT, or has none. */
function idOf(token: string): unknown {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    const claims: unknown = JSON.parse(payload);
    return typeof claims === 'object' && claims !== null && 'jti' in claims ? claims.jti : null;
  } catch {
    return null;
  }
}

/**
 * Adds an entry, and removes those whose tokens have expired. Durable when it resolves. The caller makes sure that nobody else calls it
 * meanwhile. Throws `Invalid` when the list is full.
 */
export async function revokeToken(
  dataDir: string,
  entry: RevokedToken,
  nowMs: number,
): Promise<void> {
  const file = revokedTokensOf(dataDir);
  const entries = ((await readRevokedTokens(dataDir)) ?? []).filter(
    (each) => !isExpired(each, nowMs) && !isSame(each, entry),
  );
  if (entries.length >= AUTH_LIMITS.revokedTokens) throw tooMany(file);
  const lines = [...entries, entry].map((each) => JSON.stringify(each));
  await replaceFile(file, `[\n${lines.join(',\n')}\n]\n`);
  await syncDirectoryOf(file);
}

export const isExpired = ({ expiresAt }: RevokedToken, nowMs: number): boolean =>
  expiresAt !== undefined && expiresAt * 1000 + AUTH_LIMITS.revokedGraceMs <= nowMs;

const isSame = (one: RevokedToken, other: RevokedToken): boolean =>
  one.sha256 === other.sha256 && one.id === other.id;

const tooMany = (file: string): OrchestratorError =>
  new OrchestratorError(
    'Invalid',
    `${file} has ${AUTH_LIMITS.revokedTokens} tokens that do not expire soon, which is the limit. Revoke all tokens of the server instead: "tutti tokens rotate".`,
  );
