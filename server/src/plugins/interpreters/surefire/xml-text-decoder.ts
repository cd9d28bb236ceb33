/** Bytes of an XML document to text, by byte order mark, else by the encoding that the document declares, else UTF-8. */
import { OrchestratorError } from '@tutti/manifests';

export interface XmlTextDecoder {
  /** The text that can be told from the bytes so far; may lag behind. */
  write(bytes: Uint8Array): string;
  end(): string;
}

/** An XML declaration is at the very start; a longer first line has none that names an encoding. */
const HEAD_LENGTH = 256;
const DECLARED = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']/;

/** `end` and `write` throw `Invalid` for an encoding that is not known. */
export function createXmlTextDecoder(): XmlTextDecoder {
  let head: Uint8Array = new Uint8Array();
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  const begin = (): string => {
    decoder = new TextDecoder(encodingOf(head));
    return decoder.decode(head, { stream: true });
  };
  return {
    write(bytes) {
      if (decoder !== null) return decoder.decode(bytes, { stream: true });
      head = concat(head, bytes);
      return head.length < HEAD_LENGTH ? '' : begin();
    },
    end() {
      const first = decoder === null ? begin() : '';
      return first + (decoder?.decode() ?? '');
    },
  };
}

function encodingOf(head: Uint8Array): string {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  return declaredEncoding(new TextDecoder('latin1').decode(head.subarray(0, HEAD_LENGTH)));
}

function declaredEncoding(head: string): string {
  const label = DECLARED.exec(head)?.[1] ?? 'utf-8';
  // These bytes were readable as single ones, so a document that says UTF-16 here was converted without telling it.
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
