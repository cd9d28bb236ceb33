/** Decodes output of commands. Invalid bytes become `\xff`, as with existing agents (wire facts 4.4). */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { OrchestratorError } from '@tutti/manifests';

export interface OutputDecoder {
  /** The requested name; the server gets it. */
  readonly encoding: string;
  decode(bytes: Buffer): string;
  /** True for lines that are sent as they are; false if each needs decoding by itself. */
  isOutputText(bytes: Buffer): boolean;
  /** The last place up to `limit` where no character of the text that begins at `start` is split. At least `start + 1`. */
  cut(bytes: Buffer, start: number, limit: number): number;
}

/** No encoding has longer characters. */
const CHARACTER_BYTES_MAX = 4;

/** Throws `Invalid` for an unknown encoding, or one whose line ends are ambiguous bytes. */
export function createDecoder(encoding: string): OutputDecoder {
  return /^utf-?8$/i.test(encoding) ? utf8(encoding) : other(encoding, textDecoderOf(encoding));
}

const utf8 = (encoding: string): OutputDecoder => ({
  encoding,
  decode: (bytes) =>
    isUtf8(bytes)
      ? bytes.toString('utf8')
      : escapeInvalid(bytes, isUtf8, (whole) => whole.toString()),
  // No character has the byte of a line end within it.
  isOutputText: isUtf8,
  cut: (bytes, start, limit) => {
    let cut = limit;
    // Longer runs of continuation bytes are no UTF-8 and may be cut anywhere.
    while (cut > limit - CHARACTER_BYTES_MAX && isContinuation(bytes[cut])) cut -= 1;
    return isContinuation(bytes[cut]) || cut <= start ? limit : cut;
  },
});

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** The replacement that decoders write for invalid bytes. */
const REPLACEMENT = '\ufffd';

function other(encoding: string, decoder: TextDecoder): OutputDecoder {
  const decode = (bytes: Buffer) => decoder.decode(bytes);
  const isValid = (bytes: Buffer) => !decode(bytes).includes(REPLACEMENT);
  return {
    encoding,
    decode: (bytes) => {
      const text = decode(bytes);
      return text.includes(REPLACEMENT) ? escapeInvalid(bytes, isValid, decode) : text;
    },
    // In some encodings a line may begin in another state than the one before it ended in.
    isOutputText: () => false,
    cut: (bytes, start, limit) => {
      for (let end = limit; end > limit - CHARACTER_BYTES_MAX && end > start; end -= 1) {
        if (!decode(bytes.subarray(start, end)).endsWith(REPLACEMENT)) return end;
      }
      return limit;
    },
  };
}

function textDecoderOf(encoding: string): TextDecoder {
  const decoder = knownDecoder(encoding);
  // Output is cut into lines before it is decoded.
  if (decoder.decode(Buffer.from('a\n')) === 'a\n') return decoder;
  throw new OrchestratorError('Invalid', `Lines cannot be read in the encoding ${encoding}.`);
}

function knownDecoder(encoding: string): TextDecoder {
  try {
    // A byte order mark at the beginning of a line belongs to it.
    return new TextDecoder(encoding, { ignoreBOM: true });
  } catch (cause) {
    throw new OrchestratorError('Invalid', `Not a known encoding: ${encoding}.`, { cause });
  }
}

/** Character by character, and byte by byte for invalid bytes. */
function escapeInvalid(
  bytes: Buffer,
  isValid: (bytes: Buffer) => boolean,
  decode: (bytes: Buffer) => string,
): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at, isValid);
    text += length === 0 ? escapeByte(bytes[at] ?? 0) : decode(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return text;
}

/** In bytes; 0 where no character begins. */
function characterLength(bytes: Buffer, at: number, isValid: (bytes: Buffer) => boolean): number {
  const lengthMax = Math.min(CHARACTER_BYTES_MAX, bytes.length - at);
  for (let length = 1; length <= lengthMax; length += 1) {
    if (isValid(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

function escapeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
