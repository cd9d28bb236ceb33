/** Finds values of a YAML document again in its text. */
import type { Document, Pair, ParsedNode } from 'yaml';
import type { DocumentPath, ProblemPlace, TextPiece } from './problem.ts';
import { offsetInScalar } from './scalar-text.ts';
import type { SourceSpan, TextLines } from './text-lines.ts';

type YamlLibrary = typeof import('yaml');
type Range = readonly [start: number, end: number];

export class YamlPlaces {
  readonly #yaml: YamlLibrary;
  readonly #document: Document.Parsed<ParsedNode>;
  readonly #text: string;
  readonly #lines: TextLines;

  constructor(
    yaml: YamlLibrary,
    document: Document.Parsed<ParsedNode>,
    text: string,
    lines: TextLines,
  ) {
    this.#yaml = yaml;
    this.#document = document;
    this.#text = text;
    this.#lines = lines;
  }

  spanOf({ path, key, piece }: ProblemPlace): SourceSpan {
    const [start, end] =
      (key === undefined ? null : this.#keyRange(path, key)) ??
      (piece === undefined ? null : this.#pieceRange(path, piece)) ??
      this.#valueRange(path);
    return this.#lines.spanOf(start, end);
  }

  /** The place of a value. A list or a map would take many lines, so its key stands for it. A missing value has the place around it. */
  #valueRange(path: DocumentPath): Range {
    const node = this.#nodeAt(path);
    const range = rangeOf(node);
    const isOneLine = range !== null && range[1] > range[0] && !this.#yaml.isCollection(node);
    if (isOneLine) return range;
    const last = path.at(-1);
    const key = last === undefined ? null : this.#keyRange(path.slice(0, -1), String(last));
    if (key !== null) return key;
    if (range !== null && range[1] > range[0]) return this.#firstLine(range);
    return last === undefined ? [0, 0] : this.#valueRange(path.slice(0, -1));
  }

  #firstLine([start, end]: Range): Range {
    const lineEnd = this.#text.indexOf('\n', start);
    return [start, lineEnd === -1 ? end : Math.min(end, lineEnd)];
  }

  #keyRange(path: DocumentPath, key: string): Range | null {
    return rangeOf(this.#pairAt(path, key)?.key);
  }

  #pairAt(path: DocumentPath, key: string): Pair | undefined {
    const map = this.#nodeAt(path);
    if (!this.#yaml.isMap(map)) return undefined;
    return map.items.find((pair) => this.#yaml.isScalar(pair.key) && pair.key.value === key);
  }

  #pieceRange(path: DocumentPath, { at, length }: TextPiece): Range | null {
    const node = this.#nodeAt(path);
    const range = rangeOf(node);
    if (range === null || !this.#yaml.isScalar(node) || typeof node.value !== 'string') return null;
    const written = this.#text.slice(range[0], range[1]);
    const start = offsetInScalar(written, node.value, at);
    // The last character of the piece, since the text after it may be on another line.
    const last = offsetInScalar(written, node.value, at + Math.max(1, length) - 1);
    if (start === null || start >= written.length) return null;
    return [range[0] + start, range[0] + Math.max(start, last ?? start) + 1];
  }

  #nodeAt(path: DocumentPath): unknown {
    return path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
  }
}

function rangeOf(node: unknown): Range | null {
  const isPlaced =
    typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
  if (!isPlaced) return null;
  const [start, end] = node.range as readonly number[];
  return start === undefined || end === undefined ? null : [start, end];
}
