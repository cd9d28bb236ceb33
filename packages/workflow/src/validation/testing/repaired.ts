/** Removes all mistakes from a random workflow. */
import type { WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';
import type { WorkflowCheck } from '../workflow-problems.ts';

const ROUNDS_MAX = 40;

/** Null when too little is left. */
export function repaired(
  value: unknown,
  check: (value: unknown) => WorkflowCheck,
): WorkflowManifest | null {
  let current = value;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const checked = check(current);
    if (checked.ok) return checked.manifest;
    current = checked.problems.reduce(withoutWrong, current);
  }
  return null;
}

function withoutWrong(value: unknown, { path, key }: Problem): unknown {
  return without(value, key === undefined ? path : [...path, key]);
}

function without(value: unknown, [first, ...rest]: DocumentPath): unknown {
  if (first === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      if (index !== first) return [item];
      return rest.length === 0 ? [] : [without(item, rest)];
    });
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      if (key !== first) return [[key, child]];
      return rest.length === 0 ? [] : [[key, without(child, rest)]];
    }),
  );
}
