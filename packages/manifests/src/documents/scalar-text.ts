/** Finds a character of a text in the YAML source of that text. */
import { dictionary } from '../dictionary.ts';

const SPACE = /\s/;

/**
 * The offset in `written` of the character `at` of its text. `written` is a scalar with its quotes, or with the header of a block. Null if
 * the offset cannot be found, as behind escapes that only YAML has.
 */
export function offsetInScalar(written: string, text: string, at: number): number | null {
  const style = styleOf(written);
  let offset = style === 'block' ? Math.max(0, written.indexOf('\n')) : style === 'plain' ? 0 : 1;
  for (let index = 0; index < text.length; index++) {
    const wanted = text.charAt(index);
    if (!SPACE.test(wanted)) offset = skipSpace(written, offset);
    if (index === at) return offset;
    const length = writtenLength(written, offset, wanted, style);
    if (length === null) return null;
    offset += length;
  }
  return at === text.length ? offset : null;
}

type Style = 'plain' | 'single' | 'double' | 'block';

function styleOf(written: string): Style {
  switch (written.charAt(0)) {
    case "'":
      return 'single';
    case '"':
      return 'double';
    case '|':
    case '>':
      return 'block';
    default:
      return 'plain';
  }
}

/** The number of written characters that stand for the wanted one; null if the text has another character there. */
function writtenLength(
  written: string,
  offset: number,
  wanted: string,
  style: Style,
): number | null {
  const found = written.charAt(offset);
  if (style === 'double' && found === '\\') {
    return escapedLength(written.slice(offset + 1, offset + 6), wanted);
  }
  // Line breaks may be folded into blanks, and blanks at the beginning of a line are dropped.
  if (SPACE.test(wanted)) return SPACE.test(found) ? 1 : null;
  if (found !== wanted) return null;
  return style === 'single' && wanted === "'" ? 2 : 1;
}

const ESCAPES: Readonly<Record<string, string>> = dictionary<string>({
  0: '\0',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
});
/** The escape of a character, or of half of one, by its number, as programs write JSON. */
const NUMBERED = /^(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/i;

/** `behind` begins with the text after the backslash. */
function escapedLength(behind: string, wanted: string): number | null {
  const [piece, short, long] = NUMBERED.exec(behind) ?? [];
  if (piece !== undefined) {
    const code = Number.parseInt(short ?? long ?? '', 16);
    return String.fromCharCode(code) === wanted ? 1 + piece.length : null;
  }
  const letter = behind.charAt(0);
  return (ESCAPES[letter] ?? letter) === wanted ? 2 : null;
}

function skipSpace(written: string, offset: number): number {
  let end = offset;
  while (SPACE.test(written.charAt(end))) end += 1;
  return end;
}
