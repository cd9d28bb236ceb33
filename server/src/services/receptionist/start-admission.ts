/**
 * Who may start a run now. Bounded are the requests that are worked on, with what they hold in memory, and the runs that are not over; while agents work on
 * them and the server has more to do than it can, far fewer of these, so that what was accepted ends soon. Requests of agents are never asked: they are what brings runs
 * to their end. A request counts as a run until its answer is sent, so the number of runs never passes its bound; that of a busy server
 * by the requests that are worked on at most.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { RunDirectory } from '../../bus/bus.ts';
import type { ThreadLoad } from '../../runtime/thread-load.ts';

export interface StartLimits {
  /** Runs that are not over. */
  readonly runs: number;
  /** The same while the server is busy. */
  readonly runsWhenBusy: number;
  /** Requests that are worked on. */
  readonly startsAtOnce: number;
  /** What these hold in memory, in bytes. */
  readonly startsBytes: number;
}

export interface StartAdmissionDeps {
  readonly runs: Pick<RunDirectory, 'liveCount'>;
  readonly load: ThreadLoad;
  /** Whether anybody is there who brings runs to their end. */
  readonly hasAgents: () => boolean;
  readonly limits: StartLimits;
}

/** What is known of a request before it is read. */
export interface StartRequest {
  readonly isDryRun: boolean;
  /** What it may hold in memory. */
  readonly bytes: number;
}

/** Soon: a server that is busy catches up in a second or two. */
const BUSY_SECONDS = 1;
/** Runs take longer to end than that. */
const FULL_SECONDS = 10;

export class StartAdmission {
  readonly #deps: StartAdmissionDeps;
  #starting = 0;
  #bytes = 0;

  constructor(deps: StartAdmissionDeps) {
    this.#deps = deps;
  }

  /** The result is called once when the request is over. Throws `TooManyRequests` and `ServiceUnavailable`. */
  admit({ isDryRun, bytes }: StartRequest): () => void {
    this.#checkStarts(bytes);
    if (!isDryRun) this.#checkRuns();
    this.#starting += 1;
    this.#bytes += bytes;
    return () => {
      this.#starting -= 1;
      this.#bytes -= bytes;
    };
  }

  /** One request is taken at any size: waiting would not make it smaller. */
  #checkStarts(bytes: number): void {
    const { startsAtOnce, startsBytes } = this.#deps.limits;
    if (this.#starting >= startsAtOnce) {
      throw unavailable(
        `The server is starting ${startsAtOnce} workflows, which is the limit (limits.startsAtOnce).`,
      );
    }
    if (this.#starting === 0 || this.#bytes + bytes <= startsBytes) return;
    throw unavailable(
      `The workflows that the server is starting have ${startsBytes} bytes, which is the limit (limits.startsBytes).`,
    );
  }

  #checkRuns(): void {
    const { runs, load, hasAgents, limits } = this.#deps;
    if (runs.liveCount + this.#starting >= limits.runs) throw tooManyRuns(limits.runs);
    // Those that begin with an end, as none of their jobs has to run, keep nobody waiting.
    if (runs.liveCount < limits.runsWhenBusy || !hasAgents() || !load.isBusy()) return;
    throw unavailable(
      `The server has more to do than it can, with ${limits.runsWhenBusy} workflows that are not over (limits.runsWhenBusy).`,
    );
  }
}

const tooManyRuns = (max: number): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `There are ${max} workflows that are not over, which is the limit (limits.runs). Wait until some have ended, or cancel some.`,
    { retryAfterSeconds: FULL_SECONDS },
  );

const unavailable = (why: string): OrchestratorError =>
  new OrchestratorError('ServiceUnavailable', `${why} Try again later.`, {
    retryAfterSeconds: BUSY_SECONDS,
  });
