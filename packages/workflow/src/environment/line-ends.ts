/**
 * Line ends of scripts, which may have millions of lines. The functions work byte by byte. Replacing texts would make a small text of each
 * line, and take ten times as long.
 */

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** Replaces `\r\n` by a line feed. */
export function withLineFeeds(text: string): string {
  if (!text.includes('\r\n')) return text;
  const bytes = ENCODER.encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) continue;
    bytes[length] = byte;
    length += 1;
  }
  return DECODER.decode(bytes.subarray(0, length));
}

/** Puts a carriage return before each line feed of a text that has line feeds alone. */
export function withCarriageReturns(text: string): string {
  if (!text.includes('\n')) return text;
  const bytes = ENCODER.encode(text);
  // The largest size, where each byte is a line feed.
  const ended = new Uint8Array(2 * bytes.length);
  let length = 0;
  // By index: an iterator takes several times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === LINE_FEED) {
      ended[length] = CARRIAGE_RETURN;
      length += 1;
    }
    ended[length] = byte;
    length += 1;
  }
  return DECODER.decode(ended.subarray(0, length));
}
