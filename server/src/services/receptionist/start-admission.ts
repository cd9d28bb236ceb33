/**
 * Who may start a run now. Bounded are the requests that are worked on, with what they hold in memory, and the runs that are not over; while agents work on
 * them and the server has more to do than it can, only as many of these as it ends soon. Requests of agents are never asked: they are what brings runs
 * to their end. A request counts as a run until its answer is sent, so the number of runs never passes its bound.
 */
import { messages, OrchestratorError } from '@tutti/manifests';
import type { RunDirectory } from '../../bus/bus.ts';
import type { Timers } from '../../bus/timers.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RecentRate } from '../../runtime/recent-rate.ts';
import type { ThreadLoad } from '../../runtime/thread-load.ts';
import { HeldStarts } from './held-starts.ts';
import { decideStart, type RunBounds, type StartDecision } from './start-decision.ts';

export interface StartLimits extends RunBounds {
  /** Requests that are worked on. */
  readonly startsAtOnce: number;
  /** What these hold in memory, in bytes. */
  readonly startsBytes: number;
}

export interface StartAdmissionDeps {
  readonly runs: Pick<RunDirectory, 'liveCount'>;
  readonly load: ThreadLoad;
  /** Of runs that end. */
  readonly ended: RecentRate;
  /** Whether nobody is there who brings runs to their end, or takes long for it. */
  readonly isForAgents: () => boolean;
  readonly limits: StartLimits;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
}

/** What is known of a request before it is read. */
export interface StartRequest {
  readonly isDryRun: boolean;
  /** What it may hold in memory. */
  readonly bytes: number;
  /** Whether whoever asked has left. */
  readonly isGone: () => boolean;
}

/** To be called once, when the request is over. */
export type Leave = () => void;

/** Soon: a server that is busy catches up in a second or two. */
const BUSY_SECONDS = 1;
/** Runs take longer to end than that. */
const FULL_SECONDS = 10;

export class StartAdmission {
  readonly #deps: StartAdmissionDeps;
  readonly #held: HeldStarts;
  #starting = 0;
  #bytes = 0;
  #isClosed = false;

  constructor(deps: StartAdmissionDeps) {
    this.#deps = deps;
    this.#held = new HeldStarts(deps);
  }

  /** How many requests are worked on. */
  get starting(): number {
    return this.#starting;
  }

  /** Admits nobody from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Fails with `TooManyRequests` or `ServiceUnavailable`; a server that is busy has it wait before. */
  async admit({ isDryRun, bytes, isGone }: StartRequest): Promise<Leave> {
    const problem = this.#startsProblem(bytes);
    if (problem !== null) throw unavailable(problem);
    if (isDryRun) return this.#enter(bytes);
    this.#held.look();
    const decision = this.#decide();
    if (decision === 'full') throw tooManyRuns(this.#deps.limits.runs);
    // Nobody overtakes those that wait.
    const mayEnter = decision === 'accept' && this.#held.isEmpty;
    return mayEnter ? this.#enter(bytes) : await this.#hold(bytes, isGone);
  }

  #hold(bytes: number, isGone: () => boolean): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(this.#tooBusy());
      const tryEnter = () => {
        if (this.#decide() !== 'accept' || this.#startsProblem(bytes) !== null) return false;
        resolve(this.#enter(bytes));
        return true;
      };
      if (!this.#held.hold({ isGone, tryEnter, refuse })) refuse();
    });
  }

  #enter(bytes: number): Leave {
    this.#starting += 1;
    this.#bytes += bytes;
    return () => {
      this.#starting -= 1;
      this.#bytes -= bytes;
    };
  }

  #decide(): StartDecision {
    const { runs, load, ended, isForAgents, limits } = this.#deps;
    const state = {
      runs: runs.liveCount + this.#starting,
      isBusy: load.isBusy(),
      isForAgents: isForAgents(),
      endedPerSecond: ended.perSecond(),
    };
    return decideStart(state, limits);
  }

  /** One request is taken at any size: waiting would not make it smaller. */
  #startsProblem(bytes: number): string | null {
    if (this.#isClosed) return messages.serverEnds();
    const { startsAtOnce, startsBytes } = this.#deps.limits;
    if (this.#starting >= startsAtOnce) {
      return `The server is starting ${startsAtOnce} workflows, which is the limit (limits.startsAtOnce).`;
    }
    if (this.#starting === 0 || this.#bytes + bytes <= startsBytes) return null;
    return `The workflows that the server is starting have ${startsBytes} bytes, which is the limit (limits.startsBytes).`;
  }

  #tooBusy(): OrchestratorError {
    const { runs, limits } = this.#deps;
    const seconds = limits.waitWhenBusySeconds;
    return unavailable(
      `The server has more to do than it can: it does not end the ${runs.liveCount} workflows that it has in ${seconds} s (limits.waitWhenBusySeconds).`,
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
