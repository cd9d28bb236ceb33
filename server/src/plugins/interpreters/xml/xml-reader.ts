/**
 * Reads reports in XML: yields elements and texts of a document that arrives in pieces. It keeps only names of open elements and one short
 * token, even if texts, comments and attributes are large. It skips unwanted content to its end. A DOCTYPE is skipped, so nothing is
 * expanded or fetched. It is stricter than a browser and more lenient than the standard. Ambiguity is an error, an unescaped character is
 * not.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { FormatReader } from '../format-reader.ts';
import { REPORT_LIMITS } from '../report-limits.ts';
import { TextPlace } from '../text/text-place.ts';
import { incompleteReference, resolveReferences } from './xml-entities.ts';

/** Values of the attributes that were asked for, by name. */
export type XmlAttributes = ReadonlyMap<string, string>;

/** Names are local ones, without the prefix of a namespace. */
export interface XmlHandler {
  /** See `FormatReader`. */
  abandon?(): void;
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text(text: string): void;
  /** Whether text at this place is of interest. Other text is not even looked at. */
  wantsText(): boolean;
}

interface XmlFormat {
  /** The elements a report may begin with. */
  readonly roots: readonly string[];
  /** The attributes that the handler looks at. */
  readonly attributes: readonly string[];
  readonly depthMax?: number;
}

const XML_LIMITS = {
  /** Limits for a name and for a DOCTYPE, in characters. */
  nameLength: 1024,
  doctypeLength: 64 * 1024,
  attributes: 1000,
  /** Kept length of an attribute value, in characters. */
  valueLength: 32 * 1024,
} as const;

const COMMENT = '<!--';
const CDATA = '<![CDATA[';
const DOCTYPE = '<!DOCTYPE';

const NAME_BEGIN = /[A-Za-z_:\u0080-\uffff]/;

const TAB = 9;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;

type Mode = 'content' | 'tag' | 'value' | 'comment' | 'cdata' | 'instruction';

interface OpenTag {
  readonly name: string;
  readonly attributes: Map<string, string>;
  attributeCount: number;
}

interface OpenValue {
  readonly name: string;
  readonly quote: string;
  readonly isWanted: boolean;
  text: string;
}

const NO_TAG: OpenTag = { name: '', attributes: new Map(), attributeCount: 0 };
const NO_VALUE: OpenValue = { name: '', quote: '"', isWanted: false, text: '' };

export class XmlReader implements FormatReader {
  readonly #handler: XmlHandler;
  readonly #roots: readonly string[];
  readonly #attributes: ReadonlySet<string>;
  readonly #depthMax: number;
  readonly #open: string[] = [];
  readonly #place = new TextPlace();
  #hadRoot = false;
  #mode: Mode = 'content';
  #tag = NO_TAG;
  #value = NO_VALUE;
  /** The text to read, and the start of the next token. */
  #text = '';
  #at = 0;

  constructor(
    { roots, attributes, depthMax = REPORT_LIMITS.nestingMax }: XmlFormat,
    handler: XmlHandler,
  ) {
    this.#handler = handler;
    this.#roots = roots;
    this.#attributes = new Set(attributes);
    this.#depthMax = depthMax;
  }

