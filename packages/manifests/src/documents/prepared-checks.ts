/** Checks of schemas that were compiled at build time. The build replaces this module; the sources have no such checks. */
import type { ErrorObject } from 'ajv';

/** True for values that fit the schema. */
export type PreparedCheck = (value: unknown) => boolean;

/** A check that keeps the errors of the value that it saw last. */
export interface ExplainingCheck extends PreparedCheck {
  readonly errors?: readonly ErrorObject[] | null;
}

/** Checks by the JSON text of their schemas. A schema that differs by a word is compiled. */
export const PREPARED_CHECKS: ReadonlyMap<string, PreparedCheck> = new Map();

/**
 * Checks that find all problems of a value, by the JSON text of their schemas. Only the schema that takes long to compile has one. It is
 * loaded at its first use.
 */
export const EXPLAINING_CHECKS: ReadonlyMap<string, () => ExplainingCheck> = new Map();
