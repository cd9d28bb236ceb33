/** Finds where a text stops being JSON: the parser reports that only for some mistakes. */

/** The expected token; `first` means that token or the end of the list or map. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end';

const BLANKS = /[ \t\r\n]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/uy;

/** Offset of the first invalid token, or of the end of an incomplete text. The text must be small. */
export function offsetOfMistake(text: string): number {
  const state = new JsonState();
  for (let at = blanksEnd(text, 0); ; at = blanksEnd(text, at)) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined || !state.take(token)) return at;
    at += token.length;
  }
}

function blanksEnd(text: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(text)?.[0].length ?? 0);
}

class JsonState {
  #expected: Expected = 'value';
  /** Closing signs of the open lists and maps. */
  readonly #open: ('}' | ']')[] = [];

  /** False for a token that cannot come next. */
  take(token: string): boolean {
    switch (token) {
      case '{':
        return this.#begin('}', 'first key');
      case '[':
        return this.#begin(']', 'first value');
      case '}':
      case ']':
        return this.#end(token);
      case ',':
        return this.#goOn('comma', this.#open.at(-1) === '}' ? 'key' : 'value');
      case ':':
        return this.#goOn('colon', 'value');
      default:
        return this.#takeScalar(token.startsWith('"'));
    }
  }

  #isValueNext(): boolean {
    return this.#expected === 'value' || this.#expected === 'first value';
  }

  #begin(closing: '}' | ']', next: Expected): boolean {
    if (!this.#isValueNext()) return false;
    this.#open.push(closing);
    this.#expected = next;
    return true;
  }

  #end(token: '}' | ']'): boolean {
    const mayEnd = this.#expected === 'comma' || this.#expected.startsWith('first');
    if (!mayEnd || this.#open.at(-1) !== token) return false;
    this.#open.pop();
    this.#expected = this.#afterValue();
    return true;
  }

  #goOn(wanted: Expected, next: Expected): boolean {
    if (this.#expected !== wanted) return false;
    this.#expected = next;
    return true;
  }

  #takeScalar(isText: boolean): boolean {
    const isKeyNext = this.#expected === 'key' || this.#expected === 'first key';
    if (isKeyNext && isText) return this.#goOn(this.#expected, 'colon');
    return this.#isValueNext() && this.#goOn(this.#expected, this.#afterValue());
  }

  #afterValue(): Expected {
    return this.#open.length === 0 ? 'end' : 'comma';
  }
}
