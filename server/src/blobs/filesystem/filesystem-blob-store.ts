/**
 * Blobs as files: `directory/scope/name`. New content is written to a folder beside the scopes and made durable there. A rename then puts
 * it in its place, which is atomic within a file system. A crash leaves files in that one folder alone, so that opening takes the same time
 * whatever is stored. One process at a time; the lock of the store in the same data directory sees to that.
 */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeDirectory } from '../../runtime/make-directory.ts';
import type { BlobInfo, BlobStore } from '../blob-store.ts';
import { boundedContent } from '../bounded-content.ts';
import { blobPath, INCOMING, REMOVED, scopePath } from './blob-path.ts';
import { type FreeBytes, freeBytesOfSystem, withinSpace } from './disk-space.ts';
import { isMissing, moveDurably, openForReading, syncFolder } from './durable-files.ts';
import { onDisk } from './storage-failure.ts';

interface FilesystemBlobStoreOptions {
  /** Made if it is missing; everything in it belongs to the blob store. */
  readonly directory: string;
  /** Free space of its disk; default: the figure of the system. */
  readonly freeBytes?: FreeBytes;
}

/** Removes what interrupted calls of an earlier process left. */
export async function openFilesystemBlobStore({
  directory,
  freeBytes = freeBytesOfSystem,
}: FilesystemBlobStoreOptions): Promise<BlobStore> {
  for (const name of [INCOMING, REMOVED]) {
    await rm(join(directory, name), { recursive: true, force: true });
    makeDirectory(join(directory, name));
  }
  return new FilesystemBlobStore(directory, freeBytes);
}

/** Read at once: each read is a way to another thread. A small file takes no more than it has. */
const READ_BYTES = 512 * 1024;

class FilesystemBlobStore implements BlobStore {
  readonly #directory: string;
  readonly #freeBytes: FreeBytes;
  #temporaryNames = 0;

  constructor(directory: string, freeBytes: FreeBytes) {
    this.#directory = directory;
    this.#freeBytes = freeBytes;
  }

  async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    { sizeMax, signal }: { readonly sizeMax: number; readonly signal?: AbortSignal },
  ): Promise<BlobInfo> {
    const { file } = blobPath(this.#directory, key);
    const temporary = this.#temporaryPath(INCOMING);
    try {
      const look = () => onDisk(() => this.#freeBytes(this.#directory));
      const bounded = boundedContent(content, sizeMax, signal);
      const size = await writeDurably(temporary, withinSpace(bounded, look));
      signal?.throwIfAborted();
      await onDisk(() => moveDurably(temporary, file));
      return { size };
    } catch (error) {
      // Where nothing could be written nothing may be removable, and the first failure is the one to report.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async info(key: string): Promise<BlobInfo | null> {
    try {
      const { size } = await stat(blobPath(this.#directory, key).file);
      return { size };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async get(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<{ readonly size: number; readonly content: Readable } | null> {
    const handle = await openForReading(blobPath(this.#directory, key).file);
    if (handle === null) return null;
    const { size } = await handle.stat();
    const start = Math.max(0, range?.start ?? 0);
    const end = Math.min(size, range?.end ?? size);
    if (start < end)
      return {
        size,
        content: handle.createReadStream({ start, end: end - 1, highWaterMark: READ_BYTES }),
      };
    await handle.close();
    return { size, content: Readable.from([]) };
  }

  async deleteScope(scope: string): Promise<void> {
    const removed = this.#temporaryPath(REMOVED);
    try {
      // All at once for readers; one by one on the disk.
      await rename(scopePath(this.#directory, scope), removed);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    await syncFolder(this.#directory);
    await rm(removed, { recursive: true, force: true });
  }

  #temporaryPath(folder: typeof INCOMING | typeof REMOVED): string {
    this.#temporaryNames += 1;
    return join(this.#directory, folder, String(this.#temporaryNames));
  }
}

/** Bytes received before one write. Chunks from a connection have at most 64 KiB, and each write goes to another thread. */
const PART_BYTES = 512 * 1024;

/**
 * Bytes written between two waits for the disk. Without them a large file would wait for the disk only at its end. Our agent gives up after
 * 30 s without an answer.
 */
const SYNC_EVERY_BYTES = 32 * 1024 * 1024;

/** Answers the number of bytes. The file must not exist; one that fails half way is left as it is. */
async function writeDurably(file: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await onDisk(() => open(file, 'wx', 0o600));
  const writer = new DurableWriter(handle);
  try {
    for await (const chunk of content) await writer.add(chunk);
    return await writer.end();
  } finally {
    await writer.settled();
    await handle.close();
  }
}

/** Has at most one write and one flush under way. So a slow disk slows the sender, and memory stays small. */
class DurableWriter {
  readonly #handle: FileHandle;
  #part: Uint8Array[] = [];
  #partBytes = 0;
  #size = 0;
  #synced = 0;
  #write: Promise<void> = Promise.resolve();
  #sync: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#part.push(chunk);
    this.#partBytes += chunk.byteLength;
    if (this.#partBytes >= PART_BYTES) await this.#writePart();
  }

  async end(): Promise<number> {
    await this.#writePart();
    await this.#write;
    await this.#sync;
    await onDisk(() => this.#handle.sync());
    return this.#size;
  }

  /** Waits until no write is under way, whatever came of it. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#write, this.#sync]);
  }

  /** Begins to write the received part; rejects with the error of the part before. */
  async #writePart(): Promise<void> {
    const part = this.#part;
    this.#size += this.#partBytes;
    this.#part = [];
    this.#partBytes = 0;
    await this.#write;
    // Goes on where the part before ended, and writes all of it.
    this.#write = awaitedLater(onDisk(() => this.#handle.writeFile(joined(part))));
    if (this.#size - this.#synced >= SYNC_EVERY_BYTES) await this.#beginSync();
  }

  async #beginSync(): Promise<void> {
    await this.#sync;
    this.#synced = this.#size;
    this.#sync = awaitedLater(onDisk(() => this.#handle.datasync()));
  }
}

const joined = (part: readonly Uint8Array[]): Uint8Array =>
  part.length === 1 && part[0] !== undefined ? part[0] : Buffer.concat(part);

/** A failure rejects the last wait, and must not end the process before. */
function awaitedLater(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}
