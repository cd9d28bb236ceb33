/** Finds lines of maps and lists in a column where no map or list begins. */
import type { MistakenLine, Range } from './mistaken-lines.ts';

type Kind = 'map' | 'list';

interface Collection {
  readonly column: number;
  readonly kind: Kind;
  /** Range of its first key or dash. */
  readonly range: Range;
  /** Its last key or dash has no value yet, so the value may follow in lines that are indented deeper. */
  isOpen: boolean;
}

/** Lines in the order of the text; `text` may have any other mistakes. */
export function misplacedLines(text: string): readonly MistakenLine[] {
  return new LineWalk(text).walk();
}

const DASH = /^-(?:[^\S\n]+|$)/;
/** A key of one word, as our documents have them. Several words before a colon are a text. */
const KEY =
  /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[\]{}#&*!|>%@`,:-][^\s"':]*)[^\S\n]*:(?=\s|$)/;
const WORD = /^[A-Za-z][\w-]*\s*$/;
const CLOSE_DASH = /^-[A-Za-z][\w-]*:(?=\s|$)/;
const BLOCK = /^(?:[&!]\S*\s+)?[|>][-+0-9]*\s*(?:#.*)?$/;
const PROPERTY = /^[&!]\S*\s*$/;

class LineWalk {
  readonly #text: string;
  readonly #found: MistakenLine[] = [];
  #open: Collection[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  walk(): readonly MistakenLine[] {
    while (this.#at < this.#text.length) this.#line();
    return this.#found;
  }

  #line(): void {
    const start = this.#at;
    const end = this.#endOfLine(start);
    this.#at = end + 1;
    const line = this.#text.slice(start, end).trimEnd();
    let column = line.length - line.trimStart().length;
    let rest = line.slice(column);
    if (/^(?:#|---|$)/.test(rest)) return;
    if (CLOSE_DASH.test(rest) && this.#isAmongItems(column)) {
      this.#report(BLANK_BEHIND_DASH, [start + column, start + column + 1]);
      return;
    }
    for (let dash = DASH.exec(rest); dash !== null; dash = DASH.exec(rest)) {
      this.#place(column, 'list', [start + column, start + column + 1]);
      column += dash[0].length;
      rest = line.slice(column);
    }
    const key = (KEY.exec(rest) ?? WORD.exec(rest))?.[0];
    if (key === undefined) {
      this.#value(rest, column, start + column);
      return;
    }
    const length = key.replace(/\s*:?$/, '').length;
    this.#place(column, 'map', [start + column, start + column + length]);
    const value = rest.slice(key.length).trimStart();
    this.#value(value, column, start + line.length - value.length);
  }

  /** Reads the value behind a key or a dash, and skips the further lines of that value. */
  #value(value: string, column: number, at: number): void {
    const top = this.#open.at(-1);
    if (value === '' || value.startsWith('#') || PROPERTY.test(value)) return;
    if (top !== undefined) top.isOpen = false;
    if (BLOCK.test(value)) this.#skipBlock(top?.column ?? column);
    else if (/^["'[{]/.test(value)) this.#skipEnclosed(at);
  }

  #skipBlock(column: number): void {
    while (this.#at < this.#text.length) {
      const end = this.#endOfLine(this.#at);
      const line = this.#text.slice(this.#at, end).trimEnd();
      if (line !== '' && line.length - line.trimStart().length <= column) return;
      this.#at = end + 1;
    }
  }

  /** Text after quotes or brackets without an end is skipped, as its meaning is unknown. */
  #skipEnclosed(start: number): void {
    let depth = 0;
    const signs = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*'|["'[\]{}]/g;
    signs.lastIndex = start;
    for (let found = signs.exec(this.#text); found !== null; found = signs.exec(this.#text)) {
      const [sign] = found;
      if (/^[[{]$/.test(sign)) depth += 1;
      else if (/^[\]}]$/.test(sign)) depth -= 1;
      if (depth > 0) continue;
      this.#at = Math.max(this.#at, this.#endOfLine(signs.lastIndex) + 1);
      return;
    }
    this.#at = this.#text.length;
  }

  #isAmongItems(column: number): boolean {
    const around = this.#open.findLast((each) => each.column <= column);
    if (around?.kind === 'list') return around.column === column;
    const next = /^(?:[^\S\n]*(?:#.*)?\n)*([^\S\n]*)-\s/.exec(this.#text.slice(this.#at));
    return around?.isOpen === true && next?.[1]?.length === column;
  }

  #place(column: number, kind: Kind, range: Range): void {
    const deeper: Collection[] = [];
    const isFirst = this.#open.length === 0;
    while ((this.#open.at(-1)?.column ?? -1) > column) deeper.push(...this.#open.splice(-1));
    // A list may stand in the column of its key.
    if (kind === 'map' && this.#hasKeyOfList(column)) this.#open.pop();
    const top = this.#open.at(-1);
    const isKnown = top?.column === column && top.kind === kind;
    if (!isKnown) {
      const isChild = top?.isOpen === true && (column > top.column || kind === 'list');
      if (!isFirst && !isChild) this.#misplace(column, kind, range, deeper);
      if (top !== undefined) top.isOpen = false;
      this.#open.push({ column, kind, range, isOpen: true });
    } else top.isOpen = true;
  }

  #hasKeyOfList(column: number): boolean {
    const [around, list] = this.#open.slice(-2);
    return (
      list?.kind === 'list' &&
      list.column === column &&
      around?.kind === 'map' &&
      around.column === column
    );
  }

  #misplace(column: number, kind: Kind, range: Range, deeper: readonly Collection[]): void {
    const top = this.#open.at(-1);
    const root = deeper.at(-1);
    if (top === undefined && root !== undefined) {
      this.#report(FIRST_KEY, root.range);
      return;
    }
    const isSame = (each: Collection) => each.kind === kind;
    const columns = [this.#open.findLast(isSame), deeper.findLast(isSame)]
      .flatMap((each) => (each === undefined ? [] : [each.column + 1]))
      .join(' or ');
    const isDeeper = deeper.length === 0;
    const message =
      kind === 'list'
        ? columns === '' || (isDeeper && top?.kind === 'map')
          ? LIST_WITHOUT_KEY
          : itemElsewhere(columns)
        : keyElsewhere(columns, isDeeper, top, column);
    this.#report(message, range);
  }

  #report(message: string, range: Range): void {
    this.#found.push({ message, range });
  }

  #endOfLine(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end === -1 ? this.#text.length : end;
  }
}

const BLANK_BEHIND_DASH = 'a blank is missing behind "-"';
const KEY_AMONG_ITEMS =
  'this is in the column of the items of a list: indent it deeper if it belongs to the item above, or begin it with "- "';
const ITEM_IS_WHOLE =
  'the item above ends in its line: begin another one with "- ", or indent this as what it belongs to';
const FIRST_KEY =
  'the first key of the document is indented deeper than others: begin all of them in column 1';
const LIST_WITHOUT_KEY =
  'this list belongs to no key: a line such as "steps:" is missing above it, or it is indented wrongly';

const itemElsewhere = (columns: string): string =>
  `the items of a list must begin in the same column, this one in column ${columns}`;

function keyElsewhere(
  columns: string,
  isDeeper: boolean,
  around: Collection | undefined,
  column: number,
): string {
  if (around?.column === column) return KEY_AMONG_ITEMS;
  if (columns === '' || (isDeeper && around?.kind === 'list')) return ITEM_IS_WHOLE;
  return isDeeper
    ? `this is indented deeper than what it follows: begin it in column ${columns}, unless a key is missing above it`
    : `the keys of a map must begin in the same column, this one in column ${columns}`;
}
