/** Lines and columns of the characters of a text. The counter of the YAML library is wrong in some broken documents. */

/** Lines and columns count from 1, columns in characters; the end is behind the last character. */
export interface SourceSpan {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export class TextLines {
  readonly #text: string;
  /** Offsets of the lines' beginnings. */
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const starts = [0];
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
      starts.push(end + 1);
    }
    this.#starts = starts;
  }

  /** The span of a range of characters, without the blanks at its end. */
  spanOf(start: number, end: number): SourceSpan {
    return this.exactSpanOf(start, start + this.#text.slice(start, end).trimEnd().length);
  }

  /** The span with the blanks at its end, for problems about blanks. */
  exactSpanOf(start: number, end: number): SourceSpan {
    const first = Math.max(0, Math.min(start, this.#text.length));
    const last = Math.max(first, Math.min(end, this.#text.length));
    const from = this.#placeOf(first);
    const to = this.#placeOf(last);
    return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  }

  #placeOf(offset: number): { readonly line: number; readonly column: number } {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
