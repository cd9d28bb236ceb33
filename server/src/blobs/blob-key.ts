/** Keys of blobs: `scope/name`. */
import { OrchestratorError } from '@tutti/manifests';

// A part of dots alone would name this folder or the one above.
const PART = /^(?!\.+$)[a-zA-Z0-9._-]{1,200}$/;

export interface BlobKey {
  readonly scope: string;
  readonly name: string;
}

/** Throws `Invalid` for a key that is not `scope/name`. */
export function parseBlobKey(key: string): BlobKey {
  const [scope = '', name = '', ...rest] = key.split('/');
  if (rest.length > 0 || !PART.test(name)) throw invalidKey(key);
  return { scope: checkedScope(scope), name };
}

/** The scope itself. Throws `Invalid` if it is malformed. */
export function checkedScope(scope: string): string {
  if (!PART.test(scope)) throw invalidKey(scope);
  return scope;
}

function invalidKey(key: string): OrchestratorError {
  return new OrchestratorError('Invalid', `Not a valid name for a file: ${JSON.stringify(key)}.`);
}
