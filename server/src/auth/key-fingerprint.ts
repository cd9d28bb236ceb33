/** Names a public key that has no id of its own. */
import { createHash, type KeyObject } from 'node:crypto';

/** 96 bits: nobody finds another key that has the same ones, and events stay small. */
const LENGTH = 16;

/** The beginning of the SHA-256 digest of the key in DER form, in Base64 for addresses. */
export function fingerprintOf(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('base64url').slice(0, LENGTH)}`;
}
