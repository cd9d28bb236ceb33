/** Authenticates requests (specification part 5, wire facts 8.1). */
import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import type { Clock } from '../runtime/clock.ts';
import { LIMITS } from '../runtime/limits.ts';
import { type Access, withStatus } from './access.ts';
import type { AccessFiles, FileTrust } from './access-files.ts';
import { badToken, bearerToken } from './bearer-token.ts';
import { keyIdOf } from './key-fingerprint.ts';
import type { KeySetCache } from './key-set-cache.ts';
import { AUTH_LIMITS } from './limits.ts';
import { claimsOfOwnToken } from './own-token.ts';
import { accessByPolicies } from './policies.ts';
import { findUser, NO_TOKENS } from './static-tokens.ts';
import { accessOf } from './token-claims.ts';
import type { TrustedKey } from './trusted-keys.ts';
import { createVerifiedTokens, type VerifiedToken } from './verified-tokens.ts';

export interface Authenticator {
  /** Access of the bearer of an `Authorization` header; throws `Unauthorized`. */
  authenticate(header: string | undefined): Promise<Access>;
}

/** Time for which an access counts unless keys change. */
export type Validity = Pick<VerifiedToken, 'expiresAtMs' | 'checkAgainAtMs'>;

/** When the token of a held request must be checked again. */
export interface TokenAuthority extends Authenticator {
  /** Another object whenever keys, policies or revoked tokens changed; looks at the files. */
  trust(): Promise<object>;
  /** Validity of an access that `authenticate` answered. */
  validityOf(access: Access): Validity;
}

export interface AuthenticatorDeps {
  /** Tried in order, before those of the files and of the key sets; the first that fits decides the namespaces. */
  readonly keys: readonly TrustedKey[];
  readonly files?: AccessFiles;
  readonly keySets?: readonly KeySetCache[];
  readonly clock: Clock;
}

const expired = () => badToken('The token has expired.');

const NO_TRUST: FileTrust = { keys: [], tokens: NO_TOKENS, policies: [] };
const noTrust = async () => NO_TRUST;
const NO_FILES: AccessFiles = { current: noTrust, look: noTrust };

export function createAuthenticator(deps: AuthenticatorDeps): TokenAuthority {
  const { clock, files = NO_FILES } = deps;
  const verified = createVerifiedTokens(LIMITS.verifiedTokens);
  const validities = new WeakMap<Access, Validity>();
  let trust = NO_TRUST;

  /** Forgets what older files made of tokens. */
  const follow = (current: FileTrust) => {
    if (current !== trust) verified.clear();
    trust = current;
  };
  return {
    authenticate: async (header) => {
      const token = bearerToken(header);
      const current = await files.current();
      follow(current);
      const known = verified.get(token);
      if (known !== null && clock.monotonicMs() < known.checkAgainAtMs) {
        if (clock.now() >= known.expiresAtMs) throw expired();
        return known.access;
      }
      const fresh =
        staticToken(token, current) ??
        ownToken(token, current) ??
        (await verify(token, current, deps));
      if (current.revoked?.has(token) === true) throw badToken('The token was revoked.');
      if (current === trust) verified.add(token, fresh);
      validities.set(fresh.access, fresh);
      return fresh.access;
    },
    trust: async () => {
      const current = await files.look();
      follow(current);
      return current;
    },
    validityOf: (access) => validities.get(access) ?? FOR_EVER,
  };
}

const FOR_EVER: Validity = { expiresAtMs: Infinity, checkAgainAtMs: Infinity };

function staticToken(token: string, { tokens, policies }: FileTrust): VerifiedToken | null {
  const user = findUser(tokens, token);
  if (user === null) return null;
  const access = withStatus(accessByPolicies(user, policies));
  return { access, expiresAtMs: Infinity, checkAgainAtMs: Infinity };
}

/**
 * Most tokens are our own, and those that never expire are verified without the library. Null for all others, also for our own ones with
 * times.
 */
