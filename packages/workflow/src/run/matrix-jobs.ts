/** The jobs of a matrix: the job that has it, once for each cell. */
import { interpolateText, OPENING, type Scope } from '@tutti/expressions';
import { OrchestratorError, type WorkflowJob, type WorkflowJobs } from '@tutti/manifests';
import type { Cell } from './matrix.ts';
import type { Job } from './run.ts';

export interface MatrixJobs {
  readonly jobs: WorkflowJobs;
  /** Cells by name of the job. */
  readonly cells: Readonly<Record<string, Cell>>;
}

const LABEL_LENGTH_MAX = 100;
const SLUG_LENGTH_MAX = 60;
/** Characters of all jobs of a matrix together, as JSON: they become one event. */
const LENGTH_MAX = 4 * 1024 * 1024;

/**
 * `scope`: contexts of the job's name beside `matrix`; `masked` hides masked texts in names, since names are always shown. Throws
 * `Invalid`.
 */
export function matrixJobs(
  { name, definition }: Pick<Job, 'name' | 'definition'>,
  cells: readonly Cell[],
  scope: Scope,
  masked: Masking,
): MatrixJobs {
  const size = new EventSize(cells.length);
  size.add(definition, cells.length);
  // Values may be large, and each stands in many cells.
  for (const cell of cells) size.add(cell);
  const names = namesOf(name, cells, masked);
  const labels = new Labels();
  const jobOf = (cell: Cell): WorkflowJob => {
    const label = labels.next(labelOf(definition.name ?? name, cell, scope, masked));
    size.add(label);
    return { ...ofCell(definition), name: label };
  };
  return {
    jobs: Object.fromEntries(cells.map((cell, index) => [names[index] ?? '', jobOf(cell)])),
    cells: Object.fromEntries(cells.map((cell, index) => [names[index] ?? '', cell])),
  };
}

/** Counts the size of the event with the jobs; throws `Invalid` as soon as that is too much. */
class EventSize {
  readonly #jobs: number;
  #length = 0;

  constructor(jobs: number) {
    this.#jobs = jobs;
  }

  add(value: unknown, times = 1): void {
    this.#length += (JSON.stringify(value) ?? '').length * times;
    if (this.#length <= LENGTH_MAX) return;
    const message = `The ${this.#jobs} jobs of the matrix would have more than ${LENGTH_MAX} characters.`;
    throw new OrchestratorError('Invalid', message);
  }
}

/** Whether the jobs of the matrix each ask for a group of their own. Else the matrix as a whole has one. */
export function isGroupOfCells({ strategy, concurrency }: WorkflowJob): boolean {
  return strategy?.matrix !== undefined && /\bmatrix\s*[.[]/.test(concurrency?.group ?? '');
}

/** Without entries that are decided for all cells together. */
function ofCell(definition: WorkflowJob): WorkflowJob {
  const { needs: _n, if: _i, strategy: _s, concurrency, ...rest } = definition;
  return isGroupOfCells(definition) && concurrency !== undefined ? { ...rest, concurrency } : rest;
}

interface Label {
  readonly text: string;
  /** Something of it is hidden. */
  readonly isMasked: boolean;
}

/** A name with expressions distinguishes the cells as its author wants; any other name gets the values added. */
function labelOf(name: string, cell: Cell, scope: Scope, masked: Masking): Label {
  if (name.includes(OPENING)) {
    const contexts = { ...scope.contexts, matrix: cell };
    const evaluated = interpolateText(name, { ...scope, contexts });
    const text = masked(evaluated);
    return { text, isMasked: text !== evaluated };
  }
  const texts = textsOf(cell);
  const label = masked(`${name} (${texts.map(masked).join(', ')})`);
  return {
    text: label.length > LABEL_LENGTH_MAX ? `${label.slice(0, LABEL_LENGTH_MAX - 3)}...` : label,
    isMasked: label !== `${name} (${texts.join(', ')})`,
  };
}

type Masking = (text: string) => string;

/** Authors may give several jobs one name, but what hides texts in them must not make them alike. */
class Labels {
  readonly #taken = new Set<string>();

  next({ text, isMasked }: Label): string {
    let free = text;
    for (let number = 2; isMasked && this.#taken.has(free); number += 1) {
      free = `${text} ${number}`;
    }
    this.#taken.add(free);
    return free;
  }
}

/** Names as jobs may have them, each once, and the same at each run as long as the values are. */
function namesOf(name: string, cells: readonly Cell[], masked: Masking): readonly string[] {
  const taken = new Set<string>();
  return cells.map((cell) => {
    const slug = textsOf(cell)
      .map(masked)
      .join('-')
      .replace(/[^a-zA-Z0-9_-]+/g, '_')
      .slice(0, SLUG_LENGTH_MAX);
    let free = `${name}-${slug}`;
    for (let number = 2; taken.has(free); number += 1) free = `${name}-${slug}-${number}`;
    taken.add(free);
    return free;
  });
}

/** The values, those of maps and lists one by one. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf);
  return [String(value ?? '')];
}
