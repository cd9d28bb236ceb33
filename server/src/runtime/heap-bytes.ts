/**
 * Estimates the heap memory of a value, rarely too low. The length of a document says little: an empty object has two characters,
 * and takes 64 bytes.
 */

/** Measured with documents of many shapes (`heap-bytes.test.ts` compares). */
const OBJECT_BYTES = 64;
const ENTRY_BYTES = 72;
const LIST_BYTES = 32;
const ITEM_BYTES = 16;
const TEXT_BYTES = 24;
const OTHER_BYTES = 8;
/** Shorter texts count two bytes per character: checking them costs more than it saves. */
const LONG_TEXT = 1_024;
const WIDE = /[^\0-\xff]/;

/** Counts shared objects once. Stops beyond `bytesMax`. */
export function heapBytes(value: unknown, bytesMax = Number.POSITIVE_INFINITY): number {
  const left: unknown[] = [value];
  const seen = new Set<object>();
  let bytes = 0;
  while (left.length > 0 && bytes <= bytesMax) {
    const next = left.pop();
    if (typeof next === 'string') bytes += textBytes(next);
    else if (typeof next !== 'object' || next === null) bytes += OTHER_BYTES;
    else if (!seen.has(next)) {
      seen.add(next);
      bytes += partsOf(next, left);
    }
  }
  return bytes;
}

function textBytes(text: string): number {
  const isNarrow = text.length >= LONG_TEXT && !WIDE.test(text);
  return TEXT_BYTES + (isNarrow ? 1 : 2) * text.length;
}

/** Bytes of the object itself; its parts go to the list. */
function partsOf(value: object, left: unknown[]): number {
  if (Array.isArray(value)) {
    // One by one: a call has a limit of arguments.
    for (const item of value) left.push(item);
    return LIST_BYTES + ITEM_BYTES * value.length;
  }
  if (value instanceof Map || value instanceof Set) {
    for (const [key, item] of value.entries()) left.push(key, item);
    return OBJECT_BYTES + ENTRY_BYTES * value.size;
  }
  let bytes = OBJECT_BYTES;
  for (const item of Object.values(value)) {
    left.push(item);
    bytes += ENTRY_BYTES;
  }
  return bytes;
}
