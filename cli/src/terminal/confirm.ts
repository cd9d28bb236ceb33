/** Questions to people before something is done that cannot be taken back. */
import type { Io } from './io.ts';

/**
 * True if the user cannot be asked, as in scripts. Otherwise only a yes is true. The question is on standard error, so that the
 * output stays clean.
 */
export async function confirm(question: string, io: Io): Promise<boolean> {
  if (io.isInteractive !== true) return true;
  io.complain(`${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(await firstLine(io.input));
}

async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of input) {
    text += Buffer.from(piece).toString('utf8');
    const end = text.indexOf('\n');
    if (end !== -1) return text.slice(0, end);
  }
  return text;
}
