/** Turns errors of the validator into readable problems: each once, with its path, in the words of the document. */

import type { ErrorObject } from 'ajv';
import { dictionary } from '../dictionary.ts';
import { takesAnyKey } from './closed-maps.ts';
import { ErrorIndex, isChoice } from './error-index.ts';
import { nearestName } from './nearest-name.ts';
import { formatProblem, type Problem } from './problem.ts';

/** Errors of the alternatives of `anyOf` and `oneOf` become one problem, at the place of the choice. */
export function problemsOf(errors: readonly ErrorObject[], root: unknown): readonly Problem[] {
  const index = new ErrorIndex(errors);
  const found = errors
    // The branches of a condition report their own errors.
    .filter(({ keyword }) => keyword !== 'if')
    .filter((error) => !index.isBelowOther(error))
    .flatMap((error) => explain(error, index, root));
  const misspelt = new Set(found.flatMap(({ nearest, path }) => placed(path, nearest)));
  const lacking = new Set(
    found.flatMap(({ path, missing = [] }) => missing.flatMap((name) => placed(path, name))),
  );
  const seen = new Set<string>();
  return found.flatMap((problem) => {
    const { nearest } = problem;
    const text = formatProblem(problem);
    // The missing key is there under a misspelt name, which another problem reports.
    const isReported = (problem.missing ?? []).some((name) =>
      misspelt.has(placed(problem.path, name).join()),
    );
    if (isReported || seen.has(text)) return [];
    seen.add(text);
    const isLacking = lacking.has(placed(problem.path, nearest).join());
    if (!isLacking || nearest === undefined) return [problem];
    // In the place of the problem that a key is missing.
    const { isWarning: _, ...error } = problem;
    return [{ ...error, meant: nearest }];
  });
}

const placed = (path: Problem['path'], key: string | undefined): readonly string[] =>
  key === undefined ? [] : [JSON.stringify([...path, key])];

function explain(error: ErrorObject, index: ErrorIndex, root: unknown): readonly Problem[] {
  const path = pathOf(error.instancePath, root);
  if (isChoice(error)) return explainChoice(error, index, root, path);
  return [{ path, message: sentence(error, index), ...more(error) }];
}

/** Details of a problem beside its message. */
function more(error: ErrorObject): Omit<Problem, 'path' | 'message'> {
  const { keyword, params } = error;
  switch (keyword) {
    case 'additionalProperties':
      return {
        ...unknownKey(String(params.additionalProperty), error.parentSchema),
        ...(takesAnyKey(error.parentSchema) ? { isWarning: true } : {}),
      };
    case 'propertyNames':
      return { key: String(params.propertyName) };
    case 'required':
      return { missing: [String(params.missingProperty)], ...otherCase(error) };
    case 'type':
      return lineWithoutColon(error);
    case 'enum':
    case 'const':
      return hinted(nearestValue(error));
    default:
      return {};
  }
}

/** A hint for YAML that lacks a colon behind a key, or the blank behind a dash. */
function lineWithoutColon({ data, params, parentSchema }: ErrorObject): Pick<Problem, 'hint'> {
  if (params.type === 'array') {
    const isOfDashes = Object.keys(Object(data)).some((key) => /^-\S/.test(key));
    return isOfDashes ? { hint: 'a blank is missing behind "-"' } : {};
  }
  if (params.type !== 'object' || typeof data !== 'string') return {};
  const [, key = '', colon] = /^([\w-]+)(:?)/.exec(data) ?? [];
  if (!Object.hasOwn(parentSchema?.properties ?? {}, key)) return {};
  return { hint: `${colon === ':' ? 'a blank' : '":"'} is missing behind the key "${key}"` };
}

