/** Does once all that a server needs of a bucket. So a wrong address or a missing right shows before any run. */
import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { bucketProblem } from './bucket-failure.ts';
import type { BucketPlace } from './bucket-place.ts';

/** A sentence with what is wrong and what to do; null if all is well. Leaves nothing in the bucket. */
export async function problemOfBucket(
  client: S3Client,
  place: BucketPlace,
): Promise<string | null> {
  const Bucket = place.bucket;
  const Prefix = `${place.prefix}check-${randomUUID()}/`;
  const Key = `${Prefix}probe`;
  let asked = 'to list objects';
  try {
    await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }));
    asked = 'to put an object';
    await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    asked = 'to get an object';
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range: 'bytes=0-' }));
    if ((await Body?.transformToString()) !== Key) throw new Error('It is not what was put there.');
    asked = 'to abort an upload';
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    asked = 'to list an object that was just put';
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
    if (Contents.length !== 1) throw new Error('It is not in the list.');
    asked = 'to delete an object';
    const Delete = { Objects: [{ Key }], Quiet: true };
    const { Errors: [failed] = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete }),
    );
    if (failed === undefined) return null;
    const refused = { name: failed.Code ?? 'Unknown', $metadata: { httpStatusCode: 403 } };
    throw Object.assign(new Error(failed.Message), refused);
  } catch (error) {
    return bucketProblem(error, place, asked);
  }
}
