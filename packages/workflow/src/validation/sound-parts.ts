/** What is left of a workflow without that which does not fit the schema, for the checks that come after it. */
import type { WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

/** What the checks of these take for granted goes beyond what is there: they are left out as soon as anything is wrong. */
const WHOLE_OR_NOT: ReadonlySet<string> = new Set(['hooks', 'inputs', 'metadata', 'resources']);

/**
 * Wrong values and unknown keys are left out, and with them what could not stand without them: wrong steps are empty, so that
 * others keep their places, and lists with other wrong entries go. Null when hardly anything is left.
 */
export function soundParts(value: unknown, problems: readonly Problem[]): WorkflowManifest | null {
  const places = new Set(problems.flatMap(wrongPlace).map((path) => JSON.stringify(path)));
  const sound = withoutPlaces(value, [], places);
  if (!isMap(sound) || !isMap(sound.jobs)) return null;
  const broken = new Set(problems.map(({ path, key }) => String(path[0] ?? key)));
  const parts = Object.entries(sound).filter(([key]) => !WHOLE_OR_NOT.has(key) || !broken.has(key));
  // What the schema refused has been left out; keys that are missing are asked for as if they could be.
  return { metadata: { name: '' }, ...Object.fromEntries(parts) } as unknown as WorkflowManifest;
}

function wrongPlace({ path, key, missing }: Problem): readonly DocumentPath[] {
  if (missing !== undefined) return [];
  return [key === undefined ? path : [...path, key]];
}

function withoutPlaces(value: unknown, path: DocumentPath, places: ReadonlySet<string>): unknown {
  if (places.has(JSON.stringify(path))) return undefined;
  if (Array.isArray(value)) return listWithout(value, path, places);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => {
    const sound = withoutPlaces(child, [...path, key], places);
    // Others may need a job that is wrong.
    const isWrongJob = sound === undefined && path.at(-1) === 'jobs';
    return [key, isWrongJob ? {} : sound] as const;
  });
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}

function listWithout(
  list: readonly unknown[],
  path: DocumentPath,
  places: ReadonlySet<string>,
): readonly unknown[] | undefined {
  const items = list.map((item, index) => withoutPlaces(item, [...path, index], places));
  if (path.at(-1) === 'steps') return items.map((item) => item ?? {});
  return items.includes(undefined) ? undefined : items;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
