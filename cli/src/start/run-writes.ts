/**
 * Tells changes that a run makes from changes that people make while it runs. No system says which process wrote a file. So a path that is
 * new, or changed in several runs in a row, counts as written by the run.
 */
import { dirname } from 'node:path';

/** A change during a run cancels it, or leads to another run after it, or to nothing. */
export type Consequence = 'cancel' | 'run-again' | 'none';

/** A path that changes in one more run than these was written by all of them. */
const CANCELED_RUNS = 2;
const COMPLETE_RUNS = 1;

export class RunWrites {
  readonly #existing = new Set<string>();
  readonly #written = new Set<string>();
  /** Existing paths that changed in the last run, by the number of runs in a row. */
  #runs: ReadonlyMap<string, number> = new Map();
  #changed = new Map<string, number>();
  #news: string[] = [];

  /** The path exists, and no run wrote it. */
  exists(path: string): void {
    this.#existing.add(path);
  }

  /** A path changed while no run went on, so somebody else wrote it. */
  changedByOthers(path: string): void {
    this.#existing.add(path);
    for (const each of withParents(path)) this.#written.delete(each);
  }

  changedInRun(path: string): Consequence {
    if (withParents(path).some((each) => this.#written.has(each))) return 'none';
    if (!this.#existing.has(path)) return this.#writtenByRun(path);
    const runs = (this.#runs.get(path) ?? 0) + 1;
    if (runs > CANCELED_RUNS + COMPLETE_RUNS) return this.#writtenByRun(path);
    this.#changed.set(path, runs);
    return runs > CANCELED_RUNS ? 'run-again' : 'cancel';
  }

  #writtenByRun(path: string): Consequence {
    this.#written.add(path);
    this.#news.push(path);
    return 'none';
  }

  /** Paths that this run was the first to write, without temporary files. */
  endRun(isThere: (path: string) => boolean): readonly string[] {
    const gone = this.#news.filter((path) => !isThere(path));
    for (const path of gone) this.#written.delete(path);
    const news = this.#news.filter((path) => this.#written.has(path));
    this.#news = [];
    this.#runs = this.#changed;
    this.#changed = new Map();
    return news;
  }
}

function withParents(path: string): readonly string[] {
  const paths = [path];
  for (let at = dirname(path); at !== paths.at(-1); at = dirname(at)) paths.push(at);
  return paths;
}
