/**
 * Blobs as objects of a bucket: `prefix/scope/name`. The bucket makes an object durable and visible at once, when it has all of it. It must
 * show each change to the next request.
 */
import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isOrchestratorError } from '@tutti/manifests';
import type { ByteGate, HeldBytes } from '../../runtime/byte-gate.ts';
import { checkedScope, parseBlobKey } from '../blob-key.ts';
import type { BlobInfo, BlobStore } from '../blob-store.ts';
import { boundedContent } from '../bounded-content.ts';
import type { Patience } from './bucket-client.ts';
import { isMissing, unavailable } from './bucket-failure.ts';
import type { BucketPlace } from './bucket-place.ts';
import { BUCKET_LIMITS } from './limits.ts';
import { PartUpload } from './part-upload.ts';
import { resumedContent } from './resumed-content.ts';

export interface S3BlobStoreOptions extends Patience {
  readonly client: S3Client;
  readonly place: Pick<BucketPlace, 'bucket' | 'prefix'>;
  /** Memory of parts, shared by all stores of the process. */
  readonly gate: ByteGate;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

type Content = GetObjectCommandOutput & { readonly Body: Readable };

export class S3BlobStore implements BlobStore {
  readonly #options: S3BlobStoreOptions;

  constructor(options: S3BlobStoreOptions) {
    this.#options = options;
  }

  async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    { sizeMax, signal }: { readonly sizeMax: number; readonly signal?: AbortSignal },
  ): Promise<BlobInfo> {
    const { client, closing } = this.#options;
    const { scope } = parseBlobKey(key);
    const upload = new PartUpload({
      ...this.#objectOf(key),
      client,
      signal: signal === undefined ? closing : AbortSignal.any([closing, signal]),
      room: (isFirst) => this.#roomFor(scope, isFirst),
    });
    const source = noted(boundedContent(content, sizeMax, signal));
    try {
      for await (const chunk of source.content) await upload.add(chunk);
      signal?.throwIfAborted();
      return { size: await upload.end() };
    } catch (error) {
      await upload.abort();
      signal?.throwIfAborted();
      throw source.error() === error ? error : refusalOf(error);
    }
  }

  async info(key: string): Promise<BlobInfo | null> {
    const command = new HeadObjectCommand(this.#objectOf(key));
    const found = await this.#unlessMissing(() => this.#options.client.send(command));
    return found === null ? null : { size: found.ContentLength ?? 0 };
  }

  async get(
    key: string,
    range?: Range,
  ): Promise<{ readonly size: number; readonly content: Readable } | null> {
    const start = Math.max(0, range?.start ?? 0);
    if (range !== undefined && start >= range.end) return await this.#nothingOf(key);
    try {
      const last = range === undefined ? '' : range.end - 1;
      const object = this.#objectOf(key);
      const found = await this.#unlessMissing(() => this.#read(object, `bytes=${start}-${last}`));
      return found === null ? null : this.#contentOf(object, found, start);
    } catch (error) {
      // It begins beyond the end. All content of an empty object does.
      if (isBeyondEnd(error)) return await this.#nothingOf(key);
      throw error;
    }
  }

  async deleteScope(scope: string): Promise<void> {
    const { client, place } = this.#options;
    const { bucket: Bucket, prefix } = place;
    const Prefix = `${prefix}${checkedScope(scope)}/`;
    try {
      for (;;) {
        const listing = { Bucket, Prefix, MaxKeys: BUCKET_LIMITS.deletedKeys };
        const { Contents = [] } = await client.send(new ListObjectsV2Command(listing));
        if (Contents.length === 0) return;
        const Objects = Contents.map(({ Key }) => ({ Key }));
        const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
        const { Errors: [failed] = [] } = await client.send(command);
        if (failed !== undefined) {
          throw Object.assign(new Error(failed.Message), { name: failed.Code ?? 'Unknown' });
        }
        if (Contents.length < BUCKET_LIMITS.deletedKeys) return;
      }
    } catch (error) {
      throw unavailable(error);
    }
  }

  #objectOf(key: string): ObjectName {
    const { scope, name } = parseBlobKey(key);
    const { bucket: Bucket, prefix } = this.#options.place;
    return { Bucket, Key: `${prefix}${scope}/${name}` };
  }

  async #read(object: ObjectName, range: string, ifMatch?: string): Promise<Content> {
    const command = new GetObjectCommand({
      ...object,
      Range: range,
      ...(ifMatch === undefined ? {} : { IfMatch: ifMatch }),
    });
    // Node's form of a body.
    return (await this.#options.client.send(command)) as Content;
  }

  #contentOf(object: ObjectName, found: Content, start: number) {
    const { Body, ContentLength = 0, ContentRange, ETag } = found;
    // A server that knows no ranges would answer with all of it.
    const [, size = ''] = /\/(\d+)$/.exec(ContentRange ?? '') ?? [];
    const end = start + ContentLength;
    const content = resumedContent({
      ...this.#options,
      ...{ first: Body, start, end },
      rest: async (at) => (await this.#read(object, `bytes=${at}-${end - 1}`, ETag)).Body,
      failed: unavailable,
    });
    return { size: Number(size), content };
  }

  async #nothingOf(key: string) {
    const info = await this.info(key);
    return info === null ? null : { ...info, content: Readable.from([]) };
  }

  async #unlessMissing<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await request();
    } catch (error) {
      if (isMissing(error)) return null;
      throw isBeyondEnd(error) ? error : unavailable(error);
    }
  }

  async #roomFor(scope: string, isFirst: boolean): Promise<HeldBytes | null> {
    const { gate, patienceMs } = this.#options;
    if (!isFirst) {
      const isRoom = gate.held + BUCKET_LIMITS.partBytes <= gate.bytesMax;
      return isRoom ? await gate.enter(scope, BUCKET_LIMITS.partBytes) : null;
    }
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      try {
        return await gate.enter(scope, BUCKET_LIMITS.partBytes);
      } catch (error) {
        if (performance.now() > untilMs) throw error;
      }
    }
  }
}

const isBeyondEnd = (error: unknown): boolean =>
  error instanceof Error && error.name === 'InvalidRange';

const refusalOf = (error: unknown): Error =>
  isOrchestratorError(error) ? error : unavailable(error);

/** Content that remembers its own error: the sender caused it, and not the bucket. */
function noted(source: AsyncIterable<Uint8Array>) {
  let failure: unknown = null;
  async function* content() {
    try {
      yield* source;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { content: content(), error: () => failure };
}
