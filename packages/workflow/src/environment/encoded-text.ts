/**
 * Texts that lines of scripts write in another form, as `actions/create-file` does. Windows uses Base64, other systems the octal escapes of
 * `printf`. Every reader of the line can decode the text.
 */

type Encoding = 'base64' | 'octal';

interface EncodedPart {
  readonly encoding: Encoding;
  /** Range of the encoded text in the line; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Byte by byte, one code unit for each. */
  readonly bytes: string;
}

/** True for the few texts that are worth a closer look. */
export const mayBeEncoded = (text: string): boolean =>
  text.includes('echo ') || text.includes("printf '");

/**
 * Replaces an encoded text by `hidden` wherever `isSecret` says so. Consecutive lines count together, as one file is written in pieces. In
 * time linear in their length.
 */
export function hideEncoded(
  lines: readonly string[],
  isSecret: (text: string) => boolean,
  hidden: string,
): readonly string[] {
  const parts = lines.map(encodedIn);
  const shown = [...lines];
  for (let from = 0; from < lines.length; ) {
    const to = endOfGroup(parts, from);
    if (isSecret(textOf(parts.slice(from, to)))) {
      for (let at = from; at < to; at += 1)
        shown[at] = withoutPart(lines[at] ?? '', parts[at], hidden);
    }
    from = to;
  }
  return shown;
}

/** Behind the last line that goes on with the text of this one. */
function endOfGroup(parts: readonly (EncodedPart | null)[], from: number): number {
  const encoding = parts[from]?.encoding;
  let to = from + 1;
  while (encoding !== undefined && parts[to]?.encoding === encoding) to += 1;
  return to;
}

function textOf(parts: readonly (EncodedPart | null)[]): string {
  const bytes = parts.map((part) => part?.bytes ?? '').join('');
  return new TextDecoder().decode(Uint8Array.from(bytes, (unit) => unit.charCodeAt(0)));
}

const withoutPart = (line: string, part: EncodedPart | null | undefined, hidden: string): string =>
  part == null ? line : line.slice(0, part.start) + hidden + line.slice(part.end);

const encodedIn = (line: string): EncodedPart | null => base64In(line) ?? octalIn(line);

const OR_EXIT = ' || exit /b';

/** The last word of an `echo`, which may be followed by what `actions/create-file` does where it fails. */
function base64In(line: string): EncodedPart | null {
  const command = line.endsWith(OR_EXIT) ? line.slice(0, -OR_EXIT.length) : line;
  const start = command.lastIndexOf(' ') + 1;
  const word = command.slice(start);
  if (
    word === '' ||
    word.length % 4 !== 0 ||
    !/echo $/.test(command.slice(Math.max(0, start - 5), start))
  ) {
    return null;
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(word)) return null;
  return { encoding: 'base64', start, end: start + word.length, bytes: atob(word) };
}

const PRINTF = "printf '";
const OCTAL_TEXT = /^(?:[^'\\%]|\\[0-7]{3})*$/;

/** The text of a `printf`, at the begin of a line or of its echo. */
function octalIn(line: string): EncodedPart | null {
  const at = line.indexOf(PRINTF);
  if (at < 0 || !/^ *\+* ?$/.test(line.slice(0, Math.min(at, 16))) || at > 16) return null;
  const start = at + PRINTF.length;
  const end = line.indexOf("'", start);
  const text = end < 0 ? '' : line.slice(start, end);
  if (end < 0 || !OCTAL_TEXT.test(text)) return null;
  const bytes = text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8) & 0xff),
  );
  // Signs beyond bytes are not from there.
  return /[^\0-\xff]/.test(bytes) ? null : { encoding: 'octal', start, end, bytes };
}
