/**
 * Yields the values of a JSON text that arrives in pieces, in order. It keeps the kinds of open objects and lists, and only the
 * wanted part of a string.
 */
import { dictionary, OrchestratorError } from '@tutti/manifests';
import { TextPlace } from '../text/text-place.ts';

export type JsonScalar = string | number | boolean | null;

export interface JsonHandler {
  open(kind: 'object' | 'list'): void;
  close(): void;
  /** The value that follows is this entry of the innermost object. */
  key(name: string): void;
  scalar(value: JsonScalar): void;
  /** Number of characters that are wanted of the next string. */
  room(): number;
}

const JSON_LIMITS = {
  depth: 256,
  /** In characters; the rest of a longer key is dropped. */
  keyLength: 1024,
  numberLength: 64,
} as const;

const ESCAPES: Readonly<Record<string, string>> = dictionary<string>({
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
});

const WORDS = new Map<string, JsonScalar>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORD_PART = /[\w.+-]/;

/** The expected token. `first` is a value or the end of a list, `first-key` a key or the end of an object. */
type Expected = 'value' | 'first' | 'key' | 'first-key' | 'colon' | 'comma' | 'nothing';

interface OpenString {
  readonly isKey: boolean;
  room: number;
  text: string;
}

export class JsonTokenizer {
  readonly #handler: JsonHandler;
  readonly #open: ('object' | 'list')[] = [];
  readonly #place = new TextPlace();
  #expected: Expected = 'value';
  #string: OpenString | null = null;
  #text = '';
  #at = 0;

  constructor(handler: JsonHandler) {
    this.#handler = handler;
  }

