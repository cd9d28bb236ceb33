/** Styles of terminal text, and its width. */

export type Style = 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';
export type Paint = (style: Style, text: string) => string;

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  dim: [2, 22],
  bold: [1, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

const inColors: Paint = (style, text) => {
  const [on, off] = CODES[style];
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
};

export function createPaint(hasColors: boolean): Paint {
  return hasColors ? inColors : (_style, text) => text;
}

// East Asian wide characters and emoji take two cells.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const ZERO = /^\p{Mark}|\u200d|\ufe0f$/u;

function cells(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The characters of most texts, and our own signs. Measuring each character takes ten times as long. */
const NARROW = /^[ -~\u00a0-\u02ff…│▸●○▾✓✗]*$/;

/** Number of terminal cells of a text without escape sequences. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let used = 0;
  for (const character of text) used += cells(character);
  return used;
}

/** Cuts a text without escape sequences to a number of cells, with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  let used = 0;
  let fitting = '';
  for (const character of text) {
    const next = used + cells(character);
    if (next > width) return width > 0 ? `${trimLast(fitting, used, width)}…` : '';
    fitting += character;
    used = next;
  }
  return text;
}

/** Makes room for the ellipsis. */
function trimLast(text: string, used: number, width: number): string {
  if (used < width) return text;
  const characters = [...text];
  characters.pop();
  return characters.join('');
}
