/** Lines of the files that decide access: one entry each, between comments and blank lines. */

export interface AccessLine {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Lines with an entry. Blank lines and comments (`#`) are left out. */
export function accessLines(content: string): readonly AccessLine[] {
  return content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
}

const QUOTED = /\s*"([^"]*(?:""[^"]*)*)"\s*(,|$)/y;
const PLAIN = /([^",]*)(,|$)/y;

/** The cells of a line of CSV; in quotes, a comma belongs to its cell. Null when quotes do not come in pairs. */
export function csvCells(text: string): readonly string[] | null {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    const match = matchAt(QUOTED, text, at) ?? matchAt(PLAIN, text, at);
    if (match === null) return null;
    const [all, cell = '', end] = match;
    cells.push(cell.replaceAll('""', '"').trim());
    if (end === '') return cells;
    at += all.length;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