/** A hint about a key that differs from a missing one only by its case. The map accepts any key. */
function otherCase({ data, params, parentSchema }: ErrorObject): Pick<Problem, 'hint'> {
  if (parentSchema?.additionalProperties === false) return {};
  const missing = String(params.missingProperty).toLowerCase();
  const written = Object.keys(Object(data)).find((key) => key.toLowerCase() === missing);
  return written === undefined ? {} : { hint: `"${written}" is another key` };
}

/** Names of keys in other workflow languages. */
const SYNONYMS: Readonly<Record<string, readonly string[] | undefined>> = dictionary<
  readonly string[] | undefined
>({
  'allow-failure': ['continue-on-error'],
  cwd: ['working-directory'],
  'depends-on': ['needs'],
  desc: ['description', 'name'],
  description: ['name'],
  env: ['variables'],
  environment: ['variables'],
  parameters: ['inputs'],
  prefix: ['categoryPrefix'],
  script: ['run'],
  tags: ['runs-on'],
  timeout: ['timeout-minutes'],
  version: ['categoryVersion'],
  'work-dir': ['working-directory'],
  workdir: ['working-directory'],
  'working-dir': ['working-directory'],
});

/** A hint for a key that the schema does not have: the nearest key, or a synonym. */
export function unknownKey(
  key: string,
  schema: object | undefined,
): Omit<Problem, 'path' | 'message'> {
  const known = schema !== undefined && 'properties' in schema ? schema.properties : {};
  const names = typeof known === 'object' && known !== null ? Object.keys(known) : [];
  if (key.startsWith('$') && nearestName(key, ['$schema']) !== null) {
    return { key, hint: SCHEMA_IN_COMMENT };
  }
  const synonyms = SYNONYMS[key.toLowerCase().replaceAll('_', '-')] ?? [];
  // `strategy` has the key `matrix`, one level deeper.
  if (key === 'matrix' && names.includes('strategy')) {
    return { key, ...hinted('strategy.matrix') };
  }
  const nearest = synonyms.find((name) => names.includes(name)) ?? nearestName(key, names);
  return { key, ...hinted(nearest), ...(nearest === null ? {} : { nearest }) };
}

/** In a comment no program takes the schema for a part of the document. */
const SCHEMA_IN_COMMENT =
  'for editors, a comment names the schema: # yaml-language-server: $schema=FILE';

const hinted = (name: string | null): Pick<Problem, 'hint'> =>
  name === null ? {} : { hint: `did you mean "${name}"?` };

/** Edits in a value. Values may be long, and another group of versions is no misspelling. */
const VALUE_EDITS_MAX = 2;

/** The allowed text that a wrong one most likely means. */
function nearestValue({ data, params, parentSchema }: ErrorObject): string | null {
  if (typeof data !== 'string' || parentSchema?.writeOnly === true) return null;
  const allowed: unknown = params.allowedValues ?? [params.allowedValue];
  const texts = Array.isArray(allowed) ? allowed.filter((each) => typeof each === 'string') : [];
  return nearestName(data, texts, VALUE_EDITS_MAX);
}

function explainChoice(
  choice: ErrorObject,
  index: ErrorIndex,
  root: unknown,
  path: Problem['path'],
): readonly Problem[] {
  if (fitsTooManyOf(choice) !== null) return tooManyAlternatives(choice, path);
  const below = index.alternativesOf(choice);
  // An alternative that fails further inside is the intended one: an object among texts, a list among values.
  const inner = below.filter((error) => error.instancePath !== choice.instancePath);
  if (inner.length > 0) return problemsOf([...keyProblemsBeside(inner, below), ...inner], root);
  const required = below.filter(({ keyword }) => keyword === 'required');
  if (required.length === below.length) {
    const missing = required.map(({ params }) => String(params.missingProperty));
    const names = missing.map((name) => `"${name}"`);
    return [{ path, message: `must have ${either(names)}`, missing }];
  }
  return explainFailedAlternatives(
    below.filter((error) => !isChoice(error)),
    index,
    path,
  );
}

