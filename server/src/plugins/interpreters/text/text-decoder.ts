/** Decodes bytes of a report. Uses the byte order mark, else the declared encoding of an XML document, else UTF-8. */
import { isUtf8 } from 'node:buffer';
import { OrchestratorError } from '@tutti/manifests';

export interface ReportDecoder {
  /** The text of the bytes so far; it may lag behind. */
  write(bytes: Uint8Array): string;
  end(): string;
  /** The encoding, if invalid bytes came, which became `\ufffd`. */
  readonly malformed: string | null;
}

/** An XML declaration is at the very start; a longer first line has none that names an encoding. */
const HEAD_LENGTH = 256;
const DECLARED = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']/;

/** `end` and `write` throw `Invalid` for an encoding that is not known. */
export function createReportDecoder(): ReportDecoder {
  let head: Uint8Array = new Uint8Array();
  let decoder: ReportDecoder | null = null;
  const begin = (): string => {
    const encoding = encodingOf(head);
    decoder = encoding === 'utf-8' ? createUtf8Decoder() : createOtherDecoder(encoding);
    return decoder.write(head).replace(/^\ufeff/, '');
  };
  return {
    write(bytes) {
      if (decoder !== null) return decoder.write(bytes);
      head = concat(head, bytes);
      return head.length < HEAD_LENGTH ? '' : begin();
    },
    end() {
      const first = decoder === null ? begin() : '';
      return first + (decoder?.end() ?? '');
    },
    get malformed() {
      return decoder?.malformed ?? null;
    },
  };
}

/** Separate from other decoders, since `TextDecoder` does not report replacements. */
function createUtf8Decoder(): ReportDecoder {
  let rest: Uint8Array = new Uint8Array();
  let malformed: string | null = null;
  const decode = (bytes: Uint8Array): string => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    if (malformed === null && text.includes('\ufffd') && !isUtf8(bytes)) malformed = 'utf-8';
    return text;
  };
  return {
    write(bytes) {
      const all = rest.length === 0 ? bytes : concat(rest, bytes);
      const end = endOfCharacters(all);
      rest = all.slice(end);
      return decode(all.subarray(0, end));
    },
    end: () => decode(rest),
    get malformed() {
      return malformed;
    },
  };
}

function createOtherDecoder(encoding: string): ReportDecoder {
  const decoder = new TextDecoder(encoding);
  let malformed: string | null = null;
  const noted = (text: string): string => {
    if (text.includes('\ufffd')) malformed = encoding;
    return text;
  };
  return {
    write: (bytes) => noted(decoder.decode(bytes, { stream: true })),
    end: () => noted(decoder.decode()),
    get malformed() {
      return malformed;
    },
  };
}

/** Start of the last character if it is incomplete, else the end. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

function encodingOf(head: Uint8Array): string {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  // `<` of XML, or `{` and `[` of JSON.
  if (isMarkup(first) && second === 0) return 'utf-16le';
  if (first === 0 && isMarkup(second)) return 'utf-16be';
  return declaredEncoding(new TextDecoder('latin1').decode(head.subarray(0, HEAD_LENGTH)));
}

function isMarkup(byte: number | undefined): boolean {
  return byte === 0x3c || byte === 0x5b || byte === 0x7b;
}

function declaredEncoding(head: string): string {
  const label = DECLARED.exec(head)?.[1] ?? 'utf-8';
  // The bytes were readable as single bytes, so the declared UTF-16 was left over from a conversion.
  if (/^utf-?(16|32)/i.test(label)) return 'utf-8';
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    throw new OrchestratorError('Invalid', `the encoding "${label}" is not known`, { cause });
  }
}

function concat(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
