/** Validation of documents from outside by JSON Schema (2019-09), with all problems at once. */
import type { Ajv2019, SchemaObject } from 'ajv/dist/2019.js';
import type { JSONSchema } from 'json-schema-to-ts';
import { withClosedMaps } from './closed-maps.ts';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import {
  EXPLAINING_CHECKS,
  type ExplainingCheck,
  PREPARED_CHECKS,
  type PreparedCheck,
} from './prepared-checks.ts';
import type { Problem } from './problem.ts';
import { problemsOf } from './schema-problems.ts';

/** The library that checks values. It is large, so callers load it on demand. */
export interface SchemaLibrary {
  readonly Ajv2019: typeof Ajv2019;
}

/** Returns the problems of a value; empty when it fits. A fitting value costs little, since problems are found in a second run. */
export type SchemaValidator = (value: unknown) => readonly Problem[];

/** The problem of a value that does not fit its schema where nothing more precise is known. */
const MISFIT: Problem = { path: [], message: 'does not fit the schema' };

const VALIDATORS = new WeakMap<object, SchemaValidator>();

/** A validator of a schema, which must never change. It is compiled at its first use, once for each schema. */
export function createSchemaValidator(
  schema: Exclude<JSONSchema, boolean>,
  load: () => SchemaLibrary,
): SchemaValidator {
  const present = VALIDATORS.get(schema);
  if (present !== undefined) return present;
  const validator = newValidator(schema, load);
  VALIDATORS.set(schema, validator);
  return validator;
}

function newValidator(schema: JSONSchema, load: () => SchemaLibrary): SchemaValidator {
  const text = () => JSON.stringify(schema);
  const first = lazily(() => compile(load(), schema, { allErrors: false }));
  const fits = lazily<PreparedCheck>(() => PREPARED_CHECKS.get(text()) ?? first());
  const explain = lazily<ExplainingCheck>(
    () =>
      EXPLAINING_CHECKS.get(text())?.() ??
      compile(load(), withClosedMaps(schema), { allErrors: true }),
  );
  return (value) => {
    if (fits()(value)) return [];
    // Each wrong value makes several error objects, so a huge wrong document is only checked up to the first.
    const validate: ExplainingCheck = isSmallDocument(value) ? explain() : first();
    validate(value);
    const problems = problemsOf(validate.errors ?? [], value);
    const hasError = problems.some(({ isWarning }) => isWarning !== true);
    return hasError ? problems : [...problems, MISFIT];
  };
}

/** Options for every compiler of schemas. */
export const SCHEMA_OPTIONS = {
  strict: true,
  allowUnionTypes: true,
  // Alternatives of one value, and requirements of some alternatives, are how the specification words its rules.
  strictRequired: false,
  strictTypes: false,
  validateFormats: false,
  // The schemas are ours, and a test checks them: checking them here takes longer than compiling some of them.
  validateSchema: false,
} as const;

function compile(
  library: SchemaLibrary,
  schema: JSONSchema,
  { allErrors }: { readonly allErrors: boolean },
) {
  const ajv = new library.Ajv2019({ ...SCHEMA_OPTIONS, allErrors, verbose: true });
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

/** True for documents with at most `valuesMax` values. By default, all problems of such documents are reported. */
export function isSmallDocument(
  root: unknown,
  valuesMax: number = DOCUMENT_LIMITS.valuesExplained,
): boolean {
  let left = valuesMax;
  const visit = (value: unknown): boolean => {
    left -= 1;
    if (typeof value !== 'object' || value === null) return left >= 0;
    return left >= 0 && Object.values(value).every(visit);
  };
  return visit(root);
}
