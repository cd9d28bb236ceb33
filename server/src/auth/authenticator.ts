/** Who sends a request (specification part 5, wire facts 8.1). */
import { OrchestratorError } from '@tutti/manifests';
import type { JWTPayload } from 'jose';
import type { Clock } from '../runtime/clock.ts';
import { LIMITS } from '../runtime/limits.ts';
import type { Access } from './access.ts';
import { accessOf } from './token-claims.ts';
import type { TrustedKey } from './trusted-keys.ts';
import { createVerifiedTokens, type VerifiedToken } from './verified-tokens.ts';

export interface Authenticator {
  /** What the bearer of an `Authorization` header may do; throws `Unauthorized`. */
  authenticate(header: string | undefined): Promise<Access>;
}

export interface AuthenticatorDeps {
  /** Tried in order; the first one that fits a token decides its namespaces. */
  readonly keys: readonly TrustedKey[];
  readonly clock: Clock;
}

const unauthorized = (message: string, error?: string): OrchestratorError =>
  new OrchestratorError('Unauthorized', message, { details: error ? { error } : null });

const noToken = () => unauthorized('No Bearer token');
const badHeader = () => unauthorized('Invalid Authorization header.');
const badToken = (error?: string) => unauthorized('Invalid JWT token.', error);
const expired = () => badToken('The token has expired.');

export function createAuthenticator({ keys, clock }: AuthenticatorDeps): Authenticator {
  const verified = createVerifiedTokens(LIMITS.verifiedTokens);
  return {
    authenticate: async (header) => {
      const token = bearerToken(header);
      const known = verified.get(token);
      if (known !== null) {
        if (clock.now() >= known.expiresAtMs) throw expired();
        return known.access;
      }
      const fresh = await verify(token, keys, clock);
      verified.add(token, fresh);
      return fresh.access;
    },
  };
}

const BEARER = /^bearer +([^\s]+)$/i;

function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') throw noToken();
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw badHeader();
  if (token.length > LIMITS.tokenBytes) throw badToken();
  return token;
}

async function verify(
  token: string,
  keys: readonly TrustedKey[],
  clock: Clock,
): Promise<VerifiedToken> {
  const jose = await import('jose');
  const algorithm = algorithmOf(token, jose);
  for (const key of keys) {
    // Asking for exactly the algorithms of the key keeps a token from choosing how it is checked.
    if (!key.algorithms.includes(algorithm)) continue;
    const claims = await claimsOf(token, key, clock, jose);
    if (claims !== null) return verifiedToken(claims, key);
  }
  throw badToken();
}

type Jose = typeof import('jose');

function algorithmOf(token: string, jose: Jose): string {
  try {
    return jose.decodeProtectedHeader(token).alg ?? '';
  } catch {
    throw badToken();
  }
}

/** Null when the token was not signed with that key. Throws when it was, but is not valid at this time. */
async function claimsOf(
  token: string,
  key: TrustedKey,
  clock: Clock,
  jose: Jose,
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

function verifiedToken(claims: JWTPayload, key: TrustedKey): VerifiedToken {
  const access = accessOf(claims, key.namespaces);
  if (access === null) throw badToken('The restrictions of the token cannot be read.');
  return { access, expiresAtMs: claims.exp === undefined ? Infinity : claims.exp * 1000 };
}
