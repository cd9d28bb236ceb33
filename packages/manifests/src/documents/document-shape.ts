/** Limits for the values of a document, in any format. */
import { DOCUMENT_LIMITS } from './document-limits.ts';
import type { ProblemPlace } from './problem.ts';

export interface MisshapenPlace extends ProblemPlace {
  readonly message: string;
}

export const TOO_DEEP: string = `values may be nested ${DOCUMENT_LIMITS.depth} levels deep at most`;
const TOO_MANY = `a document may have ${DOCUMENT_LIMITS.values} values at most, with all that aliases repeat`;

const TOO_LONG = `the texts of a document may have ${DOCUMENT_LIMITS.yamlTexts} characters at most, with all that aliases repeat`;

/** True if all maps together have more different keys than a document may have. */
export function hasTooManyKeys(root: unknown): boolean {
  const keys = new Set<string>();
  const visit = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some(visit);
    for (const key of Object.keys(value)) keys.add(key);
    return keys.size > DOCUMENT_LIMITS.keys || Object.values(value).some(visit);
  };
  return visit(root);
}

/**
 * The first value beyond the limits, after references are resolved. Later readers see a tree, in which a
 * value that is referenced ten times counts ten times. Null when there is none.
 */
export function misshapenPlace(root: unknown): MisshapenPlace | null {
  let count = 0;
  let length = 0;
  // One path that the walk updates: documents have a million values.
  const path: (string | number)[] = [];
  const visit = (value: unknown): MisshapenPlace | null => {
    count += 1;
    if (count > DOCUMENT_LIMITS.values) return { path: [...path], message: TOO_MANY };
    if (typeof value === 'string') length += value.length;
    if (length > DOCUMENT_LIMITS.yamlTexts) return { path: [...path], message: TOO_LONG };
    if (typeof value !== 'object' || value === null) return null;
    if (path.length >= DOCUMENT_LIMITS.depth) return { path: [...path], message: TOO_DEEP };
    if (Object.hasOwn(value, '__proto__')) {
      return { path: [...path], key: '__proto__', message: 'the key "__proto__" is not allowed' };
    }
    const isList = Array.isArray(value);
    for (const [key, child] of Object.entries(value)) {
      path.push(isList ? Number(key) : key);
      if (!isList) length += key.length;
      const found = visit(child);
      if (found !== null) return found;
      path.pop();
    }
    return null;
  };
  return visit(root);
}
