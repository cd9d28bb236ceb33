/** Places of the fields and labels that a subscription names. */
import { parseFieldPath } from './parse-selector.ts';

/**
 * Null for a field that no event has. The specification's pattern allows two dots in a row, but no field has an empty name. Throws
 * `Invalid` for what cannot be looked up.
 */
export function fieldPath(key: string): readonly string[] | null {
  const hasEmptyName = !/[[\]]/.test(key) && key.slice(1, -1).includes('..');
  return hasEmptyName ? null : parseFieldPath(key);
}

export const labelPath = (name: string): readonly string[] => ['metadata', 'labels', name];
