/** Files that decide access: read whole, and never larger than they may be. */
import { open } from 'node:fs/promises';
import { lookAt } from '../runtime/seen-file.ts';
import { reasonOf, unusableFile } from './file-problem.ts';

/** Reads a file of at most `bytesMax`. Throws `Invalid`, with its name, if it is no file, cannot be read or is larger. */
export async function readBounded(what: string, file: string, bytesMax: number): Promise<string> {
  const { kind } = await orUnreadable(what, file, lookAt(file));
  if (kind !== 'a file') throw unusableFile(what, file, `it is ${kind}, and a file is wanted.`);
  const content = await orUnreadable(what, file, readSome(file, bytesMax + 1));
  if (content.length <= bytesMax) return content.toString('utf8');
  throw unusableFile(what, file, `it is larger than ${bytesMax} bytes.`);
}

/** Waits for a read, and adds the name of the file to its error. */
export const orUnreadable = <Found>(
  what: string,
  file: string,
  reading: Promise<Found>,
): Promise<Found> =>
  reading.catch((cause: unknown) => {
    throw unusableFile(what, file, `it cannot be read (${reasonOf(cause)}).`, cause);
  });

async function readSome(file: string, bytes: number): Promise<Buffer> {
  await using handle = await open(file);
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, bytes - filled, filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === bytes) return buffer.subarray(0, filled);
  }
}
