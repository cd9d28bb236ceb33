/** Fields of test cases, jobs and tags, as the definitions of sections name them. */
import { OrchestratorError } from '@tutti/manifests';

/** Reads the value of a field in one item; undefined where the item has none. */
export type Field = (item: unknown) => unknown;

const PATH = /^[a-z_][\w-]*(?:\.[\w-]+|\['[^']+'\]|\["[^"]+"\]|\[\d+\])*$/i;
const STEP = /[\w-]+|\['[^']+'\]|\["[^"]+"\]/g;

/** Reads `test.job`, `spec.variables['A.B']` and, where the first of several that is there counts, `a.b || a.c`. Throws `Invalid`. */
export function readField(text: string): Field {
  const paths = pathsOf(text);
  return (item) => {
    for (const path of paths) {
      const found = follow(item, path);
      if (found !== undefined && found !== null && found !== '') return found;
    }
    return undefined;
  };
}

/** The paths of a field, the names in each. Throws `Invalid`. */
export const pathsOf = (text: string): readonly (readonly string[])[] =>
  text.split('||').map((part) => readPath(part.trim()));

function readPath(text: string): readonly string[] {
  if (!PATH.test(text)) {
    throw new OrchestratorError('Invalid', `must be a field such as test.job, not "${text}"`);
  }
  return (text.match(STEP) ?? []).map((step) => step.replace(/^\[["']|["']\]$/g, ''));
}

function follow(item: unknown, path: readonly string[]): unknown {
  let value: unknown = item;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

/** One line of text for the value of a field: items of a list after each other. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Null for a value that is no number. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'boolean' || value === '' || value === null) return null;
  const number =
    typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
