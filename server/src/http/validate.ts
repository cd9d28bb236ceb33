/** Validation of documents from outside by JSON Schema (2019-09), with all problems at once. */
import { createRequire } from 'node:module';
import { OrchestratorError } from '@tutti/manifests';
import type { SchemaObject } from 'ajv/dist/2019.js';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { LIMITS } from '../runtime/limits.ts';
import { formatProblem, type Problem, problemsOf } from './problems.ts';

export { formatPath, formatProblem, type Problem } from './problems.ts';

export interface Validator<T> {
  /** Empty when the value fits. Costs little then; problems are only looked for when there are some. */
  problems(value: unknown): readonly Problem[];
  /** The value itself, typed. Throws `Invalid` with `message` and all problems as the text `details.error`. */
  parse(value: unknown, message: string): T;
}

/**
 * A validator of a schema; compiled when it is first used, once per schema (make it at module level, or keep it). What it
 * accepts is the type of the schema.
 */
export function createValidator<const Schema extends JSONSchema>(
  schema: Schema,
): Validator<FromSchema<Schema>> {
  const fits = lazily(() => compile(schema, { allErrors: false }));
  const explain = lazily(() => compile(schema, { allErrors: true }));
  const problems = (value: unknown): readonly Problem[] => {
    if (fits()(value)) return [];
    // Each wrong value makes several error objects, so a huge wrong document is only checked up to the first.
    const validate = isSmall(value) ? explain() : fits();
    validate(value);
    return problemsOf(validate.errors ?? [], value);
  };
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

/** `Invalid` with the problems, at most as many as anybody reads, one per line of `details.error`. */
export function invalidDocument(message: string, problems: readonly string[]): OrchestratorError {
  const told = problems.slice(0, LIMITS.problemsTold);
  const rest = problems.length - told.length;
  const error = [...told, ...(rest > 0 ? [`... and ${rest} more problems`] : [])].join('\n');
  return new OrchestratorError('Invalid', message, { details: { error } });
}

function compile(schema: JSONSchema, { allErrors }: { readonly allErrors: boolean }) {
  // Loaded at the first validation: 40 ms and 14 MiB that a server without work does not need.
  const { Ajv2019 } = createRequire(import.meta.url)(
    'ajv/dist/2019.js',
  ) as typeof import('ajv/dist/2019.js');
  const ajv = new Ajv2019({
    allErrors,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    // Alternatives of one value, and requirements of some alternatives, are how the specification words its rules.
    strictRequired: false,
    strictTypes: false,
    validateFormats: false,
  });
  // Two descriptions of one thing: the types of the two libraries differ in optional properties only.
  return ajv.compile(schema as SchemaObject);
}

function lazily<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

function isSmall(root: unknown): boolean {
  let left: number = LIMITS.documentValuesExplained;
  const visit = (value: unknown): boolean => {
    left -= 1;
    if (typeof value !== 'object' || value === null) return left >= 0;
    return left >= 0 && Object.values(value).every(visit);
  };
  return visit(root);
}
