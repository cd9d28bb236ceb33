/** A bucket in trouble: it refuses, breaks off, stalls, loses answers, lacks rights. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openS3Faults, type S3Fault, type S3Faults } from '../../../../tests/support/s3-faults.ts';
import {
  describeWithS3,
  installS3Server,
  S3_ENVIRONMENT,
  S3Server,
} from '../../../../tests/support/s3-server.ts';
import { lookAtBucket, type OpenedBucket, openBucket } from './open-bucket.ts';

const MIB = 1024 * 1024;
/** Without a common factor with the size of a part. */
const PATTERN = Buffer.from(Array.from({ length: 251 }, (_, number) => number));
const ROOM = { sizeMax: 100 * MIB };

describeWithS3(await installS3Server(), 'a bucket', (program) => {
  let server: S3Server;
  let faults: S3Faults;
  let opened: OpenedBucket;
  let bucket: string;
  const urlOf = (name: string) => `s3://${name}/main?endpoint=${faults.endpoint}`;

  beforeAll(async () => {
    Object.assign(process.env, S3_ENVIRONMENT);
    server = await S3Server.start(program);
    faults = await openS3Faults(server.port);
  });
  afterAll(async () => {
    await faults?.close();
    await server?.remove();
  });
  beforeEach(async () => {
    bucket = `tests-${randomUUID()}`;
    await server.createBucket(bucket);
    opened = await openBucket(urlOf(bucket));
    return () => opened.close();
  });

  const content = (bytes: number) => Buffer.alloc(bytes, PATTERN);
  const put = (bytes: Buffer, key = 'run/file') =>
    opened.blobs.put(key, Readable.from([bytes], { objectMode: false }), ROOM);
  const got = async (key = 'run/file') => {
    const blob = await opened.blobs.get(key);
    return blob === null ? null : await buffer(blob.content);
  };

  const passing: readonly S3Fault[] = [
    { status: 500, code: 'InternalError' },
    { status: 503, code: 'SlowDown' },
    'half',
    'lost',
  ];
  for (const fault of passing) {
    const name = typeof fault === 'string' ? fault : fault.code;
    test(`that answers twice with ${name} keeps a small file, tells of it, gives and removes it`, async () => {
      const small = content(100_000);
      faults.fail(fault, { times: 2 });
      await put(small);
      faults.fail(fault, { times: 2 });
      expect(await opened.blobs.info('run/file')).toEqual({ size: small.length });
      faults.fail(fault, { times: 2 });
      expect(small.equals((await got()) ?? Buffer.alloc(0))).toBe(true);
      expect(faults.asked).toHaveLength(3);
      faults.fail(fault, { times: 2 });
      await opened.blobs.deleteScope('run');
      expect(await got()).toBeNull();
    });
  }

  for (const what of ['POST ?uploads', 'PUT ?partNumber&uploadId', 'POST ?uploadId']) {
    for (const fault of [{ status: 503, code: 'SlowDown' }, 'lost'] as const) {
      test(`that has ${JSON.stringify(fault)} for ${what} keeps a file of several parts`, async () => {
        const large = content(12 * MIB);
        faults.fail(fault, { times: 2, fits: new RegExp(`^${what.replace('?', '\\?')}$`) });
        expect(await put(large)).toEqual({ size: large.length });
        expect(faults.asked).toContain(what);
        expect(large.equals((await got()) ?? Buffer.alloc(0))).toBe(true);
      });
    }
  }

  test('takes content up to 8 MiB in one request, and one byte more in two parts', async () => {
    faults.fail('lost', { times: 0 });
    await put(content(8 * MIB));
    expect(faults.asked).toEqual(['PUT']);
    await put(content(8 * MIB + 1));
    expect(faults.asked.slice(1).sort()).toEqual([
      'POST ?uploadId',
      'POST ?uploads',
      'PUT ?partNumber&uploadId',
      'PUT ?partNumber&uploadId',
    ]);
  });

  test('gets no rest of a file of several parts whose source fails', async () => {
    async function* failing() {
      yield content(12 * MIB);
      throw new Error('connection lost');
    }
    faults.fail('lost', { times: 0 });
    await expect(opened.blobs.put('run/file', failing(), ROOM)).rejects.toThrow('connection lost');
    expect(faults.asked.at(-1)).toBe('DELETE ?uploadId');
    expect(await server.filesOf(bucket)).toEqual([]);
  });

  test('that stalls within a file gives the rest of it in another answer', async () => {
    const small = content(100_000);
    await put(small);
    faults.fail('stalled');
    expect(small.equals((await got()) ?? Buffer.alloc(0))).toBe(true);
    expect(faults.asked).toEqual(['GET', 'GET']);
  }, 60_000);

  test('removes a scope of more than a thousand files', async () => {
    const keys = Array.from({ length: 1_050 }, (_, number) => `run/${number}`);
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((key) => put(Buffer.from('a'), key)));
    }
    faults.fail('lost', { times: 0 });
    await opened.blobs.deleteScope('run');
    expect(faults.asked.filter((what) => what === 'POST ?delete')).toHaveLength(2);
    expect(await server.filesOf(bucket)).toEqual([]);
  }, 60_000);

  describe('that is away', () => {
    const refusal = {
      reason: 'ServiceUnavailable',
      retryAfterSeconds: 5,
      message: expect.stringMatching(
        /^The bucket .* is not available \(ECONNREFUSED\)\. Try again/,
      ),
    };

    test('refuses whoever can try again, and keeps the others waiting until it is back', async () => {
      await put(content(10), 'run/before');
      const away = new URL(server.endpoint);
      const direct = await openBucket(server.urlOf(`${bucket}/main`));
      await server.kill();
      try {
        const { blobs, patientBlobs } = direct;
        const waiting = Promise.all([
          patientBlobs.put('run/after', Readable.from([content(10)]), ROOM),
          patientBlobs.put('run/large', Readable.from([content(9 * MIB)]), ROOM),
          patientBlobs.info('run/before'),
          patientBlobs.get('run/before').then((blob) => buffer(blob?.content ?? Readable.from([]))),
        ]);
        const calls = [
          blobs.put('run/file', Readable.from([content(10)]), ROOM),
          blobs.put('run/file', Readable.from([content(12 * MIB)]), ROOM),
          blobs.info('run/before'),
          blobs.get('run/before'),
          blobs.deleteScope('run'),
        ];
        for (const outcome of await Promise.allSettled(calls)) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: refusal });
        }
        await server.start();
        expect(await waiting).toEqual([{ size: 10 }, { size: 9 * MIB }, { size: 10 }, content(10)]);
        expect(away.port).toBe(String(server.port));
      } finally {
        direct.close();
      }
    }, 60_000);

    test('keeps nobody waiting when the server stops', async () => {
      const direct = await openBucket(server.urlOf(`${bucket}/main`));
      await server.kill();
      const waiting = direct.patientBlobs.info('run/file');
      const outcome = expect(waiting).rejects.toMatchObject({ reason: 'ServiceUnavailable' });
      direct.close();
      await outcome;
      await server.start();
    });
  });

  describe('that cannot be used is told as such, with what to do', () => {
    test.each<readonly [string, RegExp, string]>([
      ['GET ?list-type&max-keys&prefix', /refuses to list objects .*s3:ListBucket/, 'AccessDenied'],
      ['PUT', /refuses to put an object .*s3:PutObject/, 'AccessDenied'],
      ['GET', /refuses to get an object .*s3:GetObject/, 'AccessDenied'],
      ['DELETE ?uploadId', /refuses to abort an upload .*AbortMultipart/, 'AccessDenied'],
      ['POST ?delete', /refuses to delete an object .*s3:DeleteObject/, 'AccessDenied'],
      ['PUT', /refuses the credentials \(ExpiredToken\)/, 'ExpiredToken'],
    ])('without the right to %s', async (what, expected, code) => {
      const fits = new RegExp(`^${what.replace('?', '\\?')}$`);
      faults.fail({ status: 403, code }, { times: 1, fits });
      expect(await lookAtBucket(urlOf(bucket))).toMatch(expected);
    });

    test('where there is no such bucket', async () => {
      expect(await lookAtBucket(urlOf('no-such-bucket'))).toMatch(
        /there is no bucket "no-such-bucket"\. Create it/,
      );
    });

    test('with a secret that is not the right one, which is not told', async () => {
      process.env.AWS_SECRET_ACCESS_KEY = 'a-wrong-secret';
      try {
        const problem = await lookAtBucket(urlOf(bucket));
        expect(problem).toMatch(/refuses the credentials \(SignatureDoesNotMatch\)\. Correct them/);
        expect(problem).not.toContain('a-wrong-secret');
      } finally {
        Object.assign(process.env, S3_ENVIRONMENT);
      }
    });

    test('with an access key that its service does not know', async () => {
      process.env.AWS_ACCESS_KEY_ID = 'stranger';
      try {
        expect(await lookAtBucket(urlOf(bucket))).toMatch(
          /refuses the credentials \(InvalidAccessKeyId\)/,
        );
      } finally {
        Object.assign(process.env, S3_ENVIRONMENT);
      }
    });

    test('without credentials', async () => {
      const { AWS_ACCESS_KEY_ID: _, ...others } = process.env;
      delete process.env.AWS_ACCESS_KEY_ID;
      try {
        expect(others.AWS_SECRET_ACCESS_KEY).toBeDefined();
        expect(await lookAtBucket(urlOf(bucket))).toMatch(
          /there are no credentials for it\. Set AWS_ACCESS_KEY_ID/,
        );
      } finally {
        Object.assign(process.env, S3_ENVIRONMENT);
      }
    });

    test('where nobody listens', async () => {
      expect(await lookAtBucket('s3://bucket?endpoint=http://127.0.0.1:9')).toMatch(
        /to list objects failed \(ECONNREFUSED.*Check the address, and whether its service runs\.$/,
      );
    }, 30_000);
  });
});
