/**
 * Functions that take references of tests apart and put command lines together: in descriptions of providers, not in workflows. In a text
 * without a separator, all of it is before the first one and after the last one.
 */
import { namesOf, STEPS_OF, type Work } from './evaluation-budget.ts';
import { type BuiltInFunction, findBuiltInFunction } from './functions.ts';
import { tooLong } from './json-text.ts';
import { RESULT_LENGTH_MAX } from './limits.ts';
import { toText } from './to-text.ts';
import { isList, isMap } from './values.ts';

type OfText = (text: string, separator: string) => string;

const cut = (name: string, apply: OfText): BuiltInFunction => ({
  name,
  argsMin: 2,
  argsMax: 2,
  apply: ([text, separator], work) => {
    const by = toText(separator, work);
    if (by === '') throw work.refuse(`${name}() needs a separator`);
    return apply(toText(text, work), by);
  },
});

const before: OfText = (text, separator) => {
  const at = text.indexOf(separator);
  return at === -1 ? text : text.slice(0, at);
};

const after: OfText = (text, separator) => {
  const at = text.indexOf(separator);
  return at === -1 ? '' : text.slice(at + separator.length);
};

const beforeLast: OfText = (text, separator) =>
  text.slice(0, Math.max(0, text.lastIndexOf(separator)));

const afterLast: OfText = (text, separator) => {
  const at = text.lastIndexOf(separator);
  return at === -1 ? text : text.slice(at + separator.length);
};

/** Functions that every scope has in its library. */
export const TEXT_FUNCTIONS: readonly BuiltInFunction[] = [
  cut('before', before),
  cut('after', after),
  cut('beforeLast', beforeLast),
  cut('afterLast', afterLast),
  { name: 'split', argsMin: 2, argsMax: 2, apply: split },
  { name: 'words', argsMin: 1, argsMax: 1, apply: words },
  { name: 'replace', argsMin: 3, argsMax: 3, apply: replace },
  { name: 'each', argsMin: 2, argsMax: 2, apply: each },
  { name: 'escapePattern', argsMin: 1, argsMax: 1, apply: escapePattern },
];

/** The pieces between the separators; of the empty text there are none. */
function split([text, separator]: readonly unknown[], work: Work): readonly string[] {
  const whole = toText(text, work);
  const by = toText(separator, work);
  if (by === '') throw work.refuse('split() needs a separator');
  const pieces = whole === '' ? [] : whole.split(by);
  work.spend(pieces.length * STEPS_OF.piece);
  return pieces;
}

/** The words of a text, which blanks and line ends separate. */
function words([text]: readonly unknown[], work: Work): readonly string[] {
  const found = toText(text, work)
    .split(/\s/)
    .filter((word) => word !== '');
  work.spend(found.length * STEPS_OF.piece);
  return found;
}

function replace([text, searched, replacement]: readonly unknown[], work: Work): string {
  const old = toText(searched, work);
  if (old === '') throw work.refuse('replace() needs a text to look for');
  const pieces = toText(text, work).split(old);
  const by = toText(replacement, work);
  const length = pieces.reduce((sum, piece) => sum + piece.length, (pieces.length - 1) * by.length);
  if (length > RESULT_LENGTH_MAX) throw work.refuse(tooLong('replace() gives'));
  work.spend(length + pieces.length * STEPS_OF.piece);
  return pieces.join(by);
}

/** A text for each item of a list (`{0}`) or each entry of a map (`{0}`, its value `{1}`). None for what is empty. */
function each([items, template]: readonly unknown[], work: Work): readonly unknown[] {
  const fill = (...values: readonly unknown[]) =>
    findBuiltInFunction('format')?.apply([template, ...values], work);
  if (isMap(items)) return namesOf(items, work).map((name) => fill(name, items[name]));
  const list = isList(items) ? items : [items].filter((item) => item !== null && item !== '');
  return list.map((item) => fill(item));
}

/** A regular expression that finds the text itself. */
function escapePattern([text]: readonly unknown[], work: Work): string {
  const escaped = toText(text, work).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  if (escaped.length > RESULT_LENGTH_MAX) throw work.refuse(tooLong('escapePattern() gives'));
  return escaped;
}
