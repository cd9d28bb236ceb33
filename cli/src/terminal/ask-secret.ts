/** Asks for a secret on a terminal, without showing what is typed. */
import type { ReadStream } from 'node:tty';

const ENTER = /[\r\n]/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASE = ['\u007f', '\b'];

export interface SecretQuestion {
  readonly question: string;
  readonly input: ReadStream;
  readonly say: (text: string) => void;
  /** Ends the command: a terminal that shows nothing sends no signal for Ctrl-C either. */
  readonly interrupt: () => void;
}

/** Resolves with what was typed; null when nobody answers. */
export async function askSecret({
  question,
  input,
  say,
  interrupt,
}: SecretQuestion): Promise<string | null> {
  // Who sees the question may type at once.
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