function ownToken(token: string, { keys }: FileTrust): VerifiedToken | null {
  for (const key of keys) {
    const claims = key.isOwn === true ? claimsOfOwnToken(token, key.key) : null;
    if (claims === null || 'exp' in claims || 'nbf' in claims) continue;
    return verifiedToken(claims, key, Infinity);
  }
  return null;
}

async function verify(
  token: string,
  { keys }: FileTrust,
  deps: AuthenticatorDeps,
): Promise<VerifiedToken> {
  const jose = await import('jose');
  const header = headerOf(token, jose);
  const check = (candidates: readonly TrustedKey[], checkAgainAtMs: number) =>
    verifyWith(candidates, { token, header, clock: deps.clock, jose, checkAgainAtMs });
  const found = await check([...deps.keys, ...keys], Infinity);
  if (found !== null) return found;
  for (const keySet of deps.keySets ?? []) {
    const fetched = await keySet.keysFor(header.kid ?? null);
    const foundInSet = await check(fetched.keys, fetched.freshUntilMs);
    if (foundInSet !== null) return foundInSet;
  }
  throw badToken();
}

type Jose = typeof import('jose');

interface SignedToken {
  readonly token: string;
  readonly header: ProtectedHeaderParameters;
  readonly clock: Clock;
  readonly jose: Jose;
  /** When it must be checked anew, should one of the keys fit. */
  readonly checkAgainAtMs: number;
}

/** The algorithms of RFC 7518 and RFC 8037 that need no shared secret. */
export const ALGORITHM = /^(?:(?:ES|RS|PS)(?:256|384|512)|EdDSA|Ed25519)$/;

/** Throws for all that nobody's key can have signed, before any key is asked for. */
function headerOf(token: string, jose: Jose): ProtectedHeaderParameters {
  try {
    const header = jose.decodeProtectedHeader(token);
    if (ALGORITHM.test(header.alg ?? '')) return header;
  } catch {
    // Refused below.
  }
  throw badToken();
}

async function verifyWith(
  keys: readonly TrustedKey[],
  signed: SignedToken,
): Promise<VerifiedToken | null> {
  const { alg = '', kid } = signed.header;
  for (const key of keys) {
    // Asking for exactly the algorithms of the key keeps a token from choosing how it is checked.
    if (!key.algorithms.includes(alg)) continue;
    if (key.id !== undefined && kid !== undefined && key.id !== kid) continue;
    const claims = await claimsOf(signed, key);
    if (claims !== null) return verifiedToken(claims, key, signed.checkAgainAtMs);
  }
  return null;
}

/** Null when the token was not signed with that key. Throws when it was, but is not valid at this time. */
async function claimsOf(
  { token, clock, jose }: SignedToken,
  key: TrustedKey,
): Promise<JWTPayload | null> {
  try {
    const algorithms = [...key.algorithms];
    const currentDate = new Date(clock.now());
    return (await jose.jwtVerify(token, key.key, { algorithms, currentDate })).payload;
  } catch (error) {
    if (error instanceof jose.errors.JWTExpired) throw expired();
    if (error instanceof jose.errors.JWTClaimValidationFailed) {
      throw badToken(`The token is not valid: ${error.message}.`);
    }
    return null;
  }
}

function verifiedToken(claims: JWTPayload, key: TrustedKey, checkAgainAtMs: number): VerifiedToken {
  const { subjectLength } = AUTH_LIMITS;
  if (typeof claims.sub === 'string' && claims.sub.length > subjectLength) {
    throw badToken(`The subject of the token is longer than ${subjectLength} characters.`);
  }
  const access = accessOf(claims, key.namespaces, keyIdOf(key));
  if (access === null) throw badToken('The restrictions of the token cannot be read.');
  const expiresAtMs = claims.exp === undefined ? Infinity : claims.exp * 1000;
  return { access: withStatus(access), expiresAtMs, checkAgainAtMs };
}
