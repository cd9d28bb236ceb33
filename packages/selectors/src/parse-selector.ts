/**
 * Parsers of field and label selectors (specification 4.1, wire facts 7.1). White space is free everywhere but around `in` and `notin`,
 * where it is required. A value is any text without the blanks around it. Commas and parentheses end it, and outside of a list also `=`.
 * Positions in messages count characters from 1.
 */
import { OrchestratorError } from '@tutti/manifests';
import { Scanner } from './scanner.ts';
import { CONDITIONS_MAX, type Condition, SELECTOR_LENGTH_MAX, type Selector } from './selector.ts';

const KEY = /[a-zA-Z0-9\-_./]+/y;
// Without `=`: a comma that was forgotten before the next condition must not go unnoticed.
const VALUE = /[^\s,()=][^,()=]*/y;
const LISTED_VALUE = /[^\s,()][^,()]*/y;
const EQUALITY = /[=!]=|=/y;
const MEMBERSHIP = /(?:not)?in(?![a-zA-Z0-9\-_./])/y;
const OPEN = /\(/y;
const CLOSE = /\)/y;
const COMMA = /,/y;
const NOT = /!/y;
const BRACKET = /[[\]]/y;
const OPEN_BRACKET = /\[/y;
const CLOSE_BRACKET = /\]/y;
const MORE_KEY = /[a-zA-Z0-9\-_./[\]]/y;

type KeyParser = (scanner: Scanner) => readonly string[];

/** Parses a field selector; throws `Invalid`. An empty text has no condition and takes everything. */
export function parseFieldSelector(text: string): Selector {
  return parseSelector(text, parseFieldKey);
}

/** Parses a label selector; throws `Invalid`. An empty text has no condition and takes everything. */
export function parseLabelSelector(text: string): Selector {
  return parseSelector(text, parseLabelKey);
}

/** The names that a field key such as `spec.selector.matchLabels[a.b/c]` goes through; throws `Invalid`. */
export function parseFieldPath(text: string): readonly string[] {
  const scanner = new Scanner(text);
  const path = parseFieldKey(scanner);
  if (!scanner.isAtEnd) scanner.fail('unexpected text');
  return path;
}

function parseSelector(text: string, parseKey: KeyParser): Selector {
  if (text.length > SELECTOR_LENGTH_MAX) {
    throw new OrchestratorError(
      'Invalid',
      `Selector of ${text.length} characters; at most ${SELECTOR_LENGTH_MAX} are allowed.`,
    );
  }
  const scanner = new Scanner(text);
  scanner.skipSpace();
  return { conditions: scanner.isAtEnd ? [] : parseConditions(scanner, parseKey) };
}

function parseConditions(scanner: Scanner, parseKey: KeyParser): readonly Condition[] {
  const conditions: Condition[] = [];
  do {
    if (conditions.length === CONDITIONS_MAX)
      scanner.fail(`more than ${CONDITIONS_MAX} conditions`);
    scanner.skipSpace();
    conditions.push(parseCondition(scanner, parseKey));
    scanner.skipSpace();
  } while (scanner.take(COMMA) !== null);
  if (!scanner.isAtEnd) scanner.fail('expected an operator, a comma or the end');
  return conditions;
}

function parseCondition(scanner: Scanner, parseKey: KeyParser): Condition {
  if (scanner.take(NOT) !== null) {
    scanner.skipSpace();
    return { test: 'exists', path: parseKey(scanner), negated: true };
  }
  if (scanner.take(OPEN) !== null) return parseContainment(scanner, parseKey);
  return parseKeyCondition(scanner, parseKey(scanner));
}

/** `(v1, v2) in key`, whose opening parenthesis is read. */
function parseContainment(scanner: Scanner, parseKey: KeyParser): Condition {
  const values = parseValues(scanner);
  requireSpace(scanner);
  const operator = scanner.expect(MEMBERSHIP, '"in" or "notin"');
  requireSpace(scanner);
  return {
    test: 'containsAll',
    path: parseKey(scanner),
    values,
    negated: operator === 'notin',
  };
}

function parseKeyCondition(scanner: Scanner, path: readonly string[]): Condition {
  const spaced = scanner.skipSpace();
  const equality = scanner.take(EQUALITY);
  if (equality !== null) {
    scanner.skipSpace();
    const values = new Set([parseValue(scanner, VALUE)]);
    return { test: 'oneOf', path, values, negated: equality === '!=' };
  }
  const membership = spaced ? scanner.take(MEMBERSHIP) : null;
  if (membership === null) return { test: 'exists', path, negated: false };
  requireSpace(scanner);
  scanner.expect(OPEN, '"("');
  return { test: 'oneOf', path, values: parseValues(scanner), negated: membership === 'notin' };
}

/** The rest of a list of values, whose opening parenthesis is read. */
function parseValues(scanner: Scanner): ReadonlySet<string> {
  const values = new Set<string>();
  do {
    scanner.skipSpace();
    values.add(parseValue(scanner, LISTED_VALUE));
  } while (scanner.take(COMMA) !== null);
  scanner.expect(CLOSE, '"," or ")"');
  return values;
}

const parseValue = (scanner: Scanner, pattern: RegExp): string =>
  scanner.expect(pattern, 'a value').trimEnd();

function requireSpace(scanner: Scanner): void {
  if (!scanner.skipSpace()) scanner.fail('expected white space');
}

/** Labels live in one place, and their names hold dots and slashes. */
function parseLabelKey(scanner: Scanner): readonly string[] {
  refuseBracket(scanner);
  const name = scanner.expect(KEY, 'a label name');
  refuseBracket(scanner);
  return ['metadata', 'labels', name];
}

function refuseBracket(scanner: Scanner): void {
  const position = scanner.at + 1;
  if (scanner.take(BRACKET) === null) return;
  const problem = `[] not allowed in label selectors: ${JSON.stringify(scanner.text)}`;
  throw new OrchestratorError('Invalid', `${problem} at position ${position}.`);
}

function parseFieldKey(scanner: Scanner): readonly string[] {
  const start = scanner.at;
  const names = scanner.expect(KEY, 'a field name').split('.');
  if (names.includes('')) scanner.fail('empty name in the field', start);
  if (scanner.take(OPEN_BRACKET) === null) return names;
  names.push(scanner.expect(KEY, 'a name in the brackets'));
  scanner.expect(CLOSE_BRACKET, '"]"');
  const after = scanner.at;
  if (scanner.take(MORE_KEY) !== null) scanner.fail('only the last name may be in brackets', after);
  return names;
}
