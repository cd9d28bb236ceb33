/** Searching in texts that are not part of an expression, with its patterns. */
import { compilePattern } from './compile-pattern.ts';
import { searchPattern } from './search-pattern.ts';

/** Flags of a pattern, or of a group in it, that ask for both cases. */
const ASKS_FOR_BOTH = /\(\?[ms]*i/;

/**
 * Whether a text has a match. Throws `Invalid` for a malformed pattern. The time is at most the length of the text times that of the
 * pattern; the caller bounds the text.
 */
export function createTextSearch(
  pattern: string,
  { ignoresCase }: { readonly ignoresCase: boolean },
): (text: string) => boolean {
  const isCaseSensitive = !ignoresCase && !ASKS_FOR_BOTH.test(pattern);
  const program = { ...compilePattern(pattern), isCaseSensitive };
  return (text) => searchPattern(program, text, { steps: Number.POSITIVE_INFINITY }) === true;
}
