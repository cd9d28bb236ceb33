/** Space on the disk, part of which files leave alone. */
import { statfs } from 'node:fs/promises';
import { noSpace } from './storage-failure.ts';

const MIB = 1024 * 1024;
/**
 * Space that blobs leave to the store, since both are mostly on one disk. The server ends if the store cannot commit. Its write-ahead log
 * may take 32 MiB, and as much goes from there into the database.
 */
export const RESERVED_BYTES = 64 * MIB;
/** Written between two looks; some files at a time stay far from the reserve's end. */
const LOOK_EVERY_BYTES = 4 * MIB;

/** Bytes that can still be written below a folder. */
export type FreeBytes = (directory: string) => Promise<number>;

export const freeBytesOfSystem: FreeBytes = async (directory) => {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
};

/** Passes chunks on; throws `ServiceUnavailable` where the next ones would take reserved space. */
export async function* withinSpace(
  content: AsyncIterable<Uint8Array>,
  look: () => Promise<number>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let unlooked = LOOK_EVERY_BYTES;
  for await (const chunk of content) {
    unlooked += chunk.byteLength;
    if (unlooked >= LOOK_EVERY_BYTES) {
      if ((await look()) < RESERVED_BYTES + chunk.byteLength) throw noSpace(tooLittle());
      unlooked = 0;
    }
    yield chunk;
  }
}

const tooLittle = (): Error =>
  new Error(`Of the disk, ${RESERVED_BYTES / MIB} MiB are left to the store.`);
