/** Opens the files of runs: in the data directory, or in a bucket. */
import { existsSync, readdirSync } from 'node:fs';
import { OrchestratorError } from '@tutti/manifests';
import type { BlobStore } from './blobs/blob-store.ts';
import { recordBucket, recordedBucket } from './blobs/bucket-record.ts';
import { openFilesystemBlobStore } from './blobs/filesystem/filesystem-blob-store.ts';
import { parseBucketPlace } from './blobs/s3/bucket-place.ts';
import type { ServerConfig } from './runtime/config.ts';
import { blobsOf, bucketRecordOf } from './runtime/data-directory.ts';

export interface OpenedBlobs {
  readonly blobs: BlobStore;
  /**
   * The same files, for work that nobody would ask for again. It waits for a bucket that is away. Absent where a failure does not pass by
   * itself.
   */
  readonly patientBlobs?: BlobStore;
  /** Ends all waiting. */
  close(): void;
}

type BlobsConfig = Pick<ServerConfig, 'dataDir' | 'blobs'>;

/** Throws with the problem and what to do. */
export async function openBlobs({ dataDir, blobs: url }: BlobsConfig): Promise<OpenedBlobs> {
  const recorded = recordedBucket(dataDir);
  if (url === undefined) {
    if (recorded !== null) throw isElsewhere(dataDir, recorded);
    return inDirectory(dataDir);
  }
  const { address } = parseBucketPlace(url);
  refuseOtherPlace(dataDir, recorded, address);
  const { openBucket } = await import('./blobs/s3/open-bucket.ts');
  const opened = await openBucket(url);
  if (recorded === null) recordBucket(dataDir, address);
  return opened;
}

/** For a process that only reads. It asks nothing of the bucket before somebody wants a file. */
export async function openBlobsToRead({ dataDir, blobs: url }: BlobsConfig): Promise<OpenedBlobs> {
  const place = url ?? recordedBucket(dataDir);
  if (place === null) return inDirectory(dataDir);
  const { createStores } = await import('./blobs/s3/open-bucket.ts');
  return createStores(place);
}

async function inDirectory(dataDir: string): Promise<OpenedBlobs> {
  const blobs = await openFilesystemBlobStore({ directory: blobsOf(dataDir) });
  return { blobs, close: () => undefined };
}

function refuseOtherPlace(dataDir: string, recorded: string | null, address: string): void {
  if (recorded === address) return;
  if (recorded !== null) {
    throw refusal(
      `The files of runs of ${dataDir} are in ${recorded}, and blobs names ${address}. Copy them there under the same names, then remove ${bucketRecordOf(dataDir)}.`,
    );
  }
  if (!hasFiles(blobsOf(dataDir))) return;
  throw refusal(
    `Files of runs are in ${blobsOf(dataDir)}, and blobs names ${address}. Copy that folder into the bucket under the same names, then move it away (tutti docs operate/bucket).`,
  );
}

const isElsewhere = (dataDir: string, recorded: string): OrchestratorError =>
  refusal(
    `The files of runs of ${dataDir} are in a bucket. Start the server with --blobs '${recorded}', or copy them to ${blobsOf(dataDir)} and remove ${bucketRecordOf(dataDir)}.`,
  );

const refusal = (message: string): OrchestratorError => new OrchestratorError('Invalid', message);

/** The folders of the store itself do not count. */
function hasFiles(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith('~'));
}
