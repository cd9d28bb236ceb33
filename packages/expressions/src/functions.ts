/** The built-in functions (wire facts 6.4). Their names, as all names of functions, are found regardless of case. */
import { datePart } from './date-parts.ts';
import { payFor, STEPS_OF, type Work } from './evaluation-budget.ts';
import { jsonText, tooLong } from './json-text.ts';
import { DEPTH_MAX, RESULT_LENGTH_MAX } from './limits.ts';
import { toText } from './to-text.ts';
import { isDeeperThan, isEqual, isList, isMap } from './values.ts';

export interface BuiltInFunction {
  readonly name: string;
  readonly argsMin: number;
  readonly argsMax: number;
  /** Gets as many arguments as the bounds allow. */
  apply(args: readonly unknown[], work: Work): unknown;
}

const unary = (name: string, apply: BuiltInFunction['apply']): BuiltInFunction => ({
  name,
  argsMin: 1,
  argsMax: 1,
  apply,
});

const binary = (name: string, apply: BuiltInFunction['apply']): BuiltInFunction => ({
  name,
  argsMin: 2,
  argsMax: 2,
  apply,
});

const dateFunctions = (
  ['year', 'month', 'week', 'day', 'dayOfWeek', 'dayOfWeekISO', 'hour', 'minute', 'second'] as const
).map((part) =>
  unary(part, ([date], work) =>
    datePart(typeof date === 'string' ? payFor(date, work) : date, part),
  ),
);

const functions: readonly BuiltInFunction[] = [
  binary('contains', ([container, item], work) => contains(container, item, work)),
  binary('startsWith', ([text, start], work) => lower(text, work).startsWith(lower(start, work))),
  binary('endsWith', ([text, end], work) => lower(text, work).endsWith(lower(end, work))),
  unary('fromJSON', ([text], work) => fromJson(toText(text, work), work)),
  unary('toJSON', ([value], work) => jsonText(value, 'toJSON() gives', work)),
  { name: 'format', argsMin: 1, argsMax: Number.POSITIVE_INFINITY, apply: format },
  { name: 'join', argsMin: 1, argsMax: 2, apply: join },
  ...dateFunctions,
];

const functionsByName = new Map(functions.map((entry) => [entry.name.toLowerCase(), entry]));

/** Names of the functions, with their usual capitals. */
export const BUILT_IN_FUNCTION_NAMES: readonly string[] = functions.map(({ name }) => name);

/** The functions for the status of the run so far, where the scope has them. A condition without one of them also asks for `success()`. */
export const STATUS_FUNCTIONS = ['success', 'failure', 'always', 'cancelled'] as const;

export const isStatusFunction = (name: string): boolean =>
  STATUS_FUNCTIONS.some((each) => each === name.toLowerCase());

/** The built-in function of a name, if there is one. */
export function findBuiltInFunction(name: string): BuiltInFunction | undefined {
  return functionsByName.get(name.toLowerCase());
}

function lower(value: unknown, work: Work): string {
  return toText(value, work).toLowerCase();
}

function contains(container: unknown, item: unknown, work: Work): boolean {
  if (isList(container)) return container.some((entry) => isEqual(entry, item, work));
  if (isMap(container)) throw work.refuse('contains() looks in a text or a list, not in a map');
  return lower(container, work).includes(lower(item, work));
}

function fromJson(text: string, work: Work): unknown {
  if (text.length > RESULT_LENGTH_MAX) throw work.refuse(tooLong('fromJSON() gets'));
  work.spend(text.length * STEPS_OF.jsonCharacter);
  const value = parseJson(text, work);
  if (isDeeperThan(value, DEPTH_MAX)) {
    throw work.refuse(`fromJSON() got lists or maps nested deeper than ${DEPTH_MAX}`);
  }
  return value;
}

function parseJson(text: string, work: Work): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw work.refuse('fromJSON() got a text that is not valid JSON', error);
  }
}

const FORMAT_PIECE = /\{\{|\}\}|\{\d{1,5}\}|[{}]|[^{}]+/g;

function format([template, ...args]: readonly unknown[], work: Work): string {
  const pieces = toText(template, work).match(FORMAT_PIECE) ?? [];
  return concatenate(
    'format() gives',
    pieces.map((piece) => () => formatPiece(piece, args, work)),
    work,
  );
}

function formatPiece(piece: string, args: readonly unknown[], work: Work): string {
  if (piece === '{{' || piece === '}}') return piece.slice(1);
  if (piece === '{' || piece === '}') {
    const problem = `format() got a single "${piece}" (a literal one is written "${piece}${piece}")`;
    throw work.refuse(problem);
  }
  if (!piece.startsWith('{')) return piece;
  const index = Number(piece.slice(1, -1));
  if (index >= args.length) throw work.refuse(`format() got no value for ${piece}`);
  return toText(args[index], work);
}

function join([items, separator = ',']: readonly unknown[], work: Work): string {
  if (!isList(items)) return toText(items, work);
  const between = toText(separator, work);
  return concatenate(
    'join() gives',
    items.map((item, index) => () => (index === 0 ? '' : between) + toText(item, work)),
    work,
  );
}

/** Pieces are made one by one, so that a text beyond the limit is never built. */
function concatenate(subject: string, pieces: readonly (() => string)[], work: Work): string {
  let text = '';
  for (const piece of pieces) {
    work.spend(STEPS_OF.piece);
    text += piece();
    if (text.length > RESULT_LENGTH_MAX) throw work.refuse(tooLong(subject));
  }
  return text;
}
