/** Unknown keys, where existing servers accept any: they are reported to the author, and the document is valid. */
import type { DocumentPath, Problem } from './problem.ts';
import { unknownKey } from './schema-problems.ts';

/** Problems of the unknown keys of `value`, which lies at `path`. A value that is no map has none. */
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