  write(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text;
    while (this.#step());
    this.#forget();
  }

  end(): void {
    const last = this.#open.at(-1);
    if (this.#mode === 'content' && last !== undefined) throw invalid(`unclosed tag: ${last}`);
    if (this.#mode === 'tag' || this.#mode === 'value') {
      throw invalid(`unclosed tag: ${this.#tag.name}`);
    }
    if (this.#mode !== 'content') throw invalid(`unclosed ${this.#mode}`);
    if (this.#text !== '') throw invalid('unclosed tag');
    if (!this.#hadRoot) throw invalid('the document is empty');
  }

  abandon(): void {
    this.#handler.abandon?.();
  }

  /** Place of the next token: lines from 1, columns from 0. */
  place(): { readonly line: number; readonly column: number } {
    return this.#place.at(this.#text, this.#at);
  }

  /** Reads one token; false when it is not complete yet, or when there is none. */
  #step(): boolean {
    switch (this.#mode) {
      case 'content':
        return this.#content();
      case 'tag':
        return this.#inTag();
      case 'value':
        return this.#inValue();
      case 'comment':
        return this.#skipTo('-->');
      case 'instruction':
        return this.#skipTo('?>');
      case 'cdata':
        return this.#inCdata();
    }
  }

  #content(): boolean {
    const begin = this.#text.indexOf('<', this.#at);
    const end = begin < 0 ? this.#text.length : begin;
    if (end > this.#at) this.#at = this.#takeText(end, begin >= 0);
    return begin >= 0 && this.#markup();
  }

  /** End of the usable text: a reference at its end may be incomplete. */
  #takeText(end: number, isComplete: boolean): number {
    if (this.#open.length === 0) {
      if (this.#text.slice(this.#at, end).trim() === '') return end;
      throw invalid('text data outside of root node');
    }
    if (!this.#handler.wantsText()) return end;
    const text = this.#text.slice(this.#at, end);
    const whole = isComplete ? text.length : incompleteReference(text);
    if (whole > 0) this.#handler.text(resolveReferences(text.slice(0, whole)));
    return this.#at + whole;
  }

  #markup(): boolean {
    const next = this.#text[this.#at + 1];
    if (next === undefined) return false;
    if (next === '/') return this.#closeTag();
    if (next === '!') return this.#declaration();
    if (next === '?') {
      this.#mode = 'instruction';
      return true;
    }
    return this.#openTag();
  }

  #declaration(): boolean {
    const begun = this.#text.slice(this.#at, this.#at + CDATA.length);
    if (begun.startsWith(COMMENT)) return this.#enter('comment', COMMENT.length);
    if (begun === CDATA) {
      if (this.#open.length === 0) throw invalid('text data outside of root node');
      return this.#enter('cdata', CDATA.length);
    }
    if (begun.toUpperCase() === DOCTYPE) return this.#doctype();
    if (![COMMENT, CDATA, DOCTYPE].some((one) => one.startsWith(begun.toUpperCase()))) {
      throw invalid('incorrect syntax');
    }
    return false;
  }

  #enter(mode: Mode, length: number): boolean {
    this.#mode = mode;
    this.#at += length;
    return true;
  }

  #doctype(): boolean {
    if (this.#hadRoot) throw invalid('inappropriately located doctype declaration');
    const end = endOfDoctype(this.#text, this.#at + DOCTYPE.length);
    if ((end < 0 ? this.#text.length : end) - this.#at > XML_LIMITS.doctypeLength) {
      throw invalid(`a DOCTYPE of more than ${XML_LIMITS.doctypeLength} characters`);
    }
    if (end < 0) return false;
    this.#at = end;
    return true;
  }

  #openTag(): boolean {
    const begin = this.#at + 1;
    if (!NAME_BEGIN.test(this.#text.charAt(begin))) {
      throw invalid('disallowed character in tag name');
    }
    const end = this.#nameEnd(begin);
    if (end < 0) return false;
    if (this.#hadRoot && this.#open.length === 0) {
      throw invalid('documents may contain only one root');
    }
    if (this.#open.length >= this.#depthMax) {
      throw invalid(`more than ${this.#depthMax} nested elements`);
    }
    this.#tag = {
      name: this.#text.slice(begin, end),
      attributes: new Map(),
      attributeCount: 0,
    };
    this.#at = end;
    this.#mode = 'tag';
    return true;
  }

  /** End of the name at `begin`; -1 if it may continue. */
  #nameEnd(begin: number): number {
    const text = this.#text;
    for (let at = begin; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code <= 32 || code === SLASH || code === GREATER || code === EQUALS) return at;
      if (at - begin >= XML_LIMITS.nameLength) throw invalid('a name is too long');
    }
    return -1;
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (isBlank(this.#text.charCodeAt(at))) at += 1;
    return at;
  }

  #inTag(): boolean {
    this.#at = this.#skipBlanks(this.#at);
    const code = this.#text.charCodeAt(this.#at);
    if (Number.isNaN(code)) return false;
    if (code === GREATER) {
      this.#at += 1;
      this.#opened();
      return true;
    }
    return code === SLASH ? this.#closeEmpty() : this.#attribute();
  }

  #closeEmpty(): boolean {
    const next = this.#text[this.#at + 1];
    if (next === undefined) return false;
    if (next !== '>') throw invalid('forward-slash in opening tag not followed by >');
    this.#at += 2;
    this.#opened();
    this.#closed();
    return true;
  }

  /** The name of an attribute up to the quote of its value. */
  #attribute(): boolean {
    const end = this.#nameEnd(this.#at);
    if (end < 0) return false;
    if (end === this.#at) throw invalid('an attribute without name');
    const equals = this.#skipBlanks(end);
    const begin = this.#skipBlanks(equals + 1);
    if (begin - this.#at > 2 * XML_LIMITS.nameLength) throw invalid('an attribute without value');
    const quote = this.#text[begin];
    if (equals < this.#text.length && this.#text.charCodeAt(equals) !== EQUALS) {
      throw invalid('an attribute without value');
    }
    if (quote === undefined) return false;
    if (quote !== '"' && quote !== "'") throw invalid('unquoted attribute value');
    this.#tag.attributeCount += 1;
    if (this.#tag.attributeCount > XML_LIMITS.attributes) {
      throw invalid(`more than ${XML_LIMITS.attributes} attributes`);
    }
    const name = localName(this.#text.slice(this.#at, end));
    this.#value = { name, quote, isWanted: this.#attributes.has(name), text: '' };
    this.#at = begin + 1;
    this.#mode = 'value';
    return true;
  }

  #inValue(): boolean {
    const value = this.#value;
    const found = this.#text.indexOf(value.quote, this.#at);
    const end = found < 0 ? this.#text.length : found;
    const room = XML_LIMITS.valueLength - value.text.length;
    if (value.isWanted && room > 0) {
      value.text += this.#text.slice(this.#at, Math.min(end, this.#at + room));
    }
    this.#at = end;
    if (found < 0) return false;
    this.#at += 1;
    if (value.isWanted && !this.#tag.attributes.has(value.name)) {
      this.#tag.attributes.set(value.name, resolveReferences(value.text));
    }
    this.#mode = 'tag';
    return true;
  }

  #opened(): void {
    const name = localName(this.#tag.name);
    if (!this.#hadRoot && !this.#roots.includes(name)) throw notAReport(name, this.#roots);
    this.#mode = 'content';
    this.#hadRoot = true;
    this.#open.push(this.#tag.name);
    this.#handler.open(name, this.#tag.attributes);
  }

  #closed(): void {
    this.#open.pop();
    this.#handler.close(localName(this.#tag.name));
  }

  #closeTag(): boolean {
    const begin = this.#at + 2;
    const end = this.#nameEnd(begin);
    if (end < 0) return false;
    const after = this.#skipBlanks(end);
    if (after - begin > 2 * XML_LIMITS.nameLength) throw invalid('a name is too long');
    if (after >= this.#text.length) return false;
    const name = this.#open.at(-1) ?? '';
    const isSame = end - begin === name.length && this.#text.startsWith(name, begin);
    if (!isSame || name === '' || this.#text.charCodeAt(after) !== GREATER) {
      throw invalid(`unexpected close tag${name === '' ? '' : `, expected </${name}>`}`);
    }
    this.#at = after + 1;
    this.#open.pop();
    this.#handler.close(localName(name));
    return true;
  }

  #skipTo(mark: string): boolean {
    const found = this.#text.indexOf(mark, this.#at);
    if (found < 0) {
      this.#at = Math.max(this.#at, this.#text.length - mark.length + 1);
      return false;
    }
    return this.#enter('content', found + mark.length - this.#at);
  }

  #inCdata(): boolean {
    const found = this.#text.indexOf(']]>', this.#at);
    const end = found < 0 ? Math.max(this.#at, this.#text.length - 2) : found;
    if (end > this.#at && this.#handler.wantsText()) {
      this.#handler.text(this.#text.slice(this.#at, end));
    }
    this.#at = end;
    return found >= 0 && this.#enter('content', 3);
  }

  /** Drops the text already read. */
  #forget(): void {
    this.#place.pass(this.#text, this.#at);
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
  }
}

/** Index behind the `>` of a DOCTYPE. Its declarations, quoted texts and comments may contain such characters. -1 if it continues. */
function endOfDoctype(text: string, from: number): number {
  const token = /"[^"]*(?:"|$)|'[^']*(?:'|$)|<!--.*?(?:-->|$)|[[\]>]/gs;
  token.lastIndex = from;
  let brackets = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '[') brackets += 1;
    else if (found[0] === ']') brackets -= 1;
    else if (found[0] === '>' && brackets <= 0) return token.lastIndex;
  }
  return -1;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= TAB && code <= 13);
}

function notAReport(name: string, roots: readonly string[]): OrchestratorError {
  const expected = roots.slice(0, 2).map((root) => `<${root}>`);
  return invalid(
    `the document begins with <${name.slice(0, 100)}>, expected ${expected.join(' or ')}`,
  );
}

function invalid(message: string): OrchestratorError {
  return new OrchestratorError('Invalid', message);
}
