/**
 * Tells changes that a run makes from changes that people make while it runs. No system says which process wrote a file. So a path that is
 * new, or changed in several runs in a row, counts as written by the run.
 */
import { dirname, join, relative, sep } from 'node:path';

/** A change during a run cancels it, or leads to another run after it, or to nothing. */
export type Consequence = 'cancel' | 'run-again' | 'none';

/** A path that changes in one more run than these was written by all of them. */
const CANCELED_RUNS = 2;
const COMPLETE_RUNS = 1;

/**
 * Folders that test tools and builds write: Maven, Gradle, .NET, Cargo, Playwright, Cypress, Katalon, and reports of coverage. They may exist
 * before the first run. Changes of people there count between runs.
 */
const OUTPUT =
  /(?:^|\/)(?:target|build|obj|bin\/(?:Debug|Release)|TestResults|test-results|test-reports|playwright-report|blob-report|cypress\/(?:screenshots|videos|results|reports)|katalon-reports|soapui-reports|allure-results|coverage|htmlcov|\.gradle|\.nyc_output)(?=\/|$)/;

export class RunWrites {
  readonly #root: string;
  readonly #existing = new Set<string>();
  readonly #written = new Set<string>();
  /** Existing paths that changed in the last run, by the number of runs in a row. */
  #runs: ReadonlyMap<string, number> = new Map();
  #changed = new Map<string, number>();
  #news: string[] = [];

  constructor(root: string) {
    this.#root = root;
  }

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
    const output = this.#outputOf(path);
    if (output !== null) return this.#writtenByRun(output);
    if (!this.#existing.has(path)) return this.#writtenByRun(path);
    const runs = (this.#runs.get(path) ?? 0) + 1;
    if (runs > CANCELED_RUNS + COMPLETE_RUNS) return this.#writtenByRun(path);
    this.#changed.set(path, runs);
    return runs > CANCELED_RUNS ? 'run-again' : 'cancel';
  }

  /** The folder of tools that the path is in. */
  #outputOf(path: string): string | null {
    const below = relative(this.#root, path).split(sep).join('/');
    const found = OUTPUT.exec(below);
    return found === null ? null : join(this.#root, below.slice(0, found.index + found[0].length));
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