/** Errors about keys from those alternatives that also have errors further inside. */
function keyProblemsBeside(
  inner: readonly ErrorObject[],
  below: readonly ErrorObject[],
): readonly ErrorObject[] {
  return below.filter(({ keyword, schemaPath }) => {
    if (!['additionalProperties', 'propertyNames', 'required'].includes(keyword)) return false;
    const alternative = schemaPath.slice(0, -keyword.length);
    return inner.some((error) => error.schemaPath.startsWith(`${alternative}properties/`));
  });
}

const OF_CONTENT = [
  'required',
  'additionalProperties',
  'propertyNames',
  'minItems',
  'minProperties',
  'minLength',
];

/** A value of the right type was meant for that alternative; otherwise all alternatives are named. */
function explainFailedAlternatives(
  failed: readonly ErrorObject[],
  index: ErrorIndex,
  path: Problem['path'],
): readonly Problem[] {
  const ofContent = failed.filter(({ keyword }) => OF_CONTENT.includes(keyword));
  if (ofContent.length > 0) {
    return ofContent.map((error) => ({
      path,
      message: sentence(error, index),
      ...more(error),
    }));
  }
  const suffix = failed[0] === undefined ? '' : shown(failed[0]);
  const wanted = failed.map((error) => {
    const text = sentence(error, index).replace(/^must (?:be |(?=not be ))/, '');
    return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
  });
  if (lacksQuotes(failed)) return [{ path, ...withQuotes(failed[0]?.data, wanted) }];
  const message = `must be ${either([...new Set(wanted)])}${suffix}`;
  return [{ path, message, ...hintOfAlternatives(failed) }];
}

/** True for a number or a boolean in place of any text. */
const lacksQuotes = (failed: readonly ErrorObject[]): boolean =>
  failed.some(
    ({ data, params, parentSchema }) =>
      params.type === 'string' &&
      parentSchema?.pattern === undefined &&
      ['number', 'boolean'].includes(typeof data),
  );

/** A hint to use quotes. A number may be written differently from its value, such as 1.10 or 0755. */
function withQuotes(data: unknown, wanted: readonly string[]): Pick<Problem, 'message' | 'hint'> {
  const what = typeof data === 'number' ? 'a number' : String(data);
  return {
    message: `must be ${either([...new Set(wanted)])}, not ${what}`,
    hint: 'put it in quotes if it is a text',
  };
}

const NAMES_WITH_COMMAS = /^[\w.-]+(?:\s*,\s*[\w.-]+)+$/;

/** A hint for a text that fits none of the alternatives. */
function hintOfAlternatives(failed: readonly ErrorObject[]): Pick<Problem, 'hint'> {
  const data: unknown = failed[0]?.data;
  if (typeof data !== 'string') return {};
  const takesLists = failed.some(({ params }) => params.type === 'array');
  if (takesLists && NAMES_WITH_COMMAS.test(data) && data.length <= SHOWN_MAX) {
    return { hint: `write [${data.split(/\s*,\s*/).join(', ')}]` };
  }
  return failed.some((error) => titleOf(error) === 'a tag') ? { hint: TAG_HINT } : {};
}

const TAG_HINT = 'a tag begins with a letter and has only letters, digits and "-"';

/** Indices of two alternatives of a `oneOf` that both fit; null where none fits. The other alternatives were not checked. */
function fitsTooManyOf({ keyword, params }: ErrorObject): readonly number[] | null {
  const fitting: unknown = keyword === 'oneOf' ? params.passingSchemas : null;
  return Array.isArray(fitting) ? fitting : null;
}

