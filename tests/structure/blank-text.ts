/**
 * Takes from TypeScript what is not code, so that simple patterns can be searched for in the rest. Every removed character becomes a blank,
 * and line ends stay. So positions and lines are those of the source.
 */

export interface BlankOptions {
  /** Keeps what is in quotes; comments and the text of templates always go. */
  readonly keepStrings?: boolean;
}

/** Words before a slash that begin an expression: what follows is a regular expression, not a division. */
const BEFORE_EXPRESSION = /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|await)$/;
const PIECE =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*")/y;
const REGULAR_EXPRESSION = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;

export function blankText(source: string, { keepStrings = false }: BlankOptions = {}): string {
  return new Blanker(source, keepStrings).blank();
}

class Blanker {
  readonly #source: string;
  readonly #keepStrings: boolean;
  #at = 0;
  #result = '';

  constructor(source: string, keepStrings: boolean) {
    this.#source = source;
    this.#keepStrings = keepStrings;
  }

  blank(): string {
    this.#code(null);
    return this.#result;
  }

  /** Up to the end, or up to the brace that closes a `${` of a template. */
  #code(closing: '}' | null): void {
    let depth = 0;
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at];
      if (char === '}' && closing !== null && depth === 0) return;
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      if (char === '`') this.#template();
      else if (!this.#commentOrString() && !this.#regularExpression()) this.#keep(1);
    }
  }

  #commentOrString(): boolean {
    const groups = this.#match(PIECE)?.groups;
    if (groups === undefined) return false;
    if (groups.comment !== undefined) this.#hide(groups.comment.length);
    else if (groups.string !== undefined) this.#quoted(groups.string.length);
    return true;
  }

  #regularExpression(): boolean {
    if (this.#source[this.#at] !== '/' || !this.#beginsExpression()) return false;
    const match = this.#match(REGULAR_EXPRESSION);
    if (match === null) return false;
    this.#quoted(match[0].length);
    return true;
  }

  #beginsExpression(): boolean {
    const before = this.#result.trimEnd();
    const last = before.at(-1);
    return (
      last === undefined || !/[\w$)\]}'"`]/.test(last) || BEFORE_EXPRESSION.test(before.slice(-12))
    );
  }

  #template(): void {
    this.#keep(1);
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at];
      if (char === '`') {
        this.#keep(1);
        return;
      }
      if (char === '$' && this.#source[this.#at + 1] === '{') {
        this.#keep(2);
        this.#code('}');
        this.#keep(1);
      } else this.#hide(char === '\\' ? 2 : 1);
    }
  }

  #quoted(length: number): void {
    this.#keep(1);
    if (this.#keepStrings) this.#keep(length - 2);
    else this.#hide(length - 2);
    this.#keep(1);
  }

  #keep(length: number): void {
    this.#result += this.#source.slice(this.#at, this.#at + length);
    this.#at += length;
  }

  #hide(length: number): void {
    this.#result += this.#source.slice(this.#at, this.#at + length).replace(/[^\n]/g, ' ');
    this.#at += length;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source);
  }
}
