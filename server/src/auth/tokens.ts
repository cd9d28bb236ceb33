/** Issues the tokens of a data directory. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OrchestratorError } from '@tutti/manifests';
import { type Clock, createIds } from '../runtime/clock.ts';
import { createAuthenticator } from './authenticator.ts';
import { AUTH_LIMITS } from './limits.ts';
import { claimsOfOwnToken, signOwnToken } from './own-token.ts';
import { replaceFile } from './private-files.ts';
import { readRevokedTokens, revokedTokens } from './revoked-tokens.ts';
import { ensureSigningKey, type SigningKey } from './signing-key.ts';
import { readScope, SCOPE_CLAIM, type TokenScope } from './token-claims.ts';
import { trustedKey } from './trusted-keys.ts';

export interface ClaimOptions extends TokenScope {
  readonly subject: string;
  /** Absent: the token does not expire. */
  readonly expiresInMs?: number;
  /** `tutti` if absent. */
  readonly issuer?: string;
  readonly clock: Clock;
}

export interface TokenOptions extends ClaimOptions {
  readonly key: SigningKey;
}

const ISSUER = 'tutti';
export const ADMIN_TOKEN_FILE = 'admin.token';
export const ADMIN_SUBJECT = 'admin';

/** A signed token. Throws `Invalid` for an empty subject and for restrictions that no token can have. */
export async function createToken(options: TokenOptions): Promise<string> {
  return signOwnToken(tokenClaims(options), options.key.privateKey);
}

/** Claims of such a token. Throws as `createToken` does. */
export function tokenClaims(options: ClaimOptions): Readonly<Record<string, unknown>> {
  const scope = scopeOf(options);
  if (options.subject.trim() === '') {
    throw new OrchestratorError('Invalid', 'A token needs a subject.');
  }
  if (options.subject.length > AUTH_LIMITS.subjectLength) {
    throw new OrchestratorError(
      'Invalid',
      `The subject of a token may have ${AUTH_LIMITS.subjectLength} characters.`,
    );
  }
  if (readScope(scope) === null) {
    throw new OrchestratorError(
      'Invalid',
      'A token is restricted to names of namespaces, to known resources and to known verbs.',
    );
  }
  return claimsOf(options, scope);
}

function scopeOf({ namespaces, resources, verbs }: TokenScope): TokenScope | undefined {
  if (!namespaces && !resources && !verbs) return undefined;
  return {
    ...(namespaces && { namespaces }),
    ...(resources && { resources }),
    ...(verbs && { verbs }),
  };
}

function claimsOf(options: ClaimOptions, scope: TokenScope | undefined) {
  const { clock, expiresInMs, issuer = ISSUER, subject } = options;
  const nowSeconds = Math.floor(clock.now() / 1000);
  return {
    // Id by which the token can be revoked.
    jti: createIds(clock).random(),
    [SCOPE_CLAIM]: scope,
    iss: issuer,
    sub: subject,
    iat: nowSeconds,
    exp: expiresInMs === undefined ? undefined : nowSeconds + Math.ceil(expiresInMs / 1000),
  };
}

export interface AdminToken {
  readonly token: string;
  /** The file that has the token, readable by its owner only. */
  readonly file: string;
}

/** The administrator's token of a data directory. The existing one if it is valid and not revoked, else a new one. */
export async function ensureAdminToken(dataDir: string, clock: Clock): Promise<AdminToken> {
  const key = await ensureSigningKey(dataDir);
  const file = join(dataDir, ADMIN_TOKEN_FILE);
  const present = (await readFile(file, 'utf8').catch(() => '')).trim();
  const isValid = await isAdminToken(present, key, clock);
  if (isValid && !(await isRevoked(dataDir, present))) return { token: present, file };
  const token = await createToken({ key, subject: ADMIN_SUBJECT, clock });
  await replaceFile(file, `${token}\n`);
  return { token, file };
}

async function isRevoked(dataDir: string, token: string): Promise<boolean> {
  const entries = await readRevokedTokens(dataDir);
  return entries !== null && revokedTokens(entries).has(token);
}

async function isAdminToken(token: string, key: SigningKey, clock: Clock): Promise<boolean> {
  if (isUnboundedAdminToken(token, key)) return true;
  const keys = [trustedKey(key.publicKey, '*', 'signing.pem')];
  try {
    const access = await createAuthenticator({ keys, clock }).authenticate(`Bearer ${token}`);
    return access.subject === ADMIN_SUBJECT && access.namespaces('workflows', 'create') === '*';
  } catch {
    return false;
  }
}

/** True for what `ensureAdminToken` makes. Others, of which times and restrictions count, are looked at as all tokens are. */
function isUnboundedAdminToken(token: string, key: SigningKey): boolean {
  const claims = claimsOfOwnToken(token, key.publicKey);
  if (claims?.sub !== ADMIN_SUBJECT) return false;
  return ['exp', 'nbf', SCOPE_CLAIM].every((name) => claims[name] === undefined);
}
