/** Asks for a secret on a terminal without echo. */
import type { ReadStream } from 'node:tty';

const ENTER = /[\r\n]/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASE = ['\u007f', '\b'];

export interface SecretQuestion {
  readonly question: string;
  readonly input: ReadStream;
  readonly say: (text: string) => void;
  /** Ends the command: without echo, a terminal sends no signal for Ctrl-C either. */
  readonly interrupt: () => void;
}

/** Asks for a secret without showing it. Null without an answer. */
export async function askSecret({
  question,
  input,
  say,
  interrupt,
}: SecretQuestion): Promise<string | null> {
  // The user may type as soon as the question appears.
  input.setRawMode(true);
  input.setEncoding('utf8');
  say(question);
  try {
    let typed = '';
    for await (const text of input.iterator({ destroyOnReturn: false })) {
      for (const sign of String(text)) {
        if (ENTER.test(sign)) return typed;
        if (sign === CTRL_D) return null;
        if (sign === CTRL_C) interrupt();
        typed = ERASE.includes(sign) ? typed.slice(0, -1) : typed + sign;
      }
    }
    return null;
  } finally {
    input.setRawMode(false);
    input.pause();
    say('\n');
  }
}
