/** Puts content of unknown length: one request if it is small, else parts. */
import { createHash, type Hash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { HeldBytes } from '../../runtime/byte-gate.ts';
import { failureOf } from './bucket-failure.ts';
import { BUCKET_LIMITS } from './limits.ts';

export interface UploadTarget {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
  readonly signal: AbortSignal;
  /** Room for a part. Waits for it only if the upload has none yet, since two uploads could wait for each other; else null. */
  readonly room: (isFirst: boolean) => Promise<HeldBytes | null>;
}

/** Content of one request. Its hash is computed while it comes, so that no turn of the event loop takes long. */
interface Part {
  readonly bytes: Buffer;
  length: number;
  hash: Hash;
}

export class PartUpload {
  readonly #target: UploadTarget;
  readonly #ending = new AbortController();
  #size = 0;
  /** Content that is too little for a part. */
  #small: Uint8Array[] = [];
  #part: Part | null = null;
  readonly #free: Part[] = [];
  readonly #rooms: HeldBytes[] = [];
  #uploadId: string | null = null;
  readonly #tags: string[] = [];
  /** By the numbers of parts, in their order. */
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(target: UploadTarget) {
    const signal = AbortSignal.any([target.signal, this.#ending.signal]);
    this.#target = { ...target, signal };
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.byteLength;
    if (this.#part === null && this.#size <= BUCKET_LIMITS.smallBytes) {
      this.#small.push(chunk);
      return;
    }
    const before = this.#small;
    this.#small = [];
    for (const content of [...before, chunk]) await this.#fill(content);
  }

  /** Resolves with the size once all of it is durable under its key. */
  async end(): Promise<number> {
    if (this.#uploadId === null) await this.#putWhole();
    else {
      await this.#sendPart();
      await Promise.all(this.#underWay.values());
      await this.#complete(this.#uploadId);
    }
    this.#leave();
    return this.#size;
  }

  /** Leaves nothing. Never rejects. */
  async abort(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#underWay.values());
    this.#leave();
    if (this.#uploadId === null) return;
    const { client, Bucket, Key } = this.#target;
    // A rule of the bucket removes what cannot be removed now.
    await client
      .send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: this.#uploadId }))
      .catch(() => undefined);
  }

  async #fill(content: Uint8Array): Promise<void> {
    for (let at = 0; at < content.byteLength; ) {
      this.#part ??= await this.#emptyPart();
      const part = this.#part;
      const some = content.subarray(at, at + BUCKET_LIMITS.partBytes - part.length);
      part.bytes.set(some, part.length);
      part.hash.update(some);
      part.length += some.byteLength;
      at += some.byteLength;
      // The last part is sent at the end, when it is known whether it is the only one.
      if (part.length === BUCKET_LIMITS.partBytes && at < content.byteLength)
        await this.#sendPart();
    }
  }

  async #emptyPart(): Promise<Part> {
    const free = this.#free.pop() ?? (await this.#newPart());
    if (free !== null) return { ...free, length: 0, hash: createHash('sha256') };
    await Promise.race(this.#underWay.values());
    return await this.#emptyPart();
  }

  async #newPart(): Promise<Part | null> {
    const isFirst = this.#rooms.length === 0;
    if (this.#rooms.length > BUCKET_LIMITS.partsUnderWay) return null;
    const room = await this.#target.room(isFirst);
    if (room === null) return null;
    this.#rooms.push(room);
    const bytes = Buffer.allocUnsafeSlow(BUCKET_LIMITS.partBytes);
    return { bytes, length: 0, hash: createHash('sha256') };
  }

  /** Begins to send the part that was filled; rejects with the error of an earlier one. */
  async #sendPart(): Promise<void> {
    const part = this.#part;
    if (part === null) return;
    this.#part = null;
    this.#uploadId ??= await this.#begin();
    const UploadId = this.#uploadId;
    const number = this.#tags.push('');
    while (this.#isFull(number)) await Promise.race(this.#underWay.values());
    // A failed one stays, so that the next wait reports it.
    const sending = this.#send(part, UploadId, number).then(() => {
      this.#underWay.delete(number);
      this.#free.push(part);
    });
    sending.catch(() => undefined);
    this.#underWay.set(number, sending);
  }

  /** Some services write parts in their order, and answer the first one when no other follows. So none may be far behind. */
  #isFull(next: number): boolean {
    const [oldest = next] = this.#underWay.keys();
    return (
      this.#underWay.size >= BUCKET_LIMITS.partsUnderWay ||
      next - oldest >= BUCKET_LIMITS.partsAhead
    );
  }

  async #send(part: Part, UploadId: string, PartNumber: number): Promise<void> {
    const { client, Bucket, Key, signal } = this.#target;
    const Body = part.bytes.subarray(0, part.length);
    const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body });
    signHash(command, part.hash.digest('hex'));
    const { ETag } = await client.send(command, { abortSignal: signal });
    this.#tags[PartNumber - 1] = ETag ?? '';
  }

  async #begin(): Promise<string> {
    const { client, Bucket, Key, signal } = this.#target;
    const command = new CreateMultipartUploadCommand({ Bucket, Key });
    const { UploadId } = await client.send(command, { abortSignal: signal });
    if (UploadId === undefined) throw new Error('The bucket began no upload.');
    return UploadId;
  }

  async #putWhole(): Promise<void> {
    const { client, Bucket, Key, signal } = this.#target;
    const Body = this.#part?.bytes.subarray(0, this.#part.length) ?? Buffer.concat(this.#small);
    const hash = this.#part?.hash ?? createHash('sha256').update(Body);
    const command = new PutObjectCommand({ Bucket, Key, Body });
    signHash(command, hash.digest('hex'));
    await client.send(command, { abortSignal: signal });
  }

  async #complete(UploadId: string): Promise<void> {
    const { client, Bucket, Key, signal } = this.#target;
    const Parts = this.#tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    const command = new CompleteMultipartUploadCommand({
      ...{ Bucket, Key, UploadId },
      MultipartUpload: { Parts },
    });
    try {
      await client.send(command, { abortSignal: signal });
    } catch (error) {
      // The answer to an earlier try was lost.
      const isDone = failureOf(error).code === 'NoSuchUpload' && (await this.#isThere());
      if (!isDone) throw error;
    }
    this.#uploadId = null;
  }

  async #isThere(): Promise<boolean> {
    const { client, Bucket, Key, signal } = this.#target;
    const command = new HeadObjectCommand({ Bucket, Key });
    const { ContentLength } = await client.send(command, { abortSignal: signal });
    return ContentLength === this.#size;
  }

  #leave(): void {
    for (const room of this.#rooms) room.leave();
  }
}

/** The client signs this hash of the content, and computes none. The service compares it with what it received. */
function signHash(command: PutObjectCommand | UploadPartCommand, sha256: string): void {
  // Both have the same stack, but for the type of their input.
  const stack = command.middlewareStack as PutObjectCommand['middlewareStack'];
  stack.add(
    (next) => (args) => {
      // A request of HTTP at this step.
      const { headers } = args.request as { readonly headers: Record<string, string> };
      headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'signHash' },
  );
}
