/** Sizes of files in the data directory. */
import { opendir, readdir, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface BlobSizes {
  readonly bytes: number;
  readonly files: number;
}

/** The database with the files that SQLite keeps beside it. */
export async function databaseBytes(file: string): Promise<number> {
  const folder = dirname(file);
  const own = ['', '-wal', '-shm'].map((suffix) => basename(file) + suffix);
  const names = (await readdir(folder)).filter((name) => own.includes(name));
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

export async function freeBytes(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataDir);
  return bavail * bsize;
}

/** A file that went away meanwhile has no size. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/** Adds up the sizes of blobs in the background: there may be a million, and requests must not wait. */
export class BlobSizer {
  readonly #directory: string;
  readonly #everyMs: number;
  #known: BlobSizes | null = null;
  #looking: Promise<void> | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(directory: string, everyMs: number) {
    this.#directory = directory;
    this.#everyMs = everyMs;
  }

  /** Sizes at the last check; null before the first one ends. Starts the next check when it is due. */
  sizes(nowMs: number): BlobSizes | null {
    if (this.#looking === null && nowMs - this.#lookedAtMs >= this.#everyMs) {
      this.#lookedAtMs = nowMs;
      this.#looking = this.#look().finally(() => {
        this.#looking = null;
      });
    }
    return this.#known;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
  }

  async #look(): Promise<void> {
    let bytes = 0;
    let files = 0;
    try {
      for await (const entry of await opendir(this.#directory, { recursive: true })) {
        if (this.#stopped) return;
        if (!entry.isFile()) continue;
        bytes += await sizeOf(join(entry.parentPath, entry.name));
        files += 1;
      }
      this.#known = { bytes, files };
    } catch {
      // A folder was removed while it was read; the next check corrects the sum.
    }
  }
}
