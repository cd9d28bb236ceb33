/** Writes content to a file, durably, and answers its hash and size. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export interface CopiedContent {
  readonly sha256: string;
  readonly bytes: number;
}

/** Writes a new file that only its owner may read, and hashes its content. Rejects with the reason of the signal. */
export async function writeHashed(
  file: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<CopiedContent> {
  const handle = await open(file, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content) {
      signal.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.byteLength;
      await handle.writeFile(chunk);
    }
    await handle.sync();
    return { sha256: hash.digest('hex'), bytes };
  } finally {
    await handle.close();
  }
}
