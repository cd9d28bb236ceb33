/** Public keys whose tokens are accepted, and the signature algorithms that each of them can have made. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerConfig } from '../runtime/config.ts';
import { readBounded } from './bounded-file.ts';
import { reasonOf, unusableFile } from './file-problem.ts';
import { AUTH_LIMITS } from './limits.ts';
import { type NamespaceSet, parseNamespaces } from './token-claims.ts';

export interface TrustedKey {
  readonly key: KeyObject;
  /** The `kid` of the tokens it signs; absent for keys that may have signed any. */
  readonly id?: string;
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

/** What the configured files say. */
export interface LoadedKeys {
  readonly keys: readonly TrustedKey[];
  /** The files that the keys are from. */
  readonly files: ReadonlySet<string>;
  /** Why files of directories were left out, by file. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/**
 * Reads the configured keys in their order; of a directory, all files that are not hidden, by name. Throws `Invalid` naming
 * the file for what is no usable public key: a server that silently trusts fewer keys than it was told refuses the right ones.
 * In a directory other files may lie beside the keys (wire facts 8.2), also when the last key is taken away.
 */
export async function loadTrustedKeys(
  configured: ServerConfig['auth']['trustedKeys'],
): Promise<LoadedKeys> {
  const keys: TrustedKey[] = [];
  const files = new Set<string>();
  const leftOut = new Map<string, string>();
  for (const { path, namespaces } of configured) {
    for (const { file } of await keyFiles(path)) {
      try {
        keys.push(trustedKey(await readKey(file), parseNamespaces(namespaces), file));
        files.add(file);
      } catch (error) {
        if (file === path) throw error;
        leftOut.set(file, reasonOf(error));
      }
    }
  }
  return { keys, files, leftOut };
}

/** Throws `Invalid` if a key has no algorithm that is accepted. `name` says where it comes from. */
export function trustedKey(key: KeyObject, namespaces: NamespaceSet, name: string): TrustedKey {
  const algorithms = algorithmsOf(key);
  if (algorithms.length === 0) throw unusableFile('key', name, ACCEPTED_KEYS);
  return { key, algorithms, namespaces };
}

export const ACCEPTED_KEYS = 'only RSA of 2048 bits or more, P-256, P-384, P-521 and Ed25519 are.';

/** The signature algorithms that are accepted of a key; none when the key itself is not. */
export function algorithmsOf(key: KeyObject): readonly string[] {
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

export interface KeyFile {
  readonly file: string;
  /** Another one whenever the content may be another. */
  readonly mark: string;
}

/** The files of a path, by name; of a directory, those that are not hidden. Throws `Invalid`. */
export async function keyFiles(path: string): Promise<readonly KeyFile[]> {
  try {
    const found = await lookAt(path);
    if (found.mark !== null) return [{ file: path, mark: found.mark }];
    const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
    if (names.length > AUTH_LIMITS.keysOfDirectory) {
      throw new Error(`a directory may have ${AUTH_LIMITS.keysOfDirectory} of them`);
    }
    const entries = await Promise.all(names.map((name) => lookInside(join(path, name))));
    return entries.flatMap(({ file, mark }) => (mark === null ? [] : [{ file, mark }]));
  } catch (cause) {
    throw unusableFile('key', path, `it cannot be read (${reasonOf(cause)}).`, cause);
  }
}

/** What cannot be looked at, such as a link that leads nowhere, is told as what cannot be read. */
const lookInside = (file: string) =>
  lookAt(file).catch((error: unknown) => ({ file, mark: reasonOf(error) }));

/** `mark` is null for what is no file: a directory, or what would keep whoever reads it waiting. */
export async function lookAt(file: string): Promise<{ file: string; mark: string | null }> {
  const info = await stat(file);
  const mark = [info.ino, info.size, info.mtimeMs, info.ctimeMs].join();
  return { file, mark: info.isFile() ? mark : null };
}

const PRIVATE_KEY = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/m;

async function readKey(file: string): Promise<KeyObject> {
  const pem = await readBounded('key', file, AUTH_LIMITS.keyFileBytes);
  if (PRIVATE_KEY.test(pem)) {
    const why = `it is a private key, and the public one is wanted; "openssl pkey -in ${file} -pubout" writes it.`;
    throw unusableFile('key', file, why);
  }
  try {
    return createPublicKey(pem);
  } catch (cause) {
    const why = `it is not a public key in PEM form (${reasonOf(cause)}); openssl pkey -pubout writes one.`;
    throw unusableFile('key', file, why, cause);
  }
}
