/**
 * The blob port. It keeps attachments, resource files and files for environments, which are too large for the store.
 *
 * One conformance suite holds this contract. `put` resolves once the content is durable under its key. A reader sees nothing or the whole
 * content, never a part. A failed or aborted `put` leaves nothing. Memory stays constant at any size.
 */
import type { Readable } from 'node:stream';

export interface BlobInfo {
  /** In bytes. */
  readonly size: number;
}

export interface BlobStore {
  /** Replaces an earlier blob of this key. Keys are `scope/name`, both of `[a-zA-Z0-9._-]`, at most 200 characters each. */
  put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly sizeMax: number; readonly signal?: AbortSignal },
  ): Promise<BlobInfo>;
  info(key: string): Promise<BlobInfo | null>;
  /** Null when there is none. `end` is exclusive. */
  get(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<{ readonly size: number; readonly content: Readable } | null>;
  /** Removes all keys of a scope. */
  deleteScope(scope: string): Promise<void>;
}
