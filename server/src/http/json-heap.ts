/** Estimates the memory of a parsed JSON text, rarely too low, in one pass without parsing it. */
import { doInTurn, nextTurn } from '../runtime/turns.ts';

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

/** Bytes to scan in one turn: at most 10 ms of processor time. */
const PIECE_BYTES = 256 * 1024;

export interface JsonSize {
  /** In memory, once it is read. */
  readonly bytes: number;
  /** Keys of objects and items of lists: each takes parsing time, however short. */
  readonly values: number;
}

export const jsonHeapBytes = (content: Uint8Array): number => {
  const scan = new JsonScan(content);
  scan.goOn(content.length);
  return scan.size.bytes;
};

/** Searches a large text in several turns. It begins in a later turn if others have used up this one. */
export async function jsonSize(asker: string, content: Uint8Array): Promise<JsonSize> {
  const scan = new JsonScan(content);
  await doInTurn(asker, () => scan.goOn(PIECE_BYTES));
  while (!scan.isOver) {
    await nextTurn();
    scan.goOn(PIECE_BYTES);
  }
  return scan.size;
}

class JsonScan {
  readonly #text: Buffer;
  #at = 0;
  #isInText = false;
  #bytes: number;
  #values = 0;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#text = Buffer.from(buffer, byteOffset, length);
    this.#bytes = length;
  }

  get isOver(): boolean {
    return this.#at >= this.#text.length;
  }

  get size(): JsonSize {
    return { bytes: this.#bytes, values: this.#values };
  }

  /** Scans this number of bytes, or more for a long text without quotes. */
  goOn(bytes: number): void {
    const end = Math.min(this.#at + bytes, this.#text.length);
    while (this.#at < end) {
      if (this.#isInText) this.#toQuote();
      else this.#outsideOfTexts(end);
    }
  }

  #outsideOfTexts(end: number): void {
    const text = this.#text;
    let bytes = 0;
    let values = 0;
    let index = this.#at;
    for (; index < end && !this.#isInText; index++) {
      switch (text[index]) {
        case QUOTE:
          bytes += TEXT_BYTES;
          this.#isInText = true;
          break;
        case OBJECT:
          bytes += OBJECT_BYTES;
          break;
        case LIST:
          bytes += LIST_BYTES;
          break;
        case COMMA:
          bytes += ITEM_BYTES;
          values += 1;
          break;
        case COLON:
          bytes += ENTRY_BYTES;
          values += 1;
          break;
      }
    }
    this.#at = index;
    this.#bytes += bytes;
    this.#values += values;
  }

  /** Long texts are passed over at once. */
  #toQuote(): void {
    const quote = this.#text.indexOf(QUOTE, this.#at);
    this.#at = quote === -1 ? this.#text.length : quote + 1;
    if (quote !== -1 && !isEscaped(this.#text, quote)) this.#isInText = false;
  }
}

function isEscaped(text: Buffer, position: number): boolean {
  let backslashes = 0;
  while (text[position - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
