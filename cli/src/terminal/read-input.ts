/** Standard input as a whole, for short texts such as tokens. */
import type { Io } from './io.ts';
import { UsageError } from './problem.ts';

const BYTES_MAX = 64 * 1024;

/** Reads the input without surrounding blanks. Throws `UsageError` if it is too long. */
export async function readInput(io: Pick<Io, 'input'>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of io.input) {
    size += piece.length;
    if (size > BYTES_MAX) {
      throw new UsageError(
        `Standard input has more than ${BYTES_MAX} bytes, and a token is wanted.`,
      );
    }
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces)).trim();
}
