/** Path of a key in the folder of the blobs. */
import { join } from 'node:path';
import { checkedScope, parseBlobKey } from '../blob-key.ts';

/** Folders of the store itself; no key can have such a name. */
export const INCOMING = '~incoming';
export const REMOVED = '~removed';

export interface BlobPath {
  readonly folder: string;
  readonly file: string;
}

/** Path of a blob. Throws `Invalid` for a key that is not `scope/name`. */
export function blobPath(directory: string, key: string): BlobPath {
  const { scope, name } = parseBlobKey(key);
  const folder = join(directory, scope);
  return { folder, file: join(folder, name) };
}

/** Path of a scope. Throws `Invalid` for a malformed scope. */
export const scopePath = (directory: string, scope: string): string =>
  join(directory, checkedScope(scope));
