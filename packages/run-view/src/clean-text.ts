/** Texts of others, safe to show: without control sequences and hidden characters. */

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
const COLOR_PARTS = new Map([
  ['2', 4],
  ['5', 2],
]);
const CONCEAL = '8';

/** Whether a colour sequence makes the following text invisible. */
function hides(sequence: string): boolean {
  const numbers = sequence.slice(2, -1).split(';');
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? '';
    if (number === CONCEAL) return true;
    if (COLOR_STARTS.includes(number)) at += COLOR_PARTS.get(numbers[at + 1] ?? '') ?? 0;
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
