/** A document with its misspelt keys replaced by the likely ones: one wrong key should hide nothing else. */
import { type DocumentPath, formatPath, type Problem } from '@tutti/manifests/documents';

export interface MeantDocument {
  readonly value: unknown;
  /** Problems that the schema finds in `value`. */
  readonly ofShape: readonly Problem[];
  /** The problem at its place in the document as it is written. */
  written(problem: Problem): Problem;
}

interface Renaming {
  readonly path: DocumentPath;
  readonly key: string;
  readonly meant: string;
}

/** `ofShape`: the result of `shapeProblems` for the value. A value that would not fit under the other key keeps its own. */
export function withMeantKeys(
  value: unknown,
  ofShape: readonly Problem[],
  shapeProblems: (value: unknown) => readonly Problem[],
): MeantDocument {
  const renamings = renamingsOf(value, ofShape);
  if (renamings.length === 0) return { value, ofShape, written: (problem) => problem };
  const all = renamedDocument(value, renamings, shapeProblems);
  const before = new Set(ofShape.map(placeOf));
  const unfit = new Set(all.ofShape.map(placeOf).filter((place) => !before.has(place)));
  const fitting = renamings.filter(
    ({ path, meant }) =>
      !unfit.has(placeOf({ path })) && !unfit.has(placeOf({ path: [...path, meant] })),
  );
  if (fitting.length === renamings.length) return all;
  return renamedDocument(value, fitting, shapeProblems);
}

/** Keeps the first of several keys that mean the same. */
function renamingsOf(value: unknown, problems: readonly Problem[]): readonly Renaming[] {
  const byMeaning = new Map<string, Renaming>();
  for (const { path, key, nearest } of problems) {
    if (key === undefined || nearest === undefined) continue;
    const place = JSON.stringify([...path, nearest]);
    const isThere = Object.hasOwn(Object(valueAt(value, path)), nearest);
    if (!isThere && !byMeaning.has(place)) byMeaning.set(place, { path, key, meant: nearest });
  }
  return [...byMeaning.values()];
}

/** Place of a problem. One of a map as a whole differs from one of its keys. */
const placeOf = ({ path, key }: Pick<Problem, 'path' | 'key'>): string =>
  JSON.stringify([path, key ?? null]);

function renamedDocument(
  value: unknown,
  renamings: readonly Renaming[],
  shapeProblems: (value: unknown) => readonly Problem[],
): MeantDocument {
  const meanings = new Map(
    renamings.map(({ path, key, meant }) => [JSON.stringify([...path, key]), meant]),
  );
  const keys = new Map(
    renamings.map(({ path, key, meant }) => [JSON.stringify([...path, meant]), key]),
  );
  const meantValue = renamed(value, [], meanings);
  return {
    value: meantValue,
    ofShape: shapeProblems(meantValue),
    written: (problem) => writtenProblem(problem, keys),
  };
}

function renamed(
  value: unknown,
  path: DocumentPath,
  meanings: ReadonlyMap<string, string>,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => renamed(item, [...path, index], meanings));
  }
  const entries = Object.entries(value).map(([key, child]) => {
    const place = [...path, key];
    return [meanings.get(JSON.stringify(place)) ?? key, renamed(child, place, meanings)] as const;
  });
  return Object.fromEntries(entries);
}

/** Values of secrets are never shown; under a misspelt key nobody recognises them as secrets. */
const SECRETS = JSON.stringify(['secrets']);

/** `keys`: the written key, by the place that is meant. Nothing inside of an unknown key is one, so there is one on a path at most. */
function writtenProblem(problem: Problem, keys: ReadonlyMap<string, string>): Problem {
  const { path, key } = problem;
  const secrets = path[0] === 'secrets' ? keys.get(SECRETS) : undefined;
  if (secrets !== undefined) {
    const place = formatPath([secrets, ...path.slice(1)]);
    return { ...problem, path: [], key: secrets, message: `${place} ${problem.message}` };
  }
  const own = key === undefined ? undefined : keys.get(JSON.stringify([...path, key]));
  const written = path.map(
    (step, index) => keys.get(JSON.stringify(path.slice(0, index + 1))) ?? step,
  );
  return { ...problem, path: written, ...(own === undefined ? {} : { key: own }) };
}

const valueAt = (root: unknown, path: DocumentPath): unknown =>
  path.reduce<unknown>(
    (value, key) => Object.getOwnPropertyDescriptor(Object(value), key)?.value,
    root,
  );
