/** Lines of workflows for readers: without the values of secrets, and without credentials in addresses. */

/** Offsets in a line. */
type Range = readonly [start: number, end: number];

const HIDDEN = '***';

export class ShownLine {
  readonly #written: string;
  /** In order. */
  readonly #hidden: readonly Range[];

  /** `number` counts from 1. */
  constructor(text: string, number: number) {
    const lines = text.split(/\r?\n/);
    this.#written = lines[number - 1] ?? '';
    this.#hidden = [...secretRanges(lines, number - 1), ...credentialRanges(this.#written)].sort(
      ([left], [right]) => left - right,
    );
  }

  get length(): number {
    return this.#written.length;
  }

  /** A piece of the line, with its secrets hidden. */
  piece(start = 0, end = this.length): string {
    const parts: string[] = [];
    let at = start;
    for (const [from, to] of this.#hidden) {
      if (to <= at || from >= end) continue;
      parts.push(this.#written.slice(at, Math.max(at, from)), HIDDEN);
      at = to;
    }
    return [...parts, this.#written.slice(at, Math.max(at, end))].join('');
  }
}

/** Users, passwords and tokens, which end with the last `@` before the path. An expression contains blanks and reveals nothing. */
function credentialRanges(line: string): readonly Range[] {
  const ranges: Range[] = [];
  const authority = /[^\s"'<>/?#]*/y;
  for (let at = line.indexOf('://'); at !== -1; at = line.indexOf('://', at + 1)) {
    authority.lastIndex = at + '://'.length;
    const start = authority.lastIndex;
    const [host = ''] = authority.exec(line) ?? [];
    const size = host.lastIndexOf('@');
    if (size > 0) ranges.push([start, start + size]);
  }
  return ranges;
}

const SECRETS = /(?:^|[\s{,])(["']?)secrets\1\s*:(?=\s|$|[{["'])/;

/** A word of other languages of workflows, and no secret. */
const INHERITED = /^\s*inherit[\s}]*(?:#.*)?$/;

/** The line may contain all secrets, or belong to a block of secrets. */
function secretRanges(lines: readonly string[], index: number): readonly Range[] {
  const line = lines[index] ?? '';
  const own = SECRETS.exec(line);
  if (own !== null && INHERITED.test(line.slice(own.index + own[0].length))) return [];
  if (own !== null) return rangesBehindKey(line, own.index + own[0].length);
  const depth = ancestors(lines, index).findIndex((ancestor) => SECRETS.test(ancestor));
  if (depth === -1) return [];
  const [parent = ''] = ancestors(lines, index);
  const start = line.search(/\S|$/);
  if (depth > 0) return [[start, line.length]];
  return /\{\s*$/.test(parent) ? rangesOfEntries(line, start) : rangesBehindName(line, start);
}

/** Lines above that are indented less than all lines between, the nearest first. */
function ancestors(lines: readonly string[], index: number): readonly string[] {
  const found: string[] = [];
  let indent = (lines[index] ?? '').search(/\S|$/);
  for (let at = index - 1; at >= 0 && indent > 0; at -= 1) {
    const line = lines[at] ?? '';
    const own = line.search(/\S/);
    if (own === -1 || own >= indent) continue;
    found.push(line);
    indent = own;
  }
  return found;
}

function rangesBehindKey(line: string, from: number): readonly Range[] {
  const start = from + line.slice(from).search(/\S|$/);
  if (start === line.length || line[start] === '#') return [];
  return line[start] === '{' ? rangesOfEntries(line, start + 1) : [[start, line.length]];
}

const NAME = String.raw`\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^:,{}"']*)\s*:`;

/** Handles an entry on a line of its own. A line without a name continues the value of another entry. */
function rangesBehindName(line: string, start: number): readonly Range[] {
  const name = new RegExp(`${NAME}(?=\\s|$)`, 'y');
  name.lastIndex = start;
  const end = name.test(line) ? name.lastIndex : start;
  const value = end + line.slice(end).search(/\S|$/);
  return value < line.length ? [[value, line.length]] : [];
}

/** Handles entries between braces, separated by commas. Where it cannot separate them, it hides the rest of the line. */
function rangesOfEntries(line: string, start: number): readonly Range[] {
  const ranges: Range[] = [];
  const name = new RegExp(`${NAME}\\s*`, 'y');
  const value = /"(?:[^"\\]|\\.)*"?|'[^']*'?|[^,}\s"'{[][^,}]*|(?=[,}]|$)/y;
  let at = start;
  while (/[^\s}]/.test(line[at + line.slice(at).search(/\S|$/)] ?? '}')) {
    name.lastIndex = at;
    if (!name.test(line)) return [...ranges, [at, line.length]];
    value.lastIndex = name.lastIndex;
    if (!value.test(line)) return [...ranges, [name.lastIndex, line.length]];
    if (value.lastIndex > name.lastIndex) ranges.push([name.lastIndex, value.lastIndex]);
    const rest = /\s*,?/y;
    rest.lastIndex = value.lastIndex;
    rest.test(line);
    at = rest.lastIndex;
  }
  return ranges;
}
