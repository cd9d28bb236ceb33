/**
 * Inputs of workflows and of provider functions: given values, checked against the declarations (wire facts 1.11). The
 * message texts are the ecosystem's, word for word.
 */
import { shownValue } from './shown-value.ts';
import { isOrchestratorError, OrchestratorError } from './status.ts';

export type InputType = 'string' | 'number' | 'boolean' | 'choice';

/** Without a `type`, any value is allowed: a text, a list, a map. */
export interface InputDeclaration {
  readonly description: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly type?: InputType;
  /** The allowed values of a `choice`. */
  readonly options?: readonly string[];
}

/** Declarations by name. A name that begins with `{` stands for any further inputs, which are kept unchanged. */
export type InputDeclarations = Readonly<Record<string, InputDeclaration>>;
export type InputValues = Readonly<Record<string, unknown>>;

/** A value in a message is cut to this length, in characters: values may be whole documents. */
const QUOTED_LENGTH_MAX = 200;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INTEGER = /^[-+]?\d+$/;

/**
 * The value of every declared input. It is the given value as the declared type, else the default, else the empty value. A null counts as
 * not given; a name given with `_` matches a declared name with `-`. Throws `Invalid`: its message is the first problem, `details.error`
 * has all of them (an answer drops the first one).
 */
export function evaluateInputs(declared: InputDeclarations, given: InputValues): InputValues {
  const { values, problems } = readInputs(declared, given);
  const [first] = problems.map(({ message }) => message);
  if (first === undefined) return Object.fromEntries(values);
  const error = problems.map(({ message }) => message).join('\n');
  throw new OrchestratorError('Invalid', first, { details: { error } });
}

/** All problems for which `evaluateInputs` throws, with the places of the wrong values. */
export function problemsOfGiven(
  declared: InputDeclarations,
  given: InputValues,
): readonly InputProblem[] {
  return readInputs(declared, given).problems;
}

interface InputReading {
  /** The evaluated inputs. A wrong value is kept as it was given. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly InputProblem[];
}

function readInputs(declared: InputDeclarations, given: InputValues): InputReading {
  const problems: InputProblem[] = [];
  const collect = (path: readonly string[], evaluate: () => void): void => {
    try {
      evaluate();
    } catch (error) {
      if (!isOrchestratorError(error)) throw error;
      problems.push({ path, message: error.message });
    }
  };
  for (const name of Object.keys(given)) collect([name], () => refuseTwice(declared, given, name));
  const provided = alignNames(declared, given);
  const values = new Map([...provided].map(([name, { value }]) => [name, value]));
  collect([], () => refuseUnexpected(declared, values));
  for (const [name, declaration] of Object.entries(declared)) {
    if (isPattern(name)) continue;
    const path = provided.get(name)?.path ?? [];
    collect(path, () => values.set(name, inputValue(name, declaration, values.get(name))));
  }
  return { values, problems };
}

export interface InputProblem {
  /** Path from the map of inputs: `['browser', 'default']`; empty for the map. */
  readonly path: readonly string[];
  /** A sentence. */
  readonly message: string;
}

/** Problems of the declarations themselves; empty when there are none. */
export function problemsOfInputs(declared: InputDeclarations): readonly InputProblem[] {
  return Object.entries(declared).flatMap(([name, declaration]) => [
    ...problemsOfOptions(name, declaration),
    ...problemsOfDefault(name, declaration),
  ]);
}

function isPattern(name: string): boolean {
  return name.startsWith('{');
}

function refuseTwice(declared: InputDeclarations, given: InputValues, name: string): void {
  const target = declaredNameOf(declared, name);
  if (target !== name && Object.hasOwn(given, target)) {
    throw invalid(`Both "${name}" and "${target}" specified in inputs.`);
  }
}

interface Provided {
  readonly value: unknown;
  /** The name as it was given. */
  readonly path: readonly string[];
}

/** Given inputs under their declared names. */
function alignNames(
  declared: InputDeclarations,
  given: InputValues,
): ReadonlyMap<string, Provided> {
  const provided = new Map<string, Provided>();
  for (const [name, value] of Object.entries(given)) {
    const target = declaredNameOf(declared, name);
    // An input that was given under two names is reported once.
    if (target !== name && Object.hasOwn(given, target)) continue;
    const path = [name];
    if (value !== null && value !== undefined) provided.set(target, { value, path });
    else if (!Object.hasOwn(declared, target)) provided.set(target, { value: '', path });
  }
  return provided;
}

