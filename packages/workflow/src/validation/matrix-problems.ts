/** Literal matrices that cannot work. A run should not end after its first hour because an exclusion is missing. */
import { OPENING } from '@tutti/expressions';
import {
  countJobs,
  isOrchestratorError,
  JOBS_MAX,
  type WorkflowJob,
  type WorkflowJobs,
} from '@tutti/manifests';
import { type DocumentPath, nearestName, type Problem } from '@tutti/manifests/documents';
import {
  COMBINATIONS_MAX,
  COMPARISONS_MAX,
  type ComparisonBudget,
  matrixCells,
} from '../run/matrix.ts';

/** Mistakes in matrices that do not depend on the values of expressions. */
export function matrixProblems(jobs: WorkflowJobs): readonly Problem[] {
  const check = new MatrixCheck();
  const count = check.countOf(jobs, ['jobs'], true);
  const isReportedElsewhere = countJobs(jobs) > JOBS_MAX;
  if (count <= JOBS_MAX || isReportedElsewhere) return check.problems;
  const message = `There are ${count} jobs, those of matrices and jobs in jobs included; at most ${JOBS_MAX} are possible.`;
  return [{ path: ['jobs'], message, topic: 'matrices' }, ...check.problems];
}

class MatrixCheck {
  readonly problems: Problem[] = [];
  /** Shared by all matrices: what would take longer is left to the run. */
  readonly #budget: ComparisonBudget = { left: COMPARISONS_MAX };

  /** The least number of jobs that run if all goes well. A job with a condition may run instead of another, so it does not count. */
  countOf(jobs: WorkflowJobs, path: DocumentPath, isCounted: boolean): number {
    return Object.entries(jobs).reduce((count, [name, job]) => {
      const runs = isCounted && job.if === undefined;
      const ofJob = this.#countOfJob(job, [...path, name], runs);
      return count + (runs ? ofJob : 0);
    }, 0);
  }

  #countOfJob(job: WorkflowJob, path: DocumentPath, isCounted: boolean): number {
    const inside = this.countOf(job.jobs ?? {}, [...path, 'jobs'], isCounted);
    const matrix = job.strategy?.matrix;
    if (typeof matrix !== 'object') return 1 + inside;
    const cells = this.#cellsOf(matrix, [...path, 'strategy', 'matrix']);
    return 1 + (cells ?? 0) * (1 + inside);
  }

  /** Number of cells; null where only the run knows it, or where the matrix is wrong. */
  #cellsOf(matrix: object, path: DocumentPath): number | null {
    const unknown = [...misspeltEntries(matrix, path), ...unknownExclusions(matrix, path)];
    if (unknown.length > 0) {
      this.problems.push(...unknown);
      return null;
    }
    const decided = decidedPart(matrix);
    if (decided === null || !this.#isPaid(decided)) return null;
    try {
      return matrixCells(decided, this.#budget).length;
    } catch (error) {
      if (!isOrchestratorError(error)) throw error;
      if (this.#budget.left >= 0) {
        this.problems.push({ path, message: error.message, topic: 'matrices' });
      }
      return null;
    }
  }

  /** Making the combinations takes time as well. More than are possible are never made. */
  #isPaid(matrix: object): boolean {
    const lengths = Object.entries(matrix)
      .filter(([name]) => !ENTRIES.has(name))
      .map(([, values]) => lengthOf(values));
    const count = lengths.reduce((product, length) => product * length, 1);
    if (count > COMBINATIONS_MAX) return true;
    this.#budget.left -= count * lengths.length ** 2;
    return this.#budget.left >= 0;
  }
}

const ENTRIES: ReadonlySet<string> = new Set(['include', 'exclude']);

const lengthOf = (values: unknown): number => (Array.isArray(values) ? values.length : 0);

const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Letters that may differ: `inclusion` is another word. */
const ENTRY_EDITS_MAX = 2;

/** Axes with almost the name of an entry, which have maps as entries do. As axes, they would make unintended jobs. */
function misspeltEntries(matrix: object, path: DocumentPath): readonly Problem[] {
  return Object.entries(matrix).flatMap(([name, values]) => {
    const hasMaps = Array.isArray(values) && values.every(isMap);
    if (ENTRIES.has(name) || !hasMaps) return [];
    const meant = nearestName(name, ENTRIES, ENTRY_EDITS_MAX);
    if (meant === null) return [];
    const message = `"${name}" would be an axis, whose values are maps`;
    return [{ path, key: name, message, hint: `did you mean "${meant}"?`, topic: 'matrices' }];
  });
}

/** The names are known even where the values are not. */
function unknownExclusions(matrix: object, path: DocumentPath): readonly Problem[] {
  const { exclude }: { exclude?: unknown } = matrix;
  const entries: readonly unknown[] = Array.isArray(exclude) ? exclude : [];
  return entries.flatMap((entry, index) =>
    Object.keys(Object(entry))
      .filter((name) => ENTRIES.has(name) || !Object.hasOwn(matrix, name))
      .map((name) => ({
        path: [...path, 'exclude', index],
        key: name,
        message: `The matrix excludes by "${name}", which is no axis.`,
        topic: 'matrices',
      })),
  );
}

/** As much of a matrix as is there whatever its expressions give; null for nothing. */
function decidedPart(matrix: object): object | null {
  if (!hasExpressions(matrix)) return matrix;
  const { include, exclude, ...axes }: { include?: unknown; exclude?: unknown } = matrix;
  if (exclude !== undefined || !Object.values(axes).every(Array.isArray)) return null;
  if (Object.keys(axes).length > 0) return axes;
  // Without axes each entry is a job of its own.
  return Array.isArray(include) ? { include } : null;
}

function hasExpressions(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(OPENING);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasExpressions);
}
