/** Syntax errors of YAML in words for authors: the first mistake of a cascade, and advice on it. */
import type { Document, ParsedNode, YAMLError } from 'yaml';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import { TOO_DEEP } from './document-shape.ts';
import { misplacedLines } from './misplaced-lines.ts';
import {
  isOfBlock,
  lineAt,
  lineWithoutKey,
  type MistakenLine,
  negatedCondition,
  type Range,
} from './mistaken-lines.ts';
import type { TextLines } from './text-lines.ts';
import { bracketOpen, inOurWords, kindOf, type SaidKind } from './yaml-sentences.ts';

type YamlLibrary = typeof import('yaml');

export interface SyntaxMistake {
  readonly message: string;
  /** Offsets in the text. */
  readonly range: Range;
  /** True if the mistake is about blanks. */
  readonly isExact?: boolean;
  readonly isTooDeep?: boolean;
  /** Offset of an unknown tag. The library reads its node as if the tag were not there. */
  readonly tagAt?: number;
}

/**
 * Mistakes in the order of the text, one for each line. The list ends where the reader loses its way: later errors would be about
 * the wrong reading of the rest.
 */
export function syntaxMistakes(
  yaml: YamlLibrary,
  document: Document.Parsed<ParsedNode>,
  text: string,
  lines: TextLines,
): readonly SyntaxMistake[] {
  const errors = [...document.errors, ...document.warnings].toSorted(byPlace);
  const mistakes = new MistakesInWords(yaml, document, text);
  // A tab causes all other errors.
  const tab = errors.find(({ code }) => code === 'TAB_AS_INDENT');
  if (tab !== undefined) return [mistakes.of(tab, errors)];
  const negations = new Map<number, SyntaxMistake>();
  const others = errors.filter(({ pos: [at] }) => {
    const negation = mistakes.negationAt(at);
    // One condition may cause several errors.
    if (negation !== null) negations.set(negation.range[0], negation);
    return negation === null;
  });
  const kept = mistakes.inWords(withoutCascades(others, lines), errors);
  return [...negations.values(), ...kept].toSorted(({ range: [a] }, { range: [b] }) => a - b);
}

const byPlace = ({ pos: [left] }: YAMLError, { pos: [right] }: YAMLError): number => left - right;

function withoutCascades(errors: readonly YAMLError[], lines: TextLines): readonly YAMLError[] {
  const kept: YAMLError[] = [];
  let lastLine = 0;
  for (const error of errors) {
    const { line } = lines.exactSpanOf(...error.pos);
    const isLost = losesItsWay(error);
    if (line > lastLine) kept.push(error);
    if (isLost) break;
    // The reader continues after an unknown tag, so such a tag does not count as the last mistake.
    if (error.code !== 'TAG_RESOLVE_FAILED') lastLine = line;
  }
  return kept;
}

/** Errors after which the reader goes on correctly: it knows what was meant, or where the next line begins. */
const OF_ONE_LINE: ReadonlySet<string> = new Set([
  'BAD_DQ_ESCAPE',
  'BAD_SCALAR_START',
  'BLOCK_AS_IMPLICIT_KEY',
  'BLOCK_IN_FLOW',
  'MULTILINE_IMPLICIT_KEY',
  'NON_STRING_KEY',
  'TAG_RESOLVE_FAILED',
]);

const losesItsWay = (error: YAMLError): boolean =>
  !OF_ONE_LINE.has(error.code) && !isOfKind(error, 'at node end', 'no value');

const isOfKind = (error: YAMLError, ...kinds: readonly SaidKind[]): boolean => {
  const kind = kindOf(error);
  return kind !== null && kinds.includes(kind);
};

/** Mistakes with a sentence: many more than are reported, and few enough to search the whole text for each. */
const WORDED_MAX = 4 * DOCUMENT_LIMITS.problemsMax;

class MistakesInWords {
  readonly #yaml: YamlLibrary;
  readonly #document: Document.Parsed<ParsedNode>;
  readonly #text: string;
  /** Brackets in the order of the text. */
  #brackets: readonly Range[] | null = null;
  #lines: readonly MistakenLine[] | null = null;

  constructor(yaml: YamlLibrary, document: Document.Parsed<ParsedNode>, text: string) {
    this.#yaml = yaml;
    this.#document = document;
    this.#text = text;
  }

  /** Stops after a text with the wrong indentation for its block: its lines would be misread. */
  inWords(errors: readonly YAMLError[], all: readonly YAMLError[]): readonly SyntaxMistake[] {
    const mistakes: SyntaxMistake[] = [];
    const kept = new Set<number>();
    for (const [index, error] of errors.entries()) {
      const isWorded = index < WORDED_MAX;
      const mistake = isWorded ? this.of(error, all) : { message: error.message, range: error.pos };
      // One line may cause several errors.
      if (!kept.has(mistake.range[0])) mistakes.push(mistake);
      kept.add(mistake.range[0]);
      if (isOfBlock(mistake)) break;
    }
    return mistakes;
  }

