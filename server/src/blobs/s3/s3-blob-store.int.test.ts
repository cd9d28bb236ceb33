import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import {
  describeWithS3,
  installS3Server,
  S3_ENVIRONMENT,
  S3Server,
} from '../../../../tests/support/s3-server.ts';
import { describeBlobStore } from '../blob-conformance.ts';
import { openBucket } from './open-bucket.ts';

describeWithS3(await installS3Server(), 'with an S3 server', (program) => {
  let server: S3Server;
  beforeAll(async () => {
    Object.assign(process.env, S3_ENVIRONMENT);
    server = await S3Server.start(program);
  });
  afterAll(() => server.remove());

  describeBlobStore('blobs in a bucket', {
    async createPlace() {
      const bucket = `tests-${randomUUID()}`;
      await server.createBucket(bucket);
      return bucket;
    },
    removePlace: async () => undefined,
    open: async (bucket) => (await openBucket(server.urlOf(`${bucket}/main`))).blobs,
    async leftovers(bucket) {
      const files = await server.filesOf(bucket);
      return files.filter((name) => name.startsWith('.'));
    },
  });
});
