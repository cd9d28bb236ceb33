/** Public keys whose tokens are accepted, and the signature algorithms that each of them can have made. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OrchestratorError } from '@tutti/manifests';
import type { ServerConfig } from '../runtime/config.ts';
import { type NamespaceSet, parseNamespaces } from './token-claims.ts';

export interface TrustedKey {
  readonly key: KeyObject;
  readonly algorithms: readonly string[];
  readonly namespaces: NamespaceSet;
}

/** Smaller RSA keys can be broken. */
const RSA_BITS_MIN = 2048;

const EC_ALGORITHMS: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};
const RSA_PSS_ALGORITHMS = ['PS256', 'PS384', 'PS512'];
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', ...RSA_PSS_ALGORITHMS];

/**
 * Reads the configured keys in their order; of a directory, all files that are not hidden, by name. Throws `Invalid` naming
 * the file for what is no usable public key: a server that silently trusts fewer keys than it was told refuses the right ones.
 */
export async function loadTrustedKeys(
  configured: ServerConfig['auth']['trustedKeys'],
): Promise<readonly TrustedKey[]> {
  const keys: TrustedKey[] = [];
  for (const { path, namespaces } of configured) {
    for (const file of await keyFiles(path)) {
      keys.push(trustedKey(await readKey(file), parseNamespaces(namespaces), file));
    }
  }
  return keys;
}

/** Throws `Invalid` if a key has no algorithm that is accepted. `name` says where it comes from. */
export function trustedKey(key: KeyObject, namespaces: NamespaceSet, name: string): TrustedKey {
  const algorithms = algorithmsOf(key);
  if (algorithms.length === 0) {
    throw unusable(name, 'only RSA of 2048 bits or more, P-256, P-384, P-521 and Ed25519 are.');
  }
  return { key, algorithms, namespaces };
}

function algorithmsOf(key: KeyObject): readonly string[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  const curve = EC_ALGORITHMS[namedCurve];
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return modulusLength >= RSA_BITS_MIN ? RSA_ALGORITHMS : [];
    case 'rsa-pss':
      return modulusLength >= RSA_BITS_MIN ? RSA_PSS_ALGORITHMS : [];
    case 'ec':
      return curve === undefined ? [] : [curve];
    case 'ed25519':
      return ['EdDSA', 'Ed25519'];
    default:
      return [];
  }
}

const unusable = (file: string, why: string, cause?: unknown): OrchestratorError =>
  new OrchestratorError('Invalid', `The key ${file} is not usable: ${why}`, { cause });

async function keyFiles(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
    return names.map((name) => join(path, name));
  } catch (cause) {
    throw unusable(path, `it cannot be read (${reason(cause)}).`, cause);
  }
}

async function readKey(file: string): Promise<KeyObject> {
  try {
    return createPublicKey(await readFile(file));
  } catch (cause) {
    throw unusable(file, `it is not a public key in PEM form (${reason(cause)}).`, cause);
  }
}

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
