/** The expressions of a text with their places and problems, for reports that point into the text. */
import { isOrchestratorError } from '@tutti/manifests';
import { usesBefore, usesOfUnfinished } from './broken-expression.ts';
import { parseCondition } from './condition.ts';
import { ExpressionError } from './expression-error.ts';
import type { ExpressionUses } from './expression-uses.ts';
import { parseExpression } from './parse-expression.ts';
import { CLOSING, OPENING, soleExpression, splitInto, type TextPart } from './split-text.ts';
import type { Expression } from './syntax.ts';

export interface PlacedExpression {
  readonly expression: Expression;
  /** Offset of its source in the text, from 0. */
  readonly at: number;
}

export interface ExpressionMistake {
  readonly message: string;
  /** The piece of the text that is wrong, counted from 0: a word, or the whole expression. */
  readonly at: number;
  readonly length: number;
}

/** An expression with a mistake. */
export interface BrokenExpression {
  /** Names that it uses before the mistake. */
  readonly uses: ExpressionUses;
  /** Offset of its source in the text. */
  readonly at: number;
}

export interface PlacedExpressions {
  readonly expressions: readonly PlacedExpression[];
  readonly broken: readonly BrokenExpression[];
  readonly mistakes: readonly ExpressionMistake[];
}

/** The `${{ }}` of a text. Never throws for mistakes in them. */
export function placeExpressions(text: string): PlacedExpressions {
  const reading = new Reading(text);
  if (!text.includes(OPENING)) return reading;
  const parts: TextPart[] = [];
  const split = reading.attempt({ at: 0, length: text.length }, () => splitInto(parts, text));
  reading.addParts(parts, 0);
  if (split === null) reading.addUnfinished(parts, 0);
  return reading;
}

/** A condition, whose `${{ }}` may be left out; nothing when it is blank. Never throws for mistakes in it. */
export function placeCondition(text: string): PlacedExpressions {
  const reading = new Reading(text);
  const whole = { at: leadingSpace(text), length: text.trim().length };
  const parts: TextPart[] = [];
  if (reading.attempt(whole, () => splitInto(parts, text.trim())) === null) {
    reading.addParts(parts, whole.at);
    reading.addUnfinished(parts, whole.at);
    return reading;
  }
  const sole = soleExpression(parts);
  // Where only parts are in `${{ }}`, positions are those of the text.
  const inner =
    sole === null
      ? whole
      : { at: whole.at + OPENING.length + leadingSpace(sole), length: sole.trim().length };
  reading.add(inner, () => parseCondition(text));
  if (reading.mistakes.length === 0) return reading;
  // The whole text is wrong, perhaps only in one part; the other parts may have problems of their own.
  const { expressions, broken } = placeExpressions(text);
  const all = text.includes(OPENING) ? broken : reading.broken;
  return { expressions, broken: all, mistakes: reading.mistakes };
}

interface Piece {
  readonly at: number;
  readonly length: number;
}

class Reading implements PlacedExpressions {
  readonly expressions: PlacedExpression[] = [];
  readonly broken: BrokenExpression[] = [];
  readonly mistakes: ExpressionMistake[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  add(piece: Piece, parse: () => Expression | null): void {
    const expression = this.attempt(piece, parse, (mistakeAt) => {
      const source = this.#text.slice(piece.at, piece.at + piece.length);
      this.broken.push({ uses: usesBefore(source, mistakeAt), at: piece.at });
    });
    if (expression !== null) this.expressions.push({ expression, at: piece.at });
  }

  /** The one without an end behind the parts of a text that begins at `start`. */
  addUnfinished(parts: readonly TextPart[], start: number): void {
    const before = placed(parts).at(-1);
    const from = start + (before === undefined ? 0 : before.at + lengthOf(before.part));
    const opening = this.#text.indexOf(OPENING, from) + OPENING.length;
    const source = this.#text.slice(opening);
    const at = opening + leadingSpace(source);
    this.broken.push({ uses: usesOfUnfinished(source.trim(), mistakeIn(source)), at });
  }

  /** Adds the expressions of a text that begins at `start`. */
  addParts(parts: readonly TextPart[], start: number): void {
    for (const { part, at } of placed(parts)) {
      if (part.kind === 'text') continue;
      const inner = start + at + OPENING.length + leadingSpace(part.text);
      this.add({ at: inner, length: part.text.trim().length }, () => parseExpression(part.text));
    }
  }

  /**
   * Runs work that may fail; null where it failed. `piece` is what the work reads: mistakes that know their position count from its begin,
   * and `failed` hears it.
   */
  attempt<T>(piece: Piece, work: () => T, failed?: (at: number | null) => void): T | null {
    try {
      return work();
    } catch (error) {
      if (!isOrchestratorError(error)) throw error;
      const at = error instanceof ExpressionError ? error.at : null;
      this.mistakes.push({
        message: error.message,
        ...(at === null ? piece : wordAt(this.#text, piece.at + at)),
      });
      failed?.(at);
      return null;
    }
  }
}

/** Null where there is none but that the expression does not end. */
function mistakeIn(source: string): number | null {
  try {
    parseExpression(source);
    return null;
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return error instanceof ExpressionError ? error.at : null;
  }
}

/** The word at a mistake; its last character where the text ends too early. */
function wordAt(text: string, at: number): Piece {
  const start = Math.max(0, text.slice(0, at + 1).trimEnd().length - 1);
  const word = /^[\w-]+/.exec(text.slice(start))?.[0] ?? '';
  return { at: start, length: Math.max(1, word.length) };
}

const leadingSpace = (text: string): number => text.length - text.trimStart().length;

function placed(
  parts: readonly TextPart[],
): readonly { readonly part: TextPart; readonly at: number }[] {
  let at = 0;
  return parts.map((part) => {
    const start = at;
    at += lengthOf(part);
    return { part, at: start };
  });
}

const lengthOf = ({ kind, text }: TextPart): number =>
  text.length + (kind === 'text' ? 0 : OPENING.length + CLOSING.length);
