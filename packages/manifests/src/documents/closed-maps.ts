/**
 * Maps that take any key, as `additionalProperties: true` of their schema says: existing workflows may have keys there that nothing
 * reads. The checks of documents warn of these keys, and editors mark them.
 */
import type { JSONSchema } from 'json-schema-to-ts';

const CLOSED = new WeakSet<object>();

/** The same schema, where such maps accept only the keys that the schema names. */
export function withClosedMaps(schema: JSONSchema): JSONSchema {
  // Both are JSON Schemas; only the value of one keyword differs.
  return closed(schema) as JSONSchema;
}

function closed(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closed);
  const entries = Object.entries(node).map(([keyword, value]) => [keyword, closed(value)] as const);
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  if (copy.additionalProperties !== true) return copy;
  copy.additionalProperties = false;
  CLOSED.add(copy);
  return copy;
}

/** True if `withClosedMaps` closes the map that this schema describes. */
export const takesAnyKey = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && CLOSED.has(schema);
