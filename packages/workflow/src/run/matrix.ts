/**
 * The cells of a matrix: every combination of the values of its axes, without those that are excluded, with what is included.
 * As authors know it: an `include` that contradicts no combination in its axes extends those that it fits, without changing
 * the values of axes; one that fits none is a cell of its own.
 */
import { OrchestratorError } from '@tutti/manifests';

/** The value of each axis, and what was included. */
export type Cell = Readonly<Record<string, unknown>>;

/** Jobs of one matrix (wire facts 1.7). */
export const CELLS_MAX = 256;
/** Combinations before any are excluded. */
const COMBINATIONS_MAX = 4096;
/** Entries of `include`, and of `exclude`. */
const ENTRIES_MAX = 1024;

/** The cells in their order, the last axis changing fastest. `matrix` is evaluated. Throws `Invalid`. */
export function matrixCells(matrix: unknown): readonly Cell[] {
  if (!isRecord(matrix)) throw wrong('must be a map of lists', matrix);
  const { include = [], exclude = [], ...axes } = matrix;
  const lists = Object.entries(axes).map(([name, values]) => [name, axisOf(name, values)] as const);
  const kept = withoutExcluded(combinationsOf(lists), entriesOf('exclude', exclude), axes);
  const cells = withIncluded(atMost(kept), entriesOf('include', include), axes);
  if (cells.length === 0) throw new OrchestratorError('Invalid', 'The matrix has no jobs.');
  return atMost(cells);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const QUOTED_LENGTH_MAX = 100;

function wrong(what: string, value: unknown): OrchestratorError {
  const text = JSON.stringify(value) ?? 'nothing';
  const shown = text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}...` : text;
  return new OrchestratorError('Invalid', `The matrix ${what}, not ${shown}.`);
}

function axisOf(name: string, values: unknown): readonly unknown[] {
  if (!Array.isArray(values)) throw wrong(`must have a list as its axis "${name}"`, values);
  return values;
}

function entriesOf(name: string, entries: unknown): readonly Cell[] {
  if (!Array.isArray(entries) || !entries.every(isRecord)) {
    throw wrong(`must have a list of maps as "${name}"`, entries);
  }
  if (entries.length <= ENTRIES_MAX) return entries;
  const message = `The matrix has ${entries.length} entries in "${name}"; at most ${ENTRIES_MAX} are possible.`;
  throw new OrchestratorError('Invalid', message);
}

type Axes = readonly (readonly [name: string, values: readonly unknown[]])[];

function combinationsOf(axes: Axes): readonly Cell[] {
  if (axes.length === 0) return [];
  const count = axes.reduce((product, [, values]) => product * values.length, 1);
  if (count > COMBINATIONS_MAX) {
    const message = `The matrix has ${count} combinations; at most ${COMBINATIONS_MAX} are possible.`;
    throw new OrchestratorError('Invalid', message);
  }
  return axes.reduce<readonly Cell[]>(
    (cells, [name, values]) =>
      cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value }))),
    [{}],
  );
}

function withoutExcluded(
  cells: readonly Cell[],
  excluded: readonly Cell[],
  axes: Cell,
): readonly Cell[] {
  for (const name of excluded.flatMap((entry) => Object.keys(entry))) {
    if (Object.hasOwn(axes, name)) continue;
    throw new OrchestratorError('Invalid', `The matrix excludes by "${name}", which is no axis.`);
  }
  return cells.filter((cell) => !excluded.some((entry) => agrees(cell, Object.entries(entry))));
}

function withIncluded(
  combinations: readonly Cell[],
  included: readonly Cell[],
  axes: Cell,
): readonly Cell[] {
  const cells = [...combinations];
  for (const entry of included) {
    const ofAxes = Object.entries(entry).filter(([name]) => Object.hasOwn(axes, name));
    // Cells that were included before are none of the combinations, so nothing is added to them.
    const fitting = combinations.flatMap((cell, index) => (agrees(cell, ofAxes) ? [index] : []));
    for (const index of fitting) cells[index] = { ...cells[index], ...entry };
    if (fitting.length === 0) cells.push(entry);
  }
  return cells;
}

function agrees(cell: Cell, entries: readonly (readonly [string, unknown])[]): boolean {
  return entries.every(([name, value]) => isSame(cell[name], value));
}

function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    return Array.isArray(right) && haveSame(Object.entries(left), Object.entries(right), right);
  }
  if (!isRecord(left)) return left === right;
  return isRecord(right) && haveSame(Object.entries(left), Object.entries(right), right);
}

function haveSame(
  left: readonly (readonly [string, unknown])[],
  right: readonly unknown[],
  values: object,
): boolean {
  return (
    left.length === right.length &&
    left.every(([name, value]) =>
      isSame(value, Object.getOwnPropertyDescriptor(values, name)?.value),
    )
  );
}

function atMost(cells: readonly Cell[]): readonly Cell[] {
  if (cells.length <= CELLS_MAX) return cells;
  const message = `The matrix has ${cells.length} jobs; at most ${CELLS_MAX} are possible.`;
  throw new OrchestratorError('Invalid', message);
}
