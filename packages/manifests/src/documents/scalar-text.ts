/** Where a character of a text stands in the YAML that the text was written in. */

const SPACE = /\s/;

/**
 * The offset in `written` (a scalar with its quotes, or with the header of a block) of the character `at` of the text that it
 * means; null when that cannot be told, as behind characters that are written as numbers.
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

/** How many characters stand there for the wanted one; null when something else does. */
function writtenLength(
  written: string,
  offset: number,
  wanted: string,
  style: Style,
): number | null {
  const found = written.charAt(offset);
  if (style === 'double' && found === '\\')
    return escapedLength(written.charAt(offset + 1), wanted);
  // Ends of lines may be folded into blanks, and what is blank at the begin of a line is left out.
  if (SPACE.test(wanted)) return SPACE.test(found) ? 1 : null;
  if (found !== wanted) return null;
  return style === 'single' && wanted === "'" ? 2 : 1;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function escapedLength(letter: string, wanted: string): number | null {
  return (ESCAPES[letter] ?? letter) === wanted ? 2 : null;
}

function skipSpace(written: string, offset: number): number {
  let end = offset;
  while (SPACE.test(written.charAt(end))) end += 1;
  return end;
}