function declaredNameOf(declared: InputDeclarations, name: string): string {
  const dashed = name.replaceAll('_', '-');
  return !Object.hasOwn(declared, name) && Object.hasOwn(declared, dashed) ? dashed : name;
}

function refuseUnexpected(
  declared: InputDeclarations,
  provided: ReadonlyMap<string, unknown>,
): void {
  const names = Object.keys(declared);
  if (names.some(isPattern)) return;
  const unexpected = [...provided.keys()].filter((name) => !Object.hasOwn(declared, name));
  if (unexpected.length === 0) return;
  throw invalid(
    `Unexpected inputs ${quoteAll(unexpected)} found.  Allowed inputs: ${quoteAll(names) || 'none'}.`,
  );
}

function inputValue(name: string, declaration: InputDeclaration, value: unknown): unknown {
  if (value !== undefined) return convert(name, declaration, value);
  if (declaration.required === true) throw invalid(`Mandatory input "${name}" not provided.`);
  return declaration.default ?? emptyValue(declaration.type);
}

function emptyValue(type: InputType | undefined): unknown {
  if (type === 'number') return 0;
  return type === 'boolean' ? false : '';
}

function convert(name: string, declaration: InputDeclaration, value: unknown): unknown {
  switch (declaration.type) {
    case 'number':
      return toNumber(name, value);
    case 'boolean':
      return toBoolean(name, value);
    case 'choice':
      return toChoice(name, declaration.options ?? [], value);
    case 'string':
      return textOf(value);
    default:
      return value;
  }
}

function toNumber(name: string, value: unknown): number {
  const text = textOf(value).trim();
  const number = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(number)) {
    throw invalid(`${invalidValue(name, value)}  Expected a number.`);
  }
  if (INTEGER.test(text) && !Number.isSafeInteger(number)) {
    throw invalid(`${invalidValue(name, value)}  Expected a number of at most 15 digits.`);
  }
  return number;
}

function toBoolean(name: string, value: unknown): boolean {
  const text = textOf(value).toLowerCase();
  if (text !== 'true' && text !== 'false') throw notAllowed(name, ['true', 'false'], value);
  return text === 'true';
}

function toChoice(name: string, options: readonly string[], value: unknown): string {
  const text = textOf(value);
  if (!options.includes(text)) throw notAllowed(name, options, value);
  return text;
}

function notAllowed(name: string, allowed: readonly string[], value: unknown): OrchestratorError {
  return invalid(`${invalidValue(name, value)}  Allowed values: ${quoteAll(allowed)}.`);
}

function invalidValue(name: string, value: unknown): string {
  const text = textOf(value);
  // The whole value or nothing: a part of a secret would not be masked.
  const shown = text.length > QUOTED_LENGTH_MAX ? `(${text.length} characters)` : `"${text}"`;
  return `Input "${name}": Invalid value ${shown}.`;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function problemsOfOptions(
  name: string,
  { type, options }: InputDeclaration,
): readonly InputProblem[] {
  const isChoice = type === 'choice';
  if (isChoice && options === undefined) {
    const message = `Invalid "inputs" section, "${name}" is a choice and must have "options".`;
    return [{ path: [name], message }];
  }
  if (isChoice || options === undefined) return [];
  const message = `Invalid "inputs" section, "${name}" has "options" but is not a choice.`;
  return [{ path: [name, 'options'], message }];
}

function problemsOfDefault(name: string, declaration: InputDeclaration): readonly InputProblem[] {
  const value = declaration.default;
  const wanted = wantedOfDefault(declaration);
  if (value === undefined || wanted === null) return [];
  const message = `${badDefault(name)} must be ${wanted}, got ${shownValue(value)}.`;
  return [{ path: [name, 'default'], message }];
}

/** The kind of value that a default must have; null when the default is valid. */
function wantedOfDefault({ type, options, default: value }: InputDeclaration): string | null {
  if (type === undefined) return null;
  if (type !== 'choice') return typeof value === type ? null : `a ${type}`;
  // Another problem reports that the options are missing.
  if (options === undefined) return null;
  const isOption = typeof value === 'string' && options.includes(value);
  return isOption ? null : `one of ${quoteAll(options)}`;
}

function badDefault(name: string): string {
  return `Invalid "inputs" section, default value for "${name}"`;
}

/** Texts that a message quotes at most: nobody reads more. */
const NAMED_MAX = 50;

function quoteAll(texts: readonly string[]): string {
  const named = texts.slice(0, NAMED_MAX).map((text) => `"${text}"`);
  const more = texts.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function invalid(message: string): OrchestratorError {
  return new OrchestratorError('Invalid', message);
}