function tooManyAlternatives(choice: ErrorObject, path: Problem['path']): readonly Problem[] {
  // A value that is no map fits several alternatives. A problem of its own reports the wrong type.
  if (typeof choice.data !== 'object' || choice.data === null || Array.isArray(choice.data)) {
    return [];
  }
  const alternatives: unknown = choice.schema;
  const fitting = fitsTooManyOf(choice) ?? [];
  const names = Array.isArray(alternatives)
    ? fitting.flatMap((index): string[] => alternatives[index]?.required ?? [])
    : [];
  const message =
    names.length === 0
      ? 'must fit one alternative only'
      : `must have only one of ${names.map((name) => `"${name}"`).join(' and ')}`;
  // No value is wrong by itself.
  return [{ path, message, missing: [] }];
}

const either = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;

function sentence(error: ErrorObject, index: ErrorIndex): string {
  const { keyword, params } = error;
  switch (keyword) {
    case 'additionalProperties':
      return `unknown key "${params.additionalProperty}"`;
    case 'required':
      return `"${params.missingProperty}" is missing`;
    case 'dependencies':
      return `"${params.property}" can only stand beside "${params.deps}"`;
    case 'propertyNames':
      return badName(error, index);
    case 'type':
      return `must be ${titleOf(error) ?? typeName(params.type)}${shown(error)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}${shown(error)}`;
    case 'enum':
      return `must be ${oneOf(params.allowedValues)}${shown(error)}`;
    case 'pattern':
      return `must be ${titleOf(error) ?? `text that matches ${params.pattern}`}${shown(error)}`;
    default:
      return bounds(error);
  }
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value));
  return texts.length === 1 ? texts.join() : `one of ${texts.join(', ')}`;
}

/** The title of a schema, or of a list's items, such as "a tag". It is easier to read than a pattern. */
function titleOf({ parentSchema }: ErrorObject): string | null {
  const title: unknown = parentSchema?.title;
  if (typeof title === 'string' && /^an? /.test(title)) return title;
  const item: unknown = parentSchema?.items?.title;
  return typeof item === 'string' && /^an? /.test(item)
    ? `a list of ${item.slice(2).trim()}s`
    : null;
}

function badName(error: ErrorObject, index: ErrorIndex): string {
  const cause = index.causeOf(error);
  const why = cause?.keyword === 'pattern' ? ` (it must match ${cause.params.pattern})` : '';
  return `${JSON.stringify(error.params.propertyName)} is not a valid name${why}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = dictionary<string>({
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
});

function typeName(type: unknown): string {
  const types = Array.isArray(type) ? type : [type];
  return either(types.map((name) => TYPE_NAMES[String(name)] ?? String(name)));
}

function bounds(error: ErrorObject): string {
  const { keyword, params, message } = error;
  const limit = String(params.limit);
  switch (keyword) {
    case 'minItems':
    case 'minProperties':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} entries`;
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${limit} entries`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'exclusiveMinimum':
      return `must be a number above ${limit}${shown(error)}`;
    case 'minimum':
      return `must be ${limit} or more${shown(error)}`;
    default:
      return message ?? `does not fit (${keyword})`;
  }
}

const SHOWN_MAX = 60;

/** `, not "x"`: the value in its place. A secret is not shown. */
function shown({ data, parentSchema }: ErrorObject): string {
  if (data === null) return ', not null';
  if (Array.isArray(data)) return ', not a list';
  if (typeof data === 'object') return ', not an object';
  const text = JSON.stringify(data) ?? '';
  if (parentSchema?.writeOnly === true) return `, not ${TYPE_NAMES[typeof data] ?? 'that'}`;
  return text.length <= SHOWN_MAX + 2 ? `, not ${text}` : '';
}

/** A path from a JSON pointer. The document decides whether a number is an index. */
function pathOf(pointer: string, root: unknown): (string | number)[] {
  const keys = pointer.split('/').slice(1);
  let value = root;
  return keys.map((escaped) => {
    const name = escaped.replace(/~1/g, '/').replace(/~0/g, '~');
    const key = Array.isArray(value) ? Number(name) : name;
    value =
      typeof value === 'object' && value !== null
        ? Object.getOwnPropertyDescriptor(value, key)?.value
        : undefined;
    return key;
  });
}
