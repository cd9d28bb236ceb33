/** Finds the `${{ }}` of a text (wire facts 6.6). */
import { expressionError } from './expression-error.ts';

export const OPENING = '${{';
export const CLOSING = '}}';

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `text` is what stands between the delimiters. */
  | { readonly kind: 'expression'; readonly text: string };

/**
 * The parts of a text in their order. A `}}` in a string of an expression does not end it. Throws `Invalid` for an expression
 * without an end.
 */
export function splitText(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  splitInto(parts, text);
  return parts;
}

/** Splits a text into `parts`; when it throws, `parts` are those before the expression without an end. */
export function splitInto(parts: TextPart[], text: string): void {
  let at = 0;
  for (let start = text.indexOf(OPENING); start !== -1; start = text.indexOf(OPENING, at)) {
    if (start > at) parts.push({ kind: 'text', text: text.slice(at, start) });
    const end = findEnd(text, start);
    parts.push({ kind: 'expression', text: text.slice(start + OPENING.length, end) });
    at = end + CLOSING.length;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
}

/** Offset of the `}}` that closes the `${{`. */
function findEnd(text: string, start: number): number {
  const delimiter = /'|\}\}/g;
  delimiter.lastIndex = start + OPENING.length;
  for (let found = delimiter.exec(text); found !== null; found = delimiter.exec(text)) {
    if (found[0] === CLOSING) return found.index;
    const end = text.indexOf("'", found.index + 1);
    if (end === -1) {
      throw expressionError(text, found.index, 'the string that begins here has no end');
    }
    delimiter.lastIndex = end + 1;
  }
  throw expressionError(text, start, `"${OPENING}" without "${CLOSING}"`);
}

/** The expression that the text is, if it is one and nothing else. */
export function soleExpression(parts: readonly TextPart[]): string | null {
  const [part] = parts;
  return parts.length === 1 && part?.kind === 'expression' ? part.text : null;
}
