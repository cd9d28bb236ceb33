/** Path of a key in the folder of the blobs. */
import { join } from 'node:path';
import { OrchestratorError } from '@tutti/manifests';

// A part of dots alone would name this folder or the one above.
const PART = /^(?!\.+$)[a-zA-Z0-9._-]{1,200}$/;

/** Folders of the store itself; no key can have such a name. */
export const INCOMING = '~incoming';
export const REMOVED = '~removed';

export interface BlobPath {
  readonly folder: string;
  readonly file: string;
}

/** Path of a blob. Throws `Invalid` for a key that is not `scope/name`. */
export function blobPath(directory: string, key: string): BlobPath {
  const [scope = '', name = '', ...rest] = key.split('/');
  if (rest.length > 0 || !PART.test(name)) throw invalidKey(key);
  const folder = scopePath(directory, scope);
  return { folder, file: join(folder, name) };
}

/** Path of a scope. Throws `Invalid` for a malformed scope. */
export function scopePath(directory: string, scope: string): string {
  if (!PART.test(scope)) throw invalidKey(scope);
  return join(directory, scope);
}

function invalidKey(key: string): OrchestratorError {
  return new OrchestratorError('Invalid', `Not a valid name for a file: ${JSON.stringify(key)}.`);
}
