/** What a JSON text takes in memory once it is read, as an estimate that is rarely too low; in one pass, and without reading it. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OBJECT = 0x7b;
const LIST = 0x5b;
const COMMA = 0x2c;
const COLON = 0x3a;

const OBJECT_BYTES = 64;
const LIST_BYTES = 32;
const ITEM_BYTES = 16;
const ENTRY_BYTES = 56;
const TEXT_BYTES = 24;

export function jsonHeapBytes(content: Uint8Array): number {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length);
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case QUOTE:
        bytes += TEXT_BYTES;
        index = endOfText(text, index);
        break;
      case OBJECT:
        bytes += OBJECT_BYTES;
        break;
      case LIST:
        bytes += LIST_BYTES;
        break;
      case COMMA:
        bytes += ITEM_BYTES;
        break;
      case COLON:
        bytes += ENTRY_BYTES;
        break;
    }
  }
  return bytes;
}

/** Long texts are passed over at once. */
function endOfText(text: Buffer, start: number): number {
  let end = text.indexOf(QUOTE, start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf(QUOTE, end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: Buffer, position: number): boolean {
  let backslashes = 0;
  while (text[position - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
