/** Which files stand for which reports in the rehearsals of a run: what its jobs prepared, folded command by command. */
import type { JobId } from '@tutti/manifests';
import { linesOf, preparationsOf } from './rehearsal-lines.ts';

/** Resource files by the names under which scripts attach them. */
type Names = Map<string, string>;

interface JobNames {
  readonly all: Names;
  /** Names that were prepared between two steps that attach something. */
  readonly rounds: Names[];
  /** The next prepared name begins a new round. */
  isRoundOver: boolean;
}

export class PreparedNames {
  readonly #all: Names = new Map();
  readonly #jobs = new Map<JobId, JobNames>();

  /** To be called with the scripts of each command of the run, in their order. */
  note(jobId: JobId, scripts: readonly string[]): void {
    const preparations = preparationsOf(linesOf(scripts));
    const isAttaching = scripts.some((script) => script.includes('::attach'));
    if (preparations.length === 0 && !isAttaching) return;
    const job = this.#jobs.get(jobId) ?? { all: new Map(), rounds: [], isRoundOver: true };
    this.#jobs.set(jobId, job);
    for (const { name, file } of preparations) {
      this.#all.set(name, file);
      job.all.set(name, file);
      roundOf(job).set(name, file);
    }
    if (isAttaching) job.isRoundOver = true;
  }

  /** The file for one report. The job prepared it; otherwise, the last job of the run that prepared one did. */
  named(jobId: JobId, name: string): string | null {
    return this.#jobs.get(jobId)?.all.get(name) ?? this.#all.get(name) ?? null;
  }

  /**
   * The files for all reports that a pattern finds, by their names. They come from the last round of the job that has some. So a second
   * step does not attach reports of the first. Otherwise they come from other jobs.
   */
  fitting(jobId: JobId, fits: (name: string) => boolean): ReadonlyMap<string, string> {
    const rounds = this.#jobs.get(jobId)?.rounds ?? [];
    const own = rounds.map((names) => chosen(names, fits)).findLast(({ size }) => size > 0);
    return own ?? chosen(this.#all, fits);
  }
}

function roundOf(job: JobNames): Names {
  const last = job.isRoundOver ? undefined : job.rounds.at(-1);
  if (last !== undefined) return last;
  const round: Names = new Map();
  job.rounds.push(round);
  job.isRoundOver = false;
  return round;
}

const chosen = (names: Names, fits: (name: string) => boolean): ReadonlyMap<string, string> =>
  new Map([...names].filter(([name]) => fits(name)));
