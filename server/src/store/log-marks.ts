/** Marks in an execution log. A write that passes a multiple of the distance leaves the line and byte of its end. */

/** Readers of a line read this much besides, in less than a millisecond. */
export const LOG_MARK_BYTES = 64 * 1024;

/** Number of lines in a text of whole lines. */
export function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Whether a log that grew between these lengths passed a multiple of the distance. */
export const isMarked = (before: number, after: number): boolean =>
  Math.floor(before / LOG_MARK_BYTES) < Math.floor(after / LOG_MARK_BYTES);
