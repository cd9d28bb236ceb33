/**
 * Maps that take any key, as `additionalProperties: true` of their schema says: existing workflows may have keys there that nothing
 * reads. The checks of documents warn of these keys, and editors mark them.
 */
import type { JSONSchema } from 'json-schema-to-ts';

/** A mark in the schema itself: checks that were compiled at build time hold a copy of it. */
const CLOSED = 'takes any key';

/** A copy of a schema in which maps accept only the keys that the schema names. */
export function withClosedMaps(schema: JSONSchema): JSONSchema {
  // Both are JSON Schemas; only the values of two keywords differ.
  return closed(schema) as JSONSchema;
}

function closed(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closed);
  const entries = Object.entries(node).map(([keyword, value]) => [keyword, closed(value)] as const);
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  if (copy.additionalProperties !== true) return copy;
  return { ...copy, additionalProperties: false, $comment: CLOSED };
}

/** True if `withClosedMaps` closes the map that this schema describes. */
export const takesAnyKey = (schema: unknown): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  '$comment' in schema &&
  schema.$comment === CLOSED;