  /** The last line up to the error in a wrong column. Wrong lines before it belong to other errors. */
  #misplaced(error: YAMLError, all: readonly YAMLError[]): MistakenLine | null {
    if (!isOfColumns(error)) return null;
    this.#lines ??= misplacedLines(this.#text);
    const ends = all.filter(({ pos }) => pos[0] === error.pos[0]).map(({ pos }) => pos[1]);
    const end = this.#text.indexOf('\n', Math.max(error.pos[1], ...ends) - 1);
    return this.#lines.findLast(({ range }) => end === -1 || range[0] < end) ?? null;
  }

  of(error: YAMLError, all: readonly YAMLError[]): SyntaxMistake {
    const { code, pos } = error;
    switch (code) {
      case 'RESOURCE_EXHAUSTION':
        return { message: TOO_DEEP, range: pos, isTooDeep: true };
      // The library's own sentence is for programmers.
      case 'MULTIPLE_DOCS':
        return { message: 'a second document begins', range: pos };
      case 'TAB_AS_INDENT':
        return {
          message: 'tabs are not allowed as indentation, use spaces',
          range: pos,
          isExact: true,
        };
      case 'TAG_RESOLVE_FAILED':
        return { ...this.#ofTag(pos), tagAt: pos[0] };
      default:
        return this.#ofStructure(error, all);
    }
  }

  /** The condition around the place that begins with a tag. */
  negationAt(at: number): SyntaxMistake | null {
    const found = negatedCondition(this.#text, at, (each) => this.#isInBrackets(each));
    if (found === null) return null;
    const [start, end] = found.range;
    // A comma or a bracket in the condition ends the list or map around it.
    const isCut = this.#isInBrackets(start) && /[,[\]{}]/.test(this.#text.slice(start, end));
    return isCut ? found : { ...found, tagAt: start };
  }

  #isInBrackets(at: number): boolean {
    this.#brackets ??= this.#outerBrackets();
    const next = this.#brackets.findIndex(([start]) => start >= at);
    const before = this.#brackets.at(next === -1 ? -1 : next - 1);
    return next !== 0 && before !== undefined && at < before[1];
  }

  #outerBrackets(): readonly Range[] {
    const found: Range[] = [];
    this.#yaml.visit(this.#document, {
      Collection: (_, { flow, range }) => {
        if (flow !== true || !range) return undefined;
        found.push([range[0], range[2]]);
        return this.#yaml.visit.SKIP;
      },
    });
    return found;
  }

  #ofTag(range: Range): Pick<SyntaxMistake, 'message' | 'range'> {
    const tag = this.#text.slice(...range);
    const before = this.#text.slice(this.#text.lastIndexOf('\n', range[0]) + 1, range[0]);
    return isNegation(tag, before)
      ? { message: NEGATION, range }
      : { message: `the tag ${tag} cannot be used here, leave it out`, range };
  }

  #ofStructure(error: YAMLError, all: readonly YAMLError[]): SyntaxMistake {
    const { code, pos } = error;
    const kind = kindOf(error);
    const expression = this.#expressionAt(pos[0]);
    if (expression !== null) return { message: BARE_EXPRESSION, range: expression };
    if (kind === 'open quote') return this.#openQuote(pos[0]);
    if (code === 'BLOCK_AS_IMPLICIT_KEY') {
      return this.#misplaced(error, all) ?? this.#mapInText(error, all);
    }
    if (code === 'BLOCK_IN_FLOW' && !this.#text.startsWith('-', pos[0])) {
      return { message: COLON_WITHIN, range: pos };
    }
    const line = isOfLines(error) ? lineWithoutKey(this.#text, pos[0]) : null;
    if (line !== null) return line;
    const misplaced = this.#misplaced(error, all);
    if (misplaced !== null) return misplaced;
    if (kind === 'no value' || kind === 'over lines') return { message: NO_KEY, range: pos };
    if (code === 'NON_STRING_KEY')
      return this.#withoutDollar(pos[0]) ?? { message: 'a key must be a text', range: pos };
    if (code === 'UNEXPECTED_TOKEN' && this.#isBehindQuotes(pos[0])) {
      return { message: BEHIND_QUOTES, range: pos };
    }
    const start = this.#openBracket(kind, pos[0]);
    if (start !== null)
      return { message: bracketOpen(this.#text[start] ?? ''), range: [start, start + 1] };
    const range = code === 'BAD_INDENT' ? indented(this.#text, pos[0]) : pos;
    const sign = this.#text.slice(pos[0], pos[0] + 1);
    return { message: inOurWords(error, sign), range };
  }

  /** The bracket without an end, where the library reports the place for an end. */
  #openBracket(kind: SaidKind | null, at: number): number | null {
    if (kind !== 'open map' && kind !== 'open list') return null;
    const sign = kind === 'open map' ? '{' : '[';
    let start: number | null = null;
    this.#yaml.visit(this.#document, {
      Collection: (_, { flow, range }) => {
        if (flow !== true || !range || range[0] >= at || range[1] < at) return;
        if (this.#text[range[0]] === sign) start = range[0];
      },
    });
    return start;
  }

  /** Braces that were meant as an expression. They count as a text in their list or map. */
  #withoutDollar(at: number): SyntaxMistake | null {
    const start = at - 1;
    const end = this.#text.indexOf('}}', at);
    const written = this.#text.slice(start, end + 2);
    if (end === -1 || !/^\{\{[^{}:\n]*\}\}$/.test(written)) return null;
    const expression = `$${written.length > EXPRESSION_LENGTH_MAX ? '{{ ... }}' : written}`;
    const correct = this.#isInBrackets(start) ? `"${expression}"` : expression;
    return {
      message: `an expression begins with "$", write ${correct}`,
      range: [start, end + 2],
      tagAt: start,
    };
  }

  /** The expression without quotes that the library reads as maps in braces; null for none. */
  #expressionAt(at: number): Range | null {
    const start = [at - 1, at - 2].find((each) => this.#text.startsWith('${{', each));
    if (start === undefined || start < 0) return null;
    const end = this.#text.indexOf('}}', start);
    const lineEnd = this.#text.indexOf('\n', start);
    const isClosed = end !== -1 && (lineEnd === -1 || end < lineEnd);
    return [start, isClosed ? end + 2 : at + 1];
  }

  /** The library reports where the text after the quote ends. */
  #openQuote(at: number): SyntaxMistake {
    let start = at;
    this.#yaml.visit(this.#document, {
      Scalar: (_, { type, range }) => {
        if (type?.startsWith('QUOTE_') && range && range[0] <= at) start = range[0];
      },
    });
    const quote = this.#text[start] === "'" ? "'" : '"';
    return { message: `the quote ${quote} is not closed`, range: [start, start + 1] };
  }

  #mapInText({ pos: [at] }: YAMLError, all: readonly YAMLError[]): SyntaxMistake {
    const overLines = all.find(
      ({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === at,
    );
    if (overLines !== undefined) {
      const lineStart = this.#text.lastIndexOf('\n', overLines.pos[1] - 1);
      const line = lineAt(this.#text, lineStart + 1);
      if (!/^\s*(?:- *)*[\w-]+\s*:/.test(line)) {
        const begin = lineStart + 1 + line.length - line.trimStart().length;
        return { message: COLON_IN_TEXT, range: [begin, lineStart + 1 + line.trimEnd().length] };
      }
      return { message: DEEPER_THAN_BEFORE, range: indented(this.#text, lineStart + 1) };
    }
    const [blanks = ''] = /^[^\S\n]*/.exec(this.#text.slice(at)) ?? [];
    const start = at + blanks.length;
    if (/^-\s/.test(this.#text.slice(start, start + 2))) {
      return { message: ITEM_ELSEWHERE, range: [start, start + 1] };
    }
    const lineEnd = this.#text.indexOf('\n', at);
    return { message: COLON_IN_TEXT, range: [at, lineEnd === -1 ? this.#text.length : lineEnd] };
  }

  #isBehindQuotes(at: number): boolean {
    const line = this.#text.slice(this.#text.lastIndexOf('\n', at - 1) + 1, at);
    return /["'\]}]\s*$/.test(line);
  }
}

/** True for errors that follow from a line without a key. */
const isOfLines = (error: YAMLError): boolean =>
  error.code === 'BAD_INDENT' || isOfKind(error, 'no value', 'over lines');

/** True for errors that may follow from a line in a wrong column. */
const isOfColumns = (error: YAMLError): boolean =>
  error.code === 'BLOCK_AS_IMPLICIT_KEY' || isOfKind(error, 'other column', 'at node end');

/** A longer expression is not repeated in a message. */
const EXPRESSION_LENGTH_MAX = 120;

/** YAML takes the "!" operator of expressions for a tag. */
const NEGATION = '"!" begins a tag in YAML, put the condition in quotes';
const BARE_EXPRESSION = 'an expression within [ ] or { } must be in quotes';
const COLON_IN_TEXT = 'a text with ": " in it must be in quotes, or be a block that "|" begins';
const COLON_WITHIN = 'a text with ": " in it must be in quotes';
const NO_KEY = 'this is neither a key with ":" behind it nor part of what stands before it';
const ITEM_ELSEWHERE = 'the items of a list must begin in the same column';
const DEEPER_THAN_BEFORE = 'this is indented deeper than what it follows';
const BEHIND_QUOTES =
  'nothing may follow a value in quotes or brackets, put all of it in quotes together';

/** `before` is the text before the tag in its line. */
const isNegation = (tag: string, before: string): boolean =>
  /^![\w.-]*\(/.test(tag) ||
  (/(?:^|[\s{,-])["']?if["']?\s*:\s*$/.test(before) && !tag.startsWith('!!'));

/** The word with the wrong indentation. The reader points at the blanks before it. */
function indented(text: string, at: number): Range {
  const [blanks = ''] = /^\s*/.exec(text.slice(at)) ?? [];
  const start = at + blanks.length;
  const [word = ''] = /^[^\s:]+/.exec(text.slice(start)) ?? [];
  return [start, start + Math.max(1, word.length)];
}
