/**
 * The cells of a matrix. They are all combinations of the values of its axes, without excluded ones, with included ones. As authors know
 * it: an `include` extends the combinations that it fits, and never changes values of axes. An entry that fits none is a cell of its own.
 */
import { OrchestratorError, shownValue } from '@tutti/manifests';

/** The value of each axis, and the entries of `include`. */
export type Cell = Readonly<Record<string, unknown>>;

/** Jobs of one matrix (wire facts 1.7). */
export const CELLS_MAX = 256;
/** Every combination has a value of each axis. So many axes with one value cost as much as a few with many. */
export const AXES_MAX = 64;
/** Combinations before any are excluded. */
export const COMBINATIONS_MAX = 4096;
/** Entries of `include`, and of `exclude`. */
const ENTRIES_MAX = 1024;
/** Comparisons of values to find excluded and extended cells: maps may be large, and each meets each. Half a second. */
export const COMPARISONS_MAX = 5_000_000;

/** Number of values that may still be compared. */
export interface ComparisonBudget {
  left: number;
}

/**
 * The cells in their order, the last axis changing fastest. `matrix` is evaluated. `budget` is spent; without one, a matrix has its
 * own. Throws `Invalid`.
 */
export function matrixCells(
  matrix: unknown,
  budget: ComparisonBudget = { left: COMPARISONS_MAX },
): readonly Cell[] {
  if (!isRecord(matrix)) throw wrong('must be a map of lists', matrix);
  const { include = [], exclude = [], ...axes } = matrix;
  const lists = Object.entries(axes).map(([name, values]) => [name, axisOf(name, values)] as const);
  const comparison = new Comparison(budget);
  const excluded = entriesOf('exclude', exclude);
  const kept = withoutExcluded(combinationsOf(lists), excluded, axes, comparison);
  const cells = withIncluded(atMost(kept), entriesOf('include', include), axes, comparison);
  if (cells.length === 0) throw new OrchestratorError('Invalid', 'The matrix has no jobs.');
  return atMost(cells);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function wrong(what: string, value: unknown): OrchestratorError {
  return new OrchestratorError('Invalid', `The matrix ${what}, not ${shownValue(value)}.`);
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
  throw tooMany(entries.length, `entries in "${name}"`, ENTRIES_MAX);
}

type Axes = readonly (readonly [name: string, values: readonly unknown[]])[];

function combinationsOf(axes: Axes): readonly Cell[] {
  if (axes.length === 0) return [];
  const count = axes.reduce((product, [, values]) => product * values.length, 1);
  if (count > COMBINATIONS_MAX) throw tooMany(count, 'combinations', COMBINATIONS_MAX);
  if (axes.length > AXES_MAX) throw tooMany(axes.length, 'axes', AXES_MAX);
  return axes.reduce<readonly Cell[]>(
    (cells, [name, values]) =>
      cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value }))),
    [{}],
  );
}

function tooMany(count: number, what: string, limit: number): OrchestratorError {
  const message = `The matrix has ${count} ${what}; at most ${limit} are possible.`;
  return new OrchestratorError('Invalid', message);
}

function withoutExcluded(
  cells: readonly Cell[],
  excluded: readonly Cell[],
  axes: Cell,
  comparison: Comparison,
): readonly Cell[] {
  for (const name of excluded.flatMap((entry) => Object.keys(entry))) {
    if (Object.hasOwn(axes, name)) continue;
    throw new OrchestratorError('Invalid', `The matrix excludes by "${name}", which is no axis.`);
  }
  const entries = excluded.map((entry) => Object.entries(entry));
  return cells.filter((cell) => !entries.some((entry) => comparison.agrees(cell, entry)));
}

function withIncluded(
  combinations: readonly Cell[],
  included: readonly Cell[],
  axes: Cell,
  comparison: Comparison,
): readonly Cell[] {
  const cells = [...combinations];
  for (const entry of included) {
    const ofAxes = Object.entries(entry).filter(([name]) => Object.hasOwn(axes, name));
    // Cells that were included before are none of the combinations, so nothing is added to them.
    const fitting = combinations.flatMap((cell, index) =>
      comparison.agrees(cell, ofAxes) ? [index] : [],
    );
    for (const index of fitting) cells[index] = { ...cells[index], ...entry };
    if (fitting.length === 0) cells.push(entry);
  }
  return cells;
}

type Entries = readonly (readonly [string, unknown])[];

/** Compares values for one matrix; throws `Invalid` when that takes too long. */
class Comparison {
  readonly #budget: ComparisonBudget;

  constructor(budget: ComparisonBudget) {
    this.#budget = budget;
  }

  agrees(cell: Cell, entries: Entries): boolean {
    return entries.every(([name, value]) => this.#isSame(cell[name], value));
  }

  #isSame(left: unknown, right: unknown): boolean {
    this.#spend(1);
    if (Array.isArray(left)) return Array.isArray(right) && this.#haveSame(left, right);
    if (!isRecord(left)) return left === right;
    return isRecord(right) && this.#haveSame(left, right);
  }

  #haveSame(left: object, right: object): boolean {
    const entries = Object.entries(left);
    const count = Object.keys(right).length;
    this.#spend(entries.length + count);
    return (
      entries.length === count &&
      entries.every(([name, value]) =>
        this.#isSame(value, Object.getOwnPropertyDescriptor(right, name)?.value),
      )
    );
  }

  #spend(values: number): void {
    this.#budget.left -= values;
    if (this.#budget.left >= 0) return;
    const message =
      'The values of the matrix take too long to compare: "exclude" and "include" have too many, or too large ones.';
    throw new OrchestratorError('Invalid', message);
  }
}

function atMost(cells: readonly Cell[]): readonly Cell[] {
  if (cells.length <= CELLS_MAX) return cells;
  throw tooMany(cells.length, 'jobs', CELLS_MAX);
}
