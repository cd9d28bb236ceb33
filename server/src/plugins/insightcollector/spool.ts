/** Content that is kept on the disk until what stands in front of it is known. */
import type { Readable } from 'node:stream';
import type { AttachmentId } from '@tutti/manifests';
import type { BlobStore } from '../../blobs/blob-store.ts';

/** Stores content, and resolves with a stream of it when all has come. */
export type Spool = (content: AsyncIterable<Uint8Array>) => Promise<Readable>;

/** A scope of its own, so that the content can go alone. It is the same when a report is begun again after a crash. */
export const spoolScope = (attachmentId: AttachmentId): string => `insight-${attachmentId}`;

/** Makes the spool of one report. The caller deletes the scope afterwards. */
export function createSpool(
  blobs: Pick<BlobStore, 'put' | 'get'>,
  attachmentId: AttachmentId,
  options: { readonly sizeMax: number; readonly signal: AbortSignal },
): Spool {
  const key = `${spoolScope(attachmentId)}/content`;
  return async (content) => {
    await blobs.put(key, content, options);
    const blob = await blobs.get(key);
    if (blob === null) throw new Error(`The blob ${key} is gone.`);
    return blob.content;
  };
}
