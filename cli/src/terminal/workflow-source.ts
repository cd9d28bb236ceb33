/** Texts that people write, of workflows mostly, from files and from standard input. */
import { createReadStream } from 'node:fs';
import { fileReason } from './file-problem.ts';
import type { Io } from './io.ts';
import { UsageError } from './problem.ts';

/** The path that means standard input. */
export const STANDARD_INPUT = '-';

/** Limit of servers, in bytes. */
const SIZE_MAX = 16 * 1024 * 1024;

/** The text of a file, or of standard input for `-`. Throws `UsageError` if it cannot be read. */
export const readWorkflowText = (file: string, io: Pick<Io, 'input'>): Promise<string> =>
  readSourceText(file, 'workflow', io);

/** Reads a text from a file or standard input. `noun` names the content, as in "workflow". */
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
    const { message, next } =
      error instanceof TextProblem ? error : { message: fileReason(error), next: null };
    throw new UsageError(
      `Cannot read the ${noun} from ${from}: ${message}.`,
      next ?? 'check the path; - stands for standard input.',
    );
  }
}

/** The content of a file is not text. */
export class TextProblem extends Error {
  override readonly name = 'TextProblem';
  readonly next: string | null;

  constructor(message: string, next: string | null = null) {
    super(message);
    this.next = next;
  }
}

/** Reads a bounded text. Throws `TextProblem` for more bytes, and for invalid UTF-8. */
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
  return decoded(Buffer.concat(pieces));
}

function decoded(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new TextProblem('it is UTF-16 text', SAVE_UTF_16);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TextProblem('it is not UTF-8 text', 'save it as UTF-8.');
  }
}

const SAVE_UTF_16 = 'save it as UTF-8; in PowerShell, "Out-File -Encoding utf8" does.';

/** Windows tools write UTF-16 by default. Without a mark, every second byte of most texts is zero. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (second === 0 && fourth === 0) || (first === 0 && third === 0);
}
