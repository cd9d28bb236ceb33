/** Where the fields and labels stand that a subscription names. */
import { parseFieldPath } from './parse-selector.ts';

/**
 * Null for a field that no event has: the specification's pattern of keys lets dots follow each other, and no field has an empty name.
 * Throws `Invalid` for what cannot be looked up.
 */
export function fieldPath(key: string): readonly string[] | null {
  const hasEmptyName = !/[[\]]/.test(key) && key.slice(1, -1).includes('..');
  return hasEmptyName ? null : parseFieldPath(key);
}

export const labelPath = (name: string): readonly string[] => ['metadata', 'labels', name];
