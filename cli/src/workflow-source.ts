/** Texts that people write, of workflows mostly, from files and from standard input. */
import { createReadStream } from 'node:fs';
import { fileReason } from './file-problem.ts';
import type { Io } from './io.ts';
import { UsageError } from './problem.ts';

/** What stands for standard input. */
export const STANDARD_INPUT = '-';

/** In bytes: what a server takes. */
const SIZE_MAX = 16 * 1024 * 1024;

/** The text of a file, or of standard input for `-`. Throws `UsageError` for what cannot be read. */
export const readWorkflowText = (file: string, io: Pick<Io, 'input'>): Promise<string> =>
  readSourceText(file, 'workflow', io);

/** The same for texts of other things: `noun` is what the text says, as in "workflow". */
export async function readSourceText(
  file: string,
  noun: string,
  { input }: Pick<Io, 'input'>,
): Promise<string> {
  if (file === '') {
    throw new UsageError(
      `The name of the ${noun} file is empty.`,
      'name one; - stands for standard input.',
    );
  }
  const content = file === STANDARD_INPUT ? input : createReadStream(file);
  try {
    return await readText(content, SIZE_MAX);
  } catch (error) {
    const from = file === STANDARD_INPUT ? 'standard input' : file;
    throw new UsageError(
      `Cannot read the ${noun} from ${from}: ${error instanceof TextProblem ? error.message : fileReason(error)}.`,
      'check the path; - stands for standard input.',
    );
  }
}

/** What a file has is no text. */
export class TextProblem extends Error {
  override readonly name = 'TextProblem';
}

/** Throws `TextProblem` for more bytes than that, and for what is no UTF-8. */
export async function readText(
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    pieces.push(piece);
    size += piece.length;
    if (size > bytesMax) throw new TextProblem(`it has more than ${bytesMax} bytes`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new TextProblem('it is not UTF-8 text');
  }
}
