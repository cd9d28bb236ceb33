/** Writing a stream into a new file that is on the disk at the end. While a part is written the next one is received. */
import { type FileHandle, open } from 'node:fs/promises';
import { onDisk } from './storage-failure.ts';

/** Received before it is written at once: chunks from a connection have 64 KiB at most, and each write is a way to another thread. */
const PART_BYTES = 512 * 1024;

/**
 * Bytes written between two waits for the disk. Without them a large file would wait for the disk only at its end. Our agent gives up after
 * 30 s without an answer.
 */
const SYNC_EVERY_BYTES = 32 * 1024 * 1024;

/** Answers the number of bytes. The file must not exist; one that fails half way is left as it is. */
export async function writeDurably(
  file: string,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
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

/** Has at most one write and one wait for the disk under way, so that a slow disk holds up the sender and nothing gathers in memory. */
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
