/**
 * Stand-ins for parts that do not fit the schema and that other parts refer to. Without one, a wrong input would count as missing, and
 * every expression that reads it would be wrong, too.
 */
import { dictionary, inputSchema } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

/** An expression, of whose value nothing is known. */
const UNKNOWN = ['$', '{{ null }}'].join('');
/** A name that nothing has; problems about it are not reported. */
export const NO_NAME = '';

interface StandIn {
  readonly around: DocumentPath;
  readonly key: string;
  readonly value: unknown;
}

/** By the path of the parent, as JSON, then by key. */
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

/** Paths of a wrong or missing part. A part with an unknown key may also belong under the meant key. */
function placesOf({ path, key, missing, meant }: Problem): readonly DocumentPath[] {
  if (key !== undefined && path.at(-1) === 'matrix') return [];
  if (missing !== undefined) return missing.map((name) => [...path, name]);
  if (key === undefined) return [path];
  return [key, ...(meant === undefined ? [] : [meant])].map((name) => [...path, name]);
}

function standInsAt(root: unknown, place: DocumentPath): readonly StandIn[] {
  const [section, second, third] = place;
  switch (section) {
    case 'inputs':
      return second === undefined ? [standIn(place, { [NO_NAME]: {} })] : inputAt(root, place);
    case 'secrets':
      return [standIn(place, second === undefined ? { [NO_NAME]: '' } : '')];
    case 'hooks':
      return hookAt(place);
    case 'resources':
      if (typeof second !== 'string') return [standIn(place, ANY_RESOURCES)];
      return typeof third === 'number' ? resourceAt(root, place) : anyResource(place);
    case 'jobs':
      return inJobAt(root, place);
    default:
      return [];
  }
}

/** Parts of a hook can be checked as long as it has a list of events. */
function hookAt([section = '', index, key]: DocumentPath): readonly StandIn[] {
  if (typeof index !== 'number') return [];
  if (key === undefined) {
    return [{ around: [section], key: String(index), value: { name: '', events: [] } }];
  }
  const around = [section, index];
  if (key === 'name') return [{ around, key, value: '' }];
  return key === 'events' ? [{ around, key, value: [] }] : [];
}

/** Keys of an input that cannot be checked against each other where one is wrong. Any other key is left out alone. */
const PARTNERS: Readonly<Record<string, string>> = dictionary<string>({
  options: 'type',
  type: 'options',
});

function inputAt(root: unknown, [section = '', name = '', key]: DocumentPath): readonly StandIn[] {
  const around = [section, name];
  if (key === undefined) return [standIn(around, {})];
  const partner = PARTNERS[String(key)];
  if (partner !== undefined) return partnerOf(root, around, partner);
  // An unknown key may have meant the missing partner.
  const isThere = (each: string) => valueAt(root, [...around, each]) !== undefined;
  const lone = Object.keys(PARTNERS).filter(isThere);
  return Object.hasOwn(KEYS_OF_INPUTS, key) || lone.length !== 1
    ? []
    : partnerOf(root, around, String(lone));
}

const KEYS_OF_INPUTS = inputSchema.properties;

/** Left out: options always go with a type, and one type with options. */
function partnerOf(root: unknown, around: DocumentPath, partner: string): readonly StandIn[] {
  const place = [...around, partner];
  const needsOptions = partner === 'options' || valueAt(root, place) === 'choice';
  return needsOptions ? [standIn(place, undefined)] : [];
}

const ANY_RESOURCES = {
  files: [NO_NAME],
  repositories: [{ name: NO_NAME }],
  testmanagers: [{ name: NO_NAME }],
} as const;

/** A list that is none. */
function anyResource(place: DocumentPath): readonly StandIn[] {
  return Object.entries(ANY_RESOURCES).flatMap(([kind, any]) =>
    kind === place[1] ? [standIn(place, any)] : [],
  );
}

/** An entry that is none, or that has no name. Everything else of it can be left out alone. */
function resourceAt(root: unknown, place: DocumentPath): readonly StandIn[] {
  const entry = place.slice(0, 3);
  const isMap = typeof valueAt(root, entry) === 'object';
  if (isMap && place.length > entry.length) {
    return place[3] === 'name' ? [{ around: entry, key: 'name', value: NO_NAME }] : [];
  }
  const given = valueAt(root, [...entry, 'name']);
  const name = typeof given === 'string' ? given : NO_NAME;
  return [{ around: entry.slice(0, -1), key: String(entry.at(-1)), value: { name } }];
}

function inJobAt(root: unknown, place: DocumentPath): readonly StandIn[] {
  let depth = 0;
  while (place[depth] === 'jobs') depth += 2;
  switch (place[depth]) {
    case 'needs':
    case 'runs-on':
      // Others in the list keep their places.
      return [standIn(place.slice(0, depth + 2), NO_NAME)];
    case 'outputs':
      return place.length === depth + 1 ? [standIn(place, { [NO_NAME]: '' })] : [];
    case 'strategy':
      return place.length === depth + 1 ? [] : inStrategyAt(root, place, depth + 1);
    default:
      return [];
  }
}

const standIn = (place: DocumentPath, value: unknown): StandIn => ({
  around: place.slice(0, -1),
  key: String(place.at(-1)),
  value,
});

const LIMITS: ReadonlySet<unknown> = new Set(['max-parallel', 'fail-fast']);

/** `depth` is that of the keys of the strategy. */
function inStrategyAt(root: unknown, place: DocumentPath, depth: number): readonly StandIn[] {
  if (LIMITS.has(place[depth])) return [];
  const matrix = [...place.slice(0, depth), 'matrix'];
  if (place[depth] !== 'matrix') {
    // A key that nobody knows may have been meant as the matrix.
    return valueAt(root, matrix) === undefined ? [standIn(matrix, UNKNOWN)] : [];
  }
  if (place.length === matrix.length) return [standIn(matrix, UNKNOWN)];
  return [standIn(place.slice(0, depth + 2), UNKNOWN)];
}

const valueAt = (root: unknown, path: DocumentPath): unknown =>
  path.reduce<unknown>(
    (value, key) => Object.getOwnPropertyDescriptor(Object(value), key)?.value,
    root,
  );
