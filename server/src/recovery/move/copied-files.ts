/** Copies files of runs from a data directory into a bucket, and compares both sides. Files that are there already are not sent again. */
import { createHash } from 'node:crypto';
import { opendir } from 'node:fs/promises';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import { blobsOf } from '../../runtime/data-directory.ts';
import { hasCode, RecoveryRefusal } from '../refusal.ts';

/** Answers how many there are. Throws with the problem and what to do. */
export async function copyFiles(
  dataDir: string,
  url: string,
  signal: AbortSignal,
): Promise<number> {
  const from = await openFilesystemBlobStore({ directory: blobsOf(dataDir) });
  const { openBucket } = await import('../../blobs/s3/open-bucket.ts');
  const bucket = await openBucket(url);
  try {
    let files = 0;
    for await (const key of keysIn(blobsOf(dataDir))) {
      signal.throwIfAborted();
      await copyFile({ from, to: bucket.patientBlobs }, key, signal);
      files += 1;
    }
    return files;
  } finally {
    bucket.close();
  }
}

interface Stores {
  readonly from: BlobStore;
  readonly to: BlobStore;
}

async function copyFile({ from, to }: Stores, key: string, signal: AbortSignal): Promise<void> {
  const [sent, stored] = [await digestOf(from, key), await digestOf(to, key)];
  if (sent === stored) return;
  const found = await from.get(key);
  if (found === null) throw new Error(`The file ${key} has gone during the copy.`);
  await to.put(key, found.content, { sizeMax: found.size, signal });
  if ((await digestOf(to, key)) === sent) return;
  throw new RecoveryRefusal(
    `The bucket has another content of ${key} than it was sent.`,
    'repeat the copy, and look at the log of the object store if that does not help.',
  );
}

/** Null where there is no such file. */
async function digestOf(store: BlobStore, key: string): Promise<string | null> {
  const found = await store.get(key);
  if (found === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of found.content) hash.update(chunk);
  return hash.digest('hex');
}

/** The folders of the store itself begin with `~`. */
async function* keysIn(folder: string): AsyncGenerator<string> {
  for await (const scope of await entriesOf(folder)) {
    if (!scope.isDirectory() || scope.name.startsWith('~')) continue;
    for await (const file of await entriesOf(`${folder}/${scope.name}`)) {
      if (file.isFile()) yield `${scope.name}/${file.name}`;
    }
  }
}

async function entriesOf(folder: string) {
  try {
    return await opendir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
