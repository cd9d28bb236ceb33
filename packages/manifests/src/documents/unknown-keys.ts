/** Keys that nothing reads, where existing servers take any: an author hears of them, and the document counts. */
import type { DocumentPath, Problem } from './problem.ts';
import { unknownKey } from './schema-problems.ts';

/** `value` lies at `path`. What is no map has none. */
export function unknownKeys(
  value: unknown,
  schema: { readonly properties: object },
  path: DocumentPath,
): readonly Problem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value)
    .filter((key) => !Object.hasOwn(schema.properties, key))
    .map((key) => ({
      path,
      message: `unknown key "${key}"`,
      ...unknownKey(key, schema),
      isWarning: true,
    }));
}
