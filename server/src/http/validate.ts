/** Validates documents from outside by JSON Schema, and makes the refusals with their problems. */
import { createRequire } from 'node:module';
import { countOf, OrchestratorError } from '@tutti/manifests';
import {
  createSchemaValidator,
  DOCUMENT_LIMITS,
  formatProblem,
  type Problem,
  type SchemaLibrary,
} from '@tutti/manifests/documents';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

export { formatPath, formatProblem, type Problem } from '@tutti/manifests/documents';

export interface Validator<T> {
  /** Empty when the value fits. Costs little then; problems are only looked for when there are some. */
  problems(value: unknown): readonly Problem[];
  /** The value itself, typed. Throws `Invalid` with `message` and all problems as the text `details.error`. */
  parse(value: unknown, message: string): T;
}

/** Loaded at the first validation: 40 ms and 14 MiB that a server without work does not need. */
export const loadSchemaLibrary = () =>
  createRequire(import.meta.url)('ajv/dist/2019.js') as SchemaLibrary;

/**
 * Validator of a schema, compiled once, on first use. Create it at module level, or keep it. Accepted values have the type of the
 * schema.
 */
export function createValidator<const Schema extends Exclude<JSONSchema, boolean>>(
  schema: Schema,
): Validator<FromSchema<Schema>> {
  const problems = createSchemaValidator(schema, loadSchemaLibrary);
  return {
    problems,
    parse: (value, message) => {
      const found = problems(value);
      if (found.length > 0) throw invalidDocument(message, found.map(formatProblem));
      // The schema is the type.
      return value as FromSchema<Schema>;
    },
  };
}

/** Finders of problems for values of each kind, by its schema. Nobody needs the types of the values. */
export function problemsByKind<Kind extends string>(
  schemas: Readonly<Record<Kind, Exclude<JSONSchema, boolean>>>,
): Readonly<Record<Kind, Validator<unknown>['problems']>> {
  const all = Object.entries<Exclude<JSONSchema, boolean>>(schemas);
  const finders = all.map(([kind, schema]) => [
    kind,
    createSchemaValidator(schema, loadSchemaLibrary),
  ]);
  // The kinds are the keys.
  return Object.fromEntries(finders) as Readonly<Record<Kind, Validator<unknown>['problems']>>;
}

/** `Invalid` with the problems, at most as many as anybody reads, one per line of `details.error`. `count` is that of all. */
export function invalidDocument(
  message: string,
  problems: readonly string[],
  count: number = problems.length,
): OrchestratorError {
  const { shown, moreCount } = shownOf(problems, count);
  const more = moreCount > 0 ? [`... and ${countOf(moreCount, 'more problem')}`] : [];
  const error = [...shown, ...more].join('\n');
  return new OrchestratorError('Invalid', message, { details: { error } });
}

/** A limited number of `count` texts, and the number of the rest. */
export function shownOf(texts: readonly string[], count: number) {
  const shown = texts.slice(0, DOCUMENT_LIMITS.problemsMax);
  return { shown, moreCount: count - shown.length };
}
