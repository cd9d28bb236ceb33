/** Styles of terminal text, and the format of durations and widths. */

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

/** `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** The running time in whole seconds: `0 s`, `12 s`, `3 min 05 s`. */
export function formatSeconds(ms: number): string {
  return formatDuration(Math.floor(ms / 1000) * 1000).replace('.0', '');
}

/** The largest unit alone: `45 s`, `5 min`, `3 h`, `2 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400
    ? `${Math.floor(seconds / 3_600)} h`
    : `${Math.floor(seconds / 86_400)} d`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for.
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: so are control characters.
const CONTROLS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: and what is left of broken sequences.
const ESCAPE = /\u001b(?!\[[0-9;]*m)/g;

/** Characters that change the direction of text: with them, one name could look like another. */
const BIDI = /\p{Bidi_Control}/gu;
const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Codes that start a colour, and the number of codes that follow in each form. */
const COLOR_STARTS = ['38', '48', '58'];
const COLOR_PARTS: Readonly<Record<string, number>> = { '2': 4, '5': 2 };
const CONCEAL = '8';

/** Whether a colour sequence makes the following text invisible. */
function hides(sequence: string): boolean {
  const numbers = sequence.slice(2, -1).split(';');
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? '';
    if (number === CONCEAL) return true;
    if (COLOR_STARTS.includes(number)) at += COLOR_PARTS[numbers[at + 1] ?? ''] ?? 0;
  }
  return false;
}

/**
 * Output of a step, safe to show. Colours may stay. Sequences that move the cursor, clear or beep are removed: with them, a step
 * could rewrite other output.
 */
export function cleanOutput(text: string, hasColors: boolean): string {
  const kept = text.replace(SEQUENCES, (sequence) =>
    hasColors && sequence.endsWith('m') && !hides(sequence) ? sequence : '',
  );
  const clean = kept
    .replace(CONTROLS, '')
    .replace(ESCAPE, '')
    .replaceAll('\t', '    ')
    .replace(BIDI, escaped);
  return hasColors && clean.includes('\u001b') ? `${clean}\u001b[0m` : clean;
}

/** Text on one line, without colours: for names and sentences. */
export function cleanLine(text: string): string {
  return cleanOutput(text, false).replace(/\s+/g, ' ').trim();
}

/**
 * The last state of a line that its program overwrote, as progress bars do. A carriage return starts the line again. States without text
 * are skipped.
 */
export function lastState(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((state) => cleanLine(state) !== '') ?? '';
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
