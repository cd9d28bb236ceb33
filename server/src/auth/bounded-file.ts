/** Files that decide access: read whole, and never larger than they may be. */
import { open } from 'node:fs/promises';
import { reasonOf, unusableFile } from './file-problem.ts';

/** Throws `Invalid` naming the file when it cannot be read or is larger. */
export async function readBounded(what: string, file: string, bytesMax: number): Promise<string> {
  const content = await readSome(what, file, bytesMax + 1);
  if (content.length <= bytesMax) return content.toString('utf8');
  throw unusableFile(what, file, `it is larger than ${bytesMax} bytes.`);
}

async function readSome(what: string, file: string, bytes: number): Promise<Buffer> {
  try {
    await using handle = await open(file);
    const buffer = Buffer.alloc(bytes);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, filled, bytes - filled, filled);
      filled += bytesRead;
      if (bytesRead === 0 || filled === bytes) return buffer.subarray(0, filled);
    }
  } catch (cause) {
    throw unusableFile(what, file, `it cannot be read (${reasonOf(cause)}).`, cause);
  }
}