  write(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text;
    while (this.#string === null ? this.#step() : this.#inString());
    this.#place.pass(this.#text, this.#at);
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
  }

  end(): void {
    // A number at the very end is known to be complete only by that.
    if (this.#text !== '' && this.#open.length === 0 && this.#string === null) this.write(' ');
    if (this.#expected === 'value' && this.#open.length === 0 && this.#string === null) {
      throw invalid('the document is empty');
    }
    if (this.#expected !== 'nothing' || this.#string !== null) {
      throw invalid('the document ends too early');
    }
  }

  place(): { readonly line: number; readonly column: number } {
    return this.#place.at(this.#text, this.#at);
  }

  #step(): boolean {
    this.#skipBlanks();
    const next = this.#text[this.#at];
    if (next === undefined) return false;
    switch (this.#expected) {
      case 'nothing':
        throw unexpected(next);
      case 'colon':
        return this.#take(next, ':', 'value');
      case 'comma':
        return this.#comma(next);
      case 'key':
      case 'first-key':
        return this.#key(next);
      case 'value':
      case 'first':
        return this.#value(next);
    }
  }

  #skipBlanks(): void {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 32 || (code >= 9 && code <= 13)) {
      this.#at += 1;
      code = this.#text.charCodeAt(this.#at);
    }
  }

  #take(next: string, expected: string, then: Expected): boolean {
    if (next !== expected) throw unexpected(next);
    this.#at += 1;
    this.#expected = then;
    return true;
  }

  #comma(next: string): boolean {
    const kind = this.#open.at(-1);
    if (next === ',') return this.#take(next, ',', kind === 'object' ? 'key' : 'value');
    return this.#closeWith(next);
  }

  #closeWith(next: string): boolean {
    if (next !== (this.#open.at(-1) === 'object' ? '}' : ']')) throw unexpected(next);
    this.#at += 1;
    this.#open.pop();
    this.#handler.close();
    this.#ended();
    return true;
  }

  #key(next: string): boolean {
    if (next === '}' && this.#expected === 'first-key') return this.#closeWith(next);
    if (next !== '"') throw unexpected(next);
    this.#at += 1;
    this.#string = { isKey: true, room: JSON_LIMITS.keyLength, text: '' };
    return true;
  }

  #value(next: string): boolean {
    if (next === ']' && this.#expected === 'first') return this.#closeWith(next);
    if (next === '{' || next === '[') return this.#openWith(next === '{' ? 'object' : 'list');
    if (next === '"') {
      this.#at += 1;
      this.#string = { isKey: false, room: this.#handler.room(), text: '' };
      return true;
    }
    return this.#word();
  }

  #openWith(kind: 'object' | 'list'): boolean {
    if (this.#open.length >= JSON_LIMITS.depth) {
      throw invalid(`more than ${JSON_LIMITS.depth} nested values`);
    }
    this.#at += 1;
    this.#open.push(kind);
    this.#handler.open(kind);
    this.#expected = kind === 'object' ? 'first-key' : 'first';
    return true;
  }

  /** A number, or one of the three words. */
  #word(): boolean {
    let end = this.#at;
    while (end < this.#text.length && WORD_PART.test(this.#text.charAt(end))) {
      if (end - this.#at >= JSON_LIMITS.numberLength) throw invalid('a number is too long');
      end += 1;
    }
    if (end === this.#at) throw unexpected(this.#text.charAt(this.#at));
    if (end === this.#text.length) return false;
    const word = this.#text.slice(this.#at, end);
    const known = WORDS.get(word);
    if (known === undefined && !NUMBER.test(word)) throw unexpected(word);
    this.#at = end;
    this.#handler.scalar(known === undefined ? Number(word) : known);
    this.#ended();
    return true;
  }

  #inString(): boolean {
    const quote = this.#text.indexOf('"', this.#at);
    const end = quote < 0 ? this.#text.length : quote;
    const slash = this.#slashBefore(end);
    this.#keep(slash < 0 ? end : slash);
    if (slash >= 0) return this.#escape();
    if (quote < 0) return false;
    this.#at += 1;
    this.#endString();
    return true;
  }

  /** Only up to the quote: searching the whole rest for each string would take long. */
  #slashBefore(end: number): number {
    const slash = this.#text.slice(this.#at, end).indexOf('\\');
    return slash < 0 ? -1 : this.#at + slash;
  }

  #keep(end: number): void {
    if (this.#string !== null && this.#string.room > 0) {
      const piece = this.#text.slice(this.#at, Math.min(end, this.#at + this.#string.room));
      this.#add(this.#string, piece);
    }
    this.#at = end;
  }

  #add(string: OpenString, piece: string): void {
    if (string.room <= 0) return;
    string.text += piece;
    string.room -= piece.length;
  }

  #escape(): boolean {
    const kind = this.#text[this.#at + 1];
    if (kind === undefined) return false;
    const hex = kind === 'u' ? this.#text.slice(this.#at + 2, this.#at + 6) : '';
    if (kind === 'u' && hex.length < 4) return false;
    if (kind === 'u' ? !/^[0-9a-fA-F]{4}$/.test(hex) : ESCAPES[kind] === undefined) {
      throw invalid('an unknown escape in a string');
    }
    const text = kind === 'u' ? String.fromCharCode(Number.parseInt(hex, 16)) : ESCAPES[kind];
    if (this.#string !== null) this.#add(this.#string, text ?? '');
    this.#at += kind === 'u' ? 6 : 2;
    return true;
  }

  #endString(): void {
    const ended = this.#string;
    this.#string = null;
    if (ended === null) return;
    const text = ended.text.toWellFormed();
    if (ended.isKey) {
      this.#handler.key(text);
      this.#expected = 'colon';
    } else {
      this.#handler.scalar(text);
      this.#ended();
    }
  }

  #ended(): void {
    this.#expected = this.#open.length === 0 ? 'nothing' : 'comma';
  }
}

function unexpected(text: string): OrchestratorError {
  return invalid(`unexpected ${JSON.stringify(text.slice(0, 20))}`);
}

function invalid(message: string): OrchestratorError {
  return new OrchestratorError('Invalid', message);
}
