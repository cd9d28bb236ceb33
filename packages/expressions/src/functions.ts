/** The built-in functions (wire facts 6.4). Their names, as all names of functions, are found regardless of case. */
import { datePart } from './date-parts.ts';
import { DEPTH_MAX, RESULT_LENGTH_MAX } from './limits.ts';
import { isDeeperThan, isEqual, isList, isMap, toText } from './values.ts';

/** Makes the error of a call; the caller knows the expression and the position. */
export type Refuse = (problem: string, cause?: unknown) => Error;

export interface BuiltInFunction {
  readonly name: string;
  readonly argsMin: number;
  readonly argsMax: number;
  /** Gets as many arguments as the bounds allow. */
  apply(args: readonly unknown[], refuse: Refuse): unknown;
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
).map((part) => unary(part, ([text]) => datePart(text, part)));

const functions: readonly BuiltInFunction[] = [
  binary('contains', ([container, item], refuse) => contains(container, item, refuse)),
  binary('startsWith', ([text, start]) => lower(text).startsWith(lower(start))),
  binary('endsWith', ([text, end]) => lower(text).endsWith(lower(end))),
  unary('fromJSON', ([text], refuse) => fromJson(toText(text), refuse)),
  unary('toJSON', ([value], refuse) => toJson(value, refuse)),
  { name: 'format', argsMin: 1, argsMax: Number.POSITIVE_INFINITY, apply: format },
  { name: 'join', argsMin: 1, argsMax: 2, apply: join },
  ...dateFunctions,
];

const functionsByName = new Map(functions.map((entry) => [entry.name.toLowerCase(), entry]));

/** The built-in function of a name, if there is one. */
export function findBuiltInFunction(name: string): BuiltInFunction | undefined {
  return functionsByName.get(name.toLowerCase());
}

function lower(value: unknown): string {
  return toText(value).toLowerCase();
}

function contains(container: unknown, item: unknown, refuse: Refuse): boolean {
  if (isList(container)) return container.some((entry) => isEqual(entry, item));
  if (isMap(container)) throw refuse('contains() looks in a text or a list, not in a map');
  return lower(container).includes(lower(item));
}

function fromJson(text: string, refuse: Refuse): unknown {
  if (text.length > RESULT_LENGTH_MAX) throw refuse(tooLong('fromJSON() gets'));
  const value = parseJson(text, refuse);
  if (isDeeperThan(value, DEPTH_MAX)) {
    throw refuse(`fromJSON() got lists or maps nested deeper than ${DEPTH_MAX}`);
  }
  return value;
}

function parseJson(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse('fromJSON() got a text that is not valid JSON', error);
  }
}

function toJson(value: unknown, refuse: Refuse): string {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length > RESULT_LENGTH_MAX) throw refuse(tooLong('toJSON() gives'));
  return text;
}

const FORMAT_PIECE = /\{\{|\}\}|\{\d{1,5}\}|[{}]|[^{}]+/g;

function format([template, ...args]: readonly unknown[], refuse: Refuse): string {
  const pieces = toText(template).match(FORMAT_PIECE) ?? [];
  return concatenate(
    pieces.map((piece) => () => formatPiece(piece, args, refuse)),
    () => refuse(tooLong('format() gives')),
  );
}

function formatPiece(piece: string, args: readonly unknown[], refuse: Refuse): string {
  if (piece === '{{' || piece === '}}') return piece.slice(1);
  if (piece === '{' || piece === '}') {
    throw refuse(`format() got a single "${piece}" (a literal one is written "${piece}${piece}")`);
  }
  if (!piece.startsWith('{')) return piece;
  const index = Number(piece.slice(1, -1));
  if (index >= args.length) throw refuse(`format() got no value for ${piece}`);
  return toText(args[index]);
}

function join([items, separator = ',']: readonly unknown[], refuse: Refuse): string {
  if (!isList(items)) return toText(items);
  const between = toText(separator);
  return concatenate(
    items.map((item, index) => () => (index === 0 ? '' : between) + toText(item)),
    () => refuse(tooLong('join() gives')),
  );
}

/** Pieces are made one by one, so that a text beyond the limit is never built. */
function concatenate(pieces: readonly (() => string)[], tooLongError: () => Error): string {
  let text = '';
  for (const piece of pieces) {
    text += piece();
    if (text.length > RESULT_LENGTH_MAX) throw tooLongError();
  }
  return text;
}

function tooLong(subject: string): string {
  return `${subject} more than ${RESULT_LENGTH_MAX} characters`;
}
