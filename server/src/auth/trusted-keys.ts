/** Public keys whose tokens are accepted, and the signature algorithms that each of them can have made. */

import type { KeyObject } from 'node:crypto';
import { dictionary } from '@tutti/manifests';
import type { ServerConfig } from '../runtime/config.ts';
import { reasonOf, unusableFile } from './file-problem.ts';
import { keyFiles, readKeys } from './key-files.ts';
import { type NamespaceSet, parseNamespaces } from './token-claims.ts';

export interface TrustedKey {
  readonly key: KeyObject;
  /** The `kid` of the tokens it signs; absent for keys that may have signed any. */
  readonly id?: string;
  readonly algorithms: readonly string[];
  readonly namespaces: NamespaceSet;
  /** The server signs with it, and nobody else does. */
  readonly isOwn?: boolean;
}

/** Smaller RSA keys can be broken. */
const RSA_BITS_MIN = 2048;

const EC_ALGORITHMS: Readonly<Record<string, string>> = dictionary<string>({
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
});
const RSA_PSS_ALGORITHMS = ['PS256', 'PS384', 'PS512'];
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', ...RSA_PSS_ALGORITHMS];

/** Keys of the configured files. */
export interface LoadedKeys {
  readonly keys: readonly TrustedKey[];
  /** For each configured path, the keys of each file. */
  readonly sources: readonly KeySource[];
  /** Why files of directories were left out, by file. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Mistakes in files and directories that keep their previous keys. */
  readonly kept: readonly string[];
}

type KeySource = ReadonlyMap<string, readonly TrustedKey[]>;

/**
 * Reads the configured keys in their order; of a directory, all files that are not hidden, by name. Throws `Invalid` with the file if it is
 * no usable public key. A server that silently trusts fewer keys would refuse valid tokens. In a directory other files may lie beside the
 * keys (wire facts 8.2). They may stay when the last key is removed.
 *
 * With the earlier keys (`before`) it throws for no file. A file that is wrong now, perhaps half-written, keeps its keys, and so does a
 * path that cannot be read. All others count as they are.
 */
export async function loadTrustedKeys(
  configured: ServerConfig['auth']['trustedKeys'],
  before: LoadedKeys | null = null,
): Promise<LoadedKeys> {
  const problems: Problems = { leftOut: new Map(), kept: [] };
  const sources: KeySource[] = [];
  for (const [index, { path, namespaces }] of configured.entries()) {
    const known = before?.sources[index] ?? null;
    const place = { path, namespaces: parseNamespaces(namespaces), known };
    sources.push(await loadSource(place, problems));
  }
  const keys = sources.flatMap((source) => [...source.values()].flat());
  return { keys, sources, ...problems };
}

interface KeyPlace {
  readonly path: string;
  readonly namespaces: NamespaceSet;
  /** The keys that it had before; null at the start. */
  readonly known: KeySource | null;
}

interface Problems {
  readonly leftOut: Map<string, string>;
  readonly kept: string[];
}

async function loadSource(place: KeyPlace, problems: Problems): Promise<KeySource> {
  const { path, known } = place;
  try {
    const source = new Map<string, readonly TrustedKey[]>();
    for (const { file } of await keyFiles(path)) {
      const keys = await loadFile(file, place, problems);
      if (keys !== null) source.set(file, keys);
    }
    return source;
  } catch (error) {
    if (known === null) throw error;
    problems.kept.push(reasonOf(error));
    return known;
  }
}

/** Null for a file that is left out. */
async function loadFile(
  file: string,
  { path, namespaces, known }: KeyPlace,
  { leftOut, kept }: Problems,
): Promise<readonly TrustedKey[] | null> {
  try {
    return (await readKeys(file)).map((key) => trustedKey(key, namespaces, file));
  } catch (error) {
    if (file === path) throw error;
    const before = known?.get(file) ?? null;
    if (before === null) leftOut.set(file, reasonOf(error));
    else kept.push(reasonOf(error));
    return before;
  }
}

/** A trusted key with its namespaces. `name` is its origin. Throws `Invalid` for a key without an accepted algorithm. */
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
