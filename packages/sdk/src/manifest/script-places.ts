/**
 * Finds places of a script where a quoted word can stand. A value replaces an expression as one quoted word. Within quotes, comments and
 * texts that a shell reads twice, that quoting would mean something else. In doubt a place is refused: a variable does as well.
 */
import { CLOSING, OPENING, splitText } from '@tutti/expressions';

/** The languages whose words are quoted. */
export type ScriptLanguage = 'bash' | 'cmd';

export interface BadPlace {
  /** Place of the expression, counted from 0. */
  readonly at: number;
  readonly length: number;
  readonly message: string;
  readonly hint: string;
}

/** Expressions of a script that stand where no quoted word can. Throws `Invalid` for an expression without an end. */
export function badPlaces(script: string, language: ScriptLanguage): readonly BadPlace[] {
  const reader = language === 'bash' ? new BashReader() : new CmdReader();
  const found: BadPlace[] = [];
  let at = 0;
  for (const part of splitText(script)) {
    if (part.kind === 'text') {
      reader.read(part.text);
      at += part.text.length;
      continue;
    }
    const length = OPENING.length + part.text.length + CLOSING.length;
    const where = reader.problem();
    if (where !== null) found.push({ at, length, ...explained(where) });
    reader.readWord();
    at += length;
  }
  return found;
}

function explained(where: string): Pick<BadPlace, 'message' | 'hint'> {
  const hint = /quotes/.test(where)
    ? 'leave the quotes out: the value is quoted as one word, also beside other text'
    : 'give the step a variable with this value, and read that in the script';
  return { message: `an expression ${where} cannot be replaced by a quoted word`, hint };
}

interface PlaceReader {
  read(text: string): void;
  /** A value that is quoted. */
  readWord(): void;
  /** Why an expression may not stand here: `within quotes`. Null where it may. */
  problem(): string | null;
}

/** Text that bash reads twice, or by rules of its own, up to the end of the script. */
const BASH_ODD: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^<<(?!<)/, 'after "<<"'],
  [/^<<</, 'after "<<<"'],
  [/^\(\(/, 'after "(("'],
  [/^\[\[/, 'after "[["'],
  [/^\$['"]/, 'after a text in $ and quotes'],
  [/^`/, 'after a backquote'],
  [/^(?:eval|trap|source|let|declare|test)\b/, 'after a command that reads its words again'],
  [/^(?:ba|da|k|z)?sh\s+-/, 'after a shell'],
];
/** A parameter in double quotes, without anything that could have quotes of its own. */
const PLAIN_PARAMETER = /^\$\{[\w@*#!?-]+\}/;

/** Characters looked at ahead, to recognise a construct. */
const AHEAD = 256;

class BashReader implements PlaceReader {
  #quote: "'" | '"' | null = null;
  #isComment = false;
  #odd: string | null = null;
  #last = '\n';
  #beforeComment = true;

  read(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#readAt(text.slice(at, at + AHEAD));
  }

  #readAt(rest: string): void {
    const character = rest.charAt(0);
    const isEscaped = this.#last === '\\' && this.#quote !== "'" && !this.#isComment;
    if (isEscaped) this.#beforeComment = false;
    else if (this.#isComment) this.#isComment = character !== '\n';
    else if (this.#quote !== null) this.#readQuoted(rest);
    else this.#readPlain(rest);
    this.#last = isEscaped ? 'x' : character;
  }

  #readQuoted(rest: string): void {
    if (rest.charAt(0) === this.#quote) this.#quote = null;
    else if (this.#quote === '"' && hasQuotesOfItsOwn(rest)) this.#odd ??= 'after "$(" in quotes';
  }

  #readPlain(rest: string): void {
    const character = rest.charAt(0);
    if (character === "'" || character === '"') this.#quote = character;
    if (character === '#' && this.#beforeComment) this.#isComment = true;
    const isWithinWord = /[\w./-]/.test(this.#last) && /\w/.test(character);
    const odd = isWithinWord ? undefined : BASH_ODD.find(([pattern]) => pattern.test(rest));
    if (odd !== undefined) this.#odd ??= odd[1];
    this.#beforeComment = /[\s;&|()]/.test(character);
  }

  readWord(): void {
    this.#last = 'x';
    this.#beforeComment = false;
  }

  problem(): string | null {
    if (this.#isComment) return 'in a comment';
    if (this.#quote !== null) return 'within quotes';
    if (this.#odd !== null) return this.#odd;
    return this.#last === '\\' || this.#last === '$' ? `right after "${this.#last}"` : null;
  }
}

const hasQuotesOfItsOwn = (rest: string): boolean =>
  rest.startsWith('`') ||
  rest.startsWith('$(') ||
  (rest.startsWith('${') && !PLAIN_PARAMETER.test(rest));

/** Commands of cmd that read what follows by rules of their own, or once more. */
const CMD_ODD = /^[\s@(]*(?:set|for|call|rem)\b|^\s*::/i;

class CmdReader implements PlaceReader {
  #line = '';

  read(text: string): void {
    const lines = text.split(/\r?\n/);
    this.#line = lines.length > 1 ? (lines.at(-1) ?? '') : this.#line + text;
  }

  readWord(): void {
    this.#line += 'x';
  }

  problem(): string | null {
    const commands = this.#line.split(/[&|]/);
    if (this.#line.split('"').length % 2 === 0) return 'within quotes';
    if (commands.some((command) => CMD_ODD.test(command))) return 'after a command of cmd itself';
    const last = this.#line.at(-1) ?? '';
    return last === '^' || last === '%' ? `right after "${last}"` : null;
  }
}
