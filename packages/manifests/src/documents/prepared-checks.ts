/** Checks of schemas that were compiled beforehand. Bundles have them in place of this module; sources have none. */

/** True for values that fit the schema. */
export type PreparedCheck = (value: unknown) => boolean;

/** By the text of the schema as JSON, so that a schema that is another one by a word is compiled. */
export const PREPARED_CHECKS: ReadonlyMap<string, PreparedCheck> = new Map();
