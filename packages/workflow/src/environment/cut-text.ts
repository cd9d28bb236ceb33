/** Texts that are too long to be kept as they are. */

/** Stands for text that was cut away. */
export const CUT_MARK = '…';

/** The text with at most this many characters, of which the last says that there were more. */
export function cutText(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : markedCut(text, lengthMax);
}

/** A text of which the rest may be lost already. */
export function markedCut(text: string, lengthMax: number): string {
  // Not between the halves of a surrogate pair: half a character is no valid UTF-8.
  return text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '') + CUT_MARK;
}
