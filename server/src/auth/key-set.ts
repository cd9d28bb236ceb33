/** Keys of an authority as it publishes them: a JSON Web Key Set (RFC 7517). */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { OrchestratorError } from '@tutti/manifests';
import { AUTH_LIMITS } from './limits.ts';
import type { NamespaceSet } from './token-claims.ts';
import { algorithmsOf, type TrustedKey } from './trusted-keys.ts';

/**
 * The keys of the document that sign in an accepted way. Others (for encryption, shared secrets, weak ones) are left out, as the RFC asks.
 * Throws `Invalid` for a text that is no key set, or has too many keys.
 */
export function parseKeySet(text: string, namespaces: NamespaceSet): readonly TrustedKey[] {
  const keys = keysIn(text);
  if (keys === null) throw new OrchestratorError('Invalid', 'It is not a JSON Web Key Set.');
  if (keys.length > AUTH_LIMITS.keySetKeys) {
    const message = `It has ${keys.length} keys; ${AUTH_LIMITS.keySetKeys} are the most.`;
    throw new OrchestratorError('Invalid', message);
  }
  return keys.flatMap((key) => {
    const trusted = trustedKeyOf(key, namespaces);
    return trusted === null ? [] : [trusted];
  });
}

function keysIn(text: string): readonly unknown[] | null {
  try {
    const { keys }: { readonly keys?: unknown } = Object(JSON.parse(text));
    return Array.isArray(keys) ? keys : null;
  } catch {
    return null;
  }
}

function trustedKeyOf(value: unknown, namespaces: NamespaceSet): TrustedKey | null {
  if (typeof value !== 'object' || value === null) return null;
  const jwk: JsonWebKey = { ...value };
  const { use, alg, kid, d } = jwk;
  // A published private key is known to everybody, so it cannot be trusted.
  if ((use !== undefined && use !== 'sig') || d !== undefined) return null;
  const key = publicKeyOf(jwk);
  if (key === null) return null;
  const algorithms = algorithmsOf(key).filter((name) => alg === undefined || alg === name);
  if (algorithms.length === 0) return null;
  return { key, algorithms, namespaces, ...(typeof kid === 'string' && { id: kid }) };
}

function publicKeyOf(key: JsonWebKey): KeyObject | null {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return null;
  }
}
