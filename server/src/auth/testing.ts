/** Keys and tokens for tests: real ones, made on the spot. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { formatTimestamp } from '@tutti/manifests';
import { type JWTPayload, SignJWT } from 'jose';
import type { Clock } from '../runtime/clock.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import { trustedKey } from './trusted-keys.ts';

export const NOW_MS = Date.UTC(2026, 0, 31, 12);

export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function createTestClock(startMs = NOW_MS): TestClock {
  let now = startMs;
  return {
    now: () => now,
    timestamp: () => formatTimestamp(now),
    monotonicMs: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

export interface TestAuthority {
  readonly publicKey: KeyObject;
  /** An `Authorization` header. */
  bearer(claims: JWTPayload): Promise<string>;
  authenticator(namespaces?: string): Authenticator;
}

export function createTestAuthority(clock: Clock = createTestClock()): TestAuthority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey,
    bearer: async (claims) =>
      `Bearer ${await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)}`,
    authenticator: (namespaces = '*') => {
      const set = namespaces === '*' ? '*' : new Set(namespaces.split(','));
      return createAuthenticator({ keys: [trustedKey(publicKey, set, 'test')], clock });
    },
  };
}
