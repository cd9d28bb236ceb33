/** Opens the bucket of a server. Loaded only where one is configured: the client takes 0.3 s and 30 MiB. */
import type { S3Client } from '@aws-sdk/client-s3';
import { OrchestratorError } from '@tutti/manifests';
import { ByteGate } from '../../runtime/byte-gate.ts';
import type { BlobStore } from '../blob-store.ts';
import { createBucketClient } from './bucket-client.ts';
import { type BucketPlace, parseBucketPlace } from './bucket-place.ts';
import { problemOfBucket } from './check-bucket.ts';
import { BUCKET_LIMITS } from './limits.ts';
import { S3BlobStore } from './s3-blob-store.ts';

interface BucketParts {
  readonly client: S3Client;
  readonly place: BucketPlace;
}

export interface OpenedBucket {
  /** Refuses after some seconds, for callers that try again. */
  readonly blobs: BlobStore;
  /** Waits for the bucket, for work that nobody would ask for again. */
  readonly patientBlobs: BlobStore;
  /** Ends all waiting. */
  close(): void;
}

/** Throws with the problem and what to do, if the bucket cannot be used. */
export async function openBucket(url: string): Promise<OpenedBucket> {
  const opened = createStores(url);
  const { client, place } = opened;
  const problem = await problemOfBucket(client, place);
  if (problem === null) return opened;
  opened.close();
  throw new OrchestratorError('Invalid', problem);
}

/** The problem with a bucket, for `tutti doctor`; null if there is none. Throws for a malformed address. */
export async function lookAtBucket(url: string): Promise<string | null> {
  const { client, place, close } = createStores(url);
  try {
    return await problemOfBucket(client, place);
  } finally {
    close();
  }
}

/** Asks nothing of the bucket yet. */
export function createStores(url: string): OpenedBucket & BucketParts {
  const place = parseBucketPlace(url);
  const closing = new AbortController();
  const gate = new ByteGate({
    bytesMax: BUCKET_LIMITS.partsBytes,
    shareMax: BUCKET_LIMITS.runPartsBytes,
    waitMs: BUCKET_LIMITS.roomWaitMs,
    what: 'parts of files',
  });
  const storeWith = (patienceMs: number) => {
    const patience = { patienceMs, closing: closing.signal };
    const client = createBucketClient(place, patience);
    return { client, store: new S3BlobStore({ client, place, gate, ...patience }) };
  };
  const quick = storeWith(BUCKET_LIMITS.patienceMs);
  const patient = storeWith(BUCKET_LIMITS.longPatienceMs);
  return {
    place,
    client: quick.client,
    blobs: quick.store,
    patientBlobs: patient.store,
    close: () => {
      closing.abort(new Error('The server stops.'));
      quick.client.destroy();
      patient.client.destroy();
    },
  };
}
