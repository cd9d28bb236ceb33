/** Counts lines and columns of a text that comes in pieces. */
export class TextPlace {
  #lines = 0;
  #columns = 0;

  /** Place behind `text` up to `end`, after all earlier text. Lines count from 1, columns from 0. */
  at(text: string, end: number): { readonly line: number; readonly column: number } {
    const { lines, columns } = this.#count(text, end);
    return { line: lines + 1, column: columns };
  }

  /** `text` up to `end` is read. */
  pass(text: string, end: number): void {
    const { lines, columns } = this.#count(text, end);
    this.#lines = lines;
    this.#columns = columns;
  }

  #count(text: string, end: number): { readonly lines: number; readonly columns: number } {
    let lines = this.#lines;
    let lineBegin = -this.#columns;
    let at = text.indexOf('\n');
    while (at >= 0 && at < end) {
      lines += 1;
      lineBegin = at + 1;
      at = text.indexOf('\n', lineBegin);
    }
    return { lines, columns: end - lineBegin };
  }
}
