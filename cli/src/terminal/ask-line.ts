/** Asks a question on a terminal, and reads the line that answers it. */
import type { ReadStream } from 'node:tty';

export interface LineQuestion {
  readonly question: string;
  readonly input: ReadStream;
  readonly say: (text: string) => void;
}

/** Asks a question and reads one line. Null if no answer comes, as with Ctrl-D. Later input is left for the next question. */
export async function askLine({ question, input, say }: LineQuestion): Promise<string | null> {
  say(question);
  let typed = '';
  try {
    for await (const piece of input.iterator({ destroyOnReturn: false })) {
      // A terminal gives one line at a time.
      typed += String(piece);
      if (/[\r\n]$/.test(typed)) return typed.replace(/[\r\n]+$/, '');
    }
    return null;
  } finally {
    input.pause();
  }
}
