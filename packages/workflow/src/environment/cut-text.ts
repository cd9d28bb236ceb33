/** Texts that are too long to be kept as they are. */

/** Stands for text that was cut away. */
export const CUT_MARK = '…';

/** Cuts a text to at most this many characters. The last one of a cut text is `CUT_MARK`. */
export function cutText(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : markedCut(text, lengthMax);
}

/** Marks a text as cut, even a short one whose rest is already lost. */
export function markedCut(text: string, lengthMax: number): string {
  // Not between the halves of a surrogate pair: half a character is no valid UTF-8.
  return text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '') + CUT_MARK;
}
