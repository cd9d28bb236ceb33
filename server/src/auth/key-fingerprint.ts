/** Names of keys in events and logs. */
import { createHash, type KeyObject } from 'node:crypto';
import { AUTH_LIMITS } from './limits.ts';
import type { TrustedKey } from './trusted-keys.ts';

/** 96 bits: nobody finds another key that has the same ones, and events stay small. */
const LENGTH = 16;

/** The beginning of the SHA-256 digest of the key in DER form, in Base64 for addresses. */
export function fingerprintOf(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('base64url').slice(0, LENGTH)}`;
}

/** The `kid` of a key of a key set; the fingerprint of any other key. */
export const keyIdOf = ({ id, key }: TrustedKey): string =>
  id === undefined || id.length > AUTH_LIMITS.keyIdLength ? fingerprintOf(key) : id;
