/**
 * What stands in the place of parts that do not fit the schema where others speak of them: without it, an input that is wrong would
 * be one that is not there, and everybody who reads it wrong as well.
 */
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

/** Nothing is known of it, as of an expression. */
const UNKNOWN_MATRIX = 'unknown';

interface StandIn {
  readonly around: DocumentPath;
  readonly key: string;
  readonly value: unknown;
}

/** By the path of what is around them, as JSON, then by key. */
export function standInsFor(
  root: unknown,
  problems: readonly Problem[],
): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const all = new Map<string, Map<string, unknown>>();
  for (const standIn of problems.flatMap(placesOf).flatMap((place) => standInsAt(root, place))) {
    const around = JSON.stringify(standIn.around);
    const known = all.get(around) ?? new Map<string, unknown>();
    all.set(around, known.set(standIn.key, standIn.value));
  }
  return all;
}

/** What is wrong, or what is not there. */
function placesOf({ path, key, missing }: Problem): readonly DocumentPath[] {
  if (missing !== undefined) return missing.map((name) => [...path, name]);
  return [key === undefined ? path : [...path, key]];
}

function standInsAt(root: unknown, place: DocumentPath): readonly StandIn[] {
  const [section, second, third] = place;
  switch (section) {
    case 'inputs':
      return second === undefined ? [] : [{ around: ['inputs'], key: String(second), value: {} }];
    case 'hooks':
      return hookAt(place);
    case 'resources':
      return typeof second === 'string' && typeof third === 'number'
        ? [resourceAt(root, second, third)]
        : [];
    case 'jobs':
      return matrixAt(place);
    default:
      return [];
  }
}

/** Its other parts are looked at as long as there is a list of events to hold them against. */
function hookAt([section = '', index, key]: DocumentPath): readonly StandIn[] {
  if (typeof index !== 'number') return [];
  if (key === undefined) {
    return [{ around: [section], key: String(index), value: { name: '', events: [] } }];
  }
  const around = [section, index];
  if (key === 'name') return [{ around, key, value: '' }];
  return key === 'events' ? [{ around, key, value: [] }] : [];
}

/** Its name, if it has one. */
function resourceAt(root: unknown, kind: string, index: number): StandIn {
  const entry = ['resources', kind, index].reduce<unknown>(
    (value, key) => Object.getOwnPropertyDescriptor(Object(value), key)?.value,
    root,
  );
  const given: unknown = Object.getOwnPropertyDescriptor(Object(entry), 'name')?.value;
  const name = typeof given === 'string' ? given : '';
  return { around: ['resources', kind], key: String(index), value: { name } };
}

const LIMITS: ReadonlySet<unknown> = new Set(['max-parallel', 'fail-fast']);

/** A key that nobody knows may have been meant as the matrix. */
function matrixAt(place: DocumentPath): readonly StandIn[] {
  let depth = 0;
  while (place[depth] === 'jobs') depth += 2;
  if (place[depth] !== 'strategy' || place.length <= depth + 1 || LIMITS.has(place[depth + 1])) {
    return [];
  }
  return [{ around: place.slice(0, depth + 1), key: 'matrix', value: UNKNOWN_MATRIX }];
}
