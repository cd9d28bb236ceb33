/** Checks of schemas that were compiled at build time. The build replaces this module; the sources have no such checks. */

/** True for values that fit the schema. */
export type PreparedCheck = (value: unknown) => boolean;

/** Checks by the JSON text of their schemas. A schema that differs by a word is compiled. */
export const PREPARED_CHECKS: ReadonlyMap<string, PreparedCheck> = new Map();
