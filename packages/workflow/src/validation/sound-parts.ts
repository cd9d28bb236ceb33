/** Removes the parts of a workflow that do not fit the schema, so that later checks can read the rest. */
import type { WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';
import { standInsFor } from './stand-ins.ts';

/** Parts that are left out, and stand-ins for parts that other parts refer to; both by path, as JSON. */
interface Repairs {
  readonly leftOut: ReadonlySet<string>;
  /** By the path of the parent, then by key. */
  readonly standIns: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
}

/**
 * Leaves out wrong values and unknown keys. Wrong steps become empty, so that others keep their places. Other lists with a wrong entry are
 * left out. Null when hardly anything is left.
 */
export function soundParts(value: unknown, problems: readonly Problem[]): WorkflowManifest | null {
  const repairs: Repairs = {
    leftOut: new Set(problems.flatMap(wrongPlace).map((path) => JSON.stringify(path))),
    standIns: standInsFor(value, problems),
  };
  const sound = repaired(value, [], repairs);
  if (!isMap(sound) || !isMap(sound.jobs)) return null;
  // Parts that the schema refused are left out; later checks treat missing required keys as optional.
  return { metadata: { name: '' }, ...sound } as unknown as WorkflowManifest;
}

/** Maps whose keys are names. The value under a wrong name is as sound as it would be under another. */
const MAPS_OF_NAMES: ReadonlySet<unknown> = new Set(['jobs', 'matrix', 'outputs', 'variables']);

function wrongPlace({ path, key, missing }: Problem): readonly DocumentPath[] {
  if (missing !== undefined) return [];
  if (key !== undefined && MAPS_OF_NAMES.has(path.at(-1))) return [];
  return [key === undefined ? path : [...path, key]];
}

function repaired(value: unknown, path: DocumentPath, repairs: Repairs): unknown {
  const place = JSON.stringify(path);
  if (repairs.leftOut.has(place)) return undefined;
  const standIns = repairs.standIns.get(place) ?? NONE;
  const childOf = (key: string, child: unknown, step: string | number) =>
    standIns.has(key) ? standIns.get(key) : repaired(child, [...path, step], repairs);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => childOf(String(index), item, index));
    return withoutGaps(items, path);
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => {
    const sound = childOf(key, child, key);
    // Others may need a job that is wrong.
    const isWrongJob = sound === undefined && path.at(-1) === 'jobs';
    return [key, isWrongJob ? {} : sound] as const;
  });
  return Object.fromEntries([...standIns, ...entries].filter(([, child]) => child !== undefined));
}

const NONE: ReadonlyMap<string, unknown> = new Map();
const LISTS_OF_STEPS: ReadonlySet<unknown> = new Set(['steps', 'before', 'after']);

function withoutGaps(
  items: readonly unknown[],
  path: DocumentPath,
): readonly unknown[] | undefined {
  if (LISTS_OF_STEPS.has(path.at(-1))) return items.map((item) => item ?? {});
  return items.includes(undefined) ? undefined : items;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
