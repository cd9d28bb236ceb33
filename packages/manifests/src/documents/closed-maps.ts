/**
 * Maps that take any key, as `additionalProperties: true` of their schema says: existing workflows may have keys there that nothing
 * reads. Whoever checks a document warns of these keys, and editors mark them.
 */
import type { JSONSchema } from 'json-schema-to-ts';

const CLOSED = new WeakSet<object>();

/** The same schema where such maps take no other keys than the schema names. */
export function withClosedMaps(schema: JSONSchema): JSONSchema {
  // Both are JSON Schema; only one keyword has another value.
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

/** Whether `withClosedMaps` closed the map that this schema describes. */
export const takesAnyKey = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && CLOSED.has(schema);
