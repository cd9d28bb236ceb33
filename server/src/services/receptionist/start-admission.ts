/**
 * Decides which new runs may start. It limits the requests in work, with a share for each subject, and the number of live runs. A
 * busy server with agents at work accepts only as many runs as it soon ends. Requests of agents always pass, because they end
 * runs. A request counts as a run until its answer is sent, so the limit of runs holds.
 */
import { messages, OrchestratorError } from '@tutti/manifests';
import type { RunDirectory } from '../../bus/bus.ts';
import type { Timers } from '../../bus/timers.ts';
import type { Clock } from '../../runtime/clock.ts';
import { LIMITS } from '../../runtime/limits.ts';
import type { RecentRate } from '../../runtime/recent-rate.ts';
import { type Holder, type Leave, type ShareFractions, Shares } from '../../runtime/shares.ts';
import type { ThreadLoad } from '../../runtime/thread-load.ts';
import { HeldStarts } from './held-starts.ts';
import { decideStart, type RunBounds, type StartDecision } from './start-decision.ts';

export interface StartLimits extends RunBounds, ShareFractions {
  /** Requests that are worked on. */
  readonly startsAtOnce: number;
}

export interface StartAdmissionDeps {
  readonly runs: Pick<RunDirectory, 'liveCount'>;
  readonly load: ThreadLoad;
  /** Rate of runs that end. */
  readonly ended: RecentRate;
  /** Whether runs wait for missing or slow agents. */
  readonly isForAgents: () => boolean;
  readonly limits: StartLimits;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
}

/** Facts of a request before its body is read. */
export interface StartRequest {
  readonly isDryRun: boolean;
  readonly holder: Holder;
  /** Whether the client has left. */
  readonly isGone: () => boolean;
}

/** A busy server catches up in a second or two. */
const BUSY_SECONDS = 1;
/** Runs take longer to end than that. */
const FULL_SECONDS = 10;

export class StartAdmission {
  readonly #deps: StartAdmissionDeps;
  readonly #held: HeldStarts;
  readonly #shares: Shares;
  readonly #heldShares: Shares;
  #starting = 0;
  #isClosed = false;

  constructor(deps: StartAdmissionDeps) {
    this.#deps = deps;
    this.#held = new HeldStarts(deps);
    const { startsAtOnce, subjectShare, namespaceShare } = deps.limits;
    const sharesOf = (total: number, things: string) =>
      new Shares({ total, things, subjectShare, namespaceShare });
    this.#shares = sharesOf(
      startsAtOnce,
      'requests for workflows at one time (limits.startsAtOnce)',
    );
    this.#heldShares = sharesOf(LIMITS.startsHeld, 'requests for workflows that wait');
  }

  /** Number of requests in work. */
  get starting(): number {
    return this.#starting;
  }

  /** Refuses all requests from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Rejects with `TooManyRequests` or `ServiceUnavailable`; a busy server first lets it wait. */
  async admit({ isDryRun, holder, isGone }: StartRequest): Promise<Leave> {
    const problem = this.#startsProblem();
    if (problem !== null) throw unavailable(problem);
    if (isDryRun) return this.#enter(holder);
    this.#held.look();
    const decision = this.#decide();
    if (decision === 'full') throw tooManyRuns(this.#deps.limits.runs);
    // New requests wait behind held ones.
    const mayEnter = decision === 'accept' && this.#held.isEmpty;
    return mayEnter ? this.#enter(holder) : await this.#hold(holder, isGone);
  }

  async #hold(holder: Holder, isGone: () => boolean): Promise<Leave> {
    const giveBack = this.#heldShares.take(holder);
    try {
      return await this.#turn(holder, isGone);
    } finally {
      giveBack();
    }
  }

  #turn(holder: Holder, isGone: () => boolean): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(this.#tooBusy());
      const tryEnter = () => {
        if (this.#decide() !== 'accept' || this.#startsProblem() !== null) return false;
        // A sender beyond its share is refused, so that it does not block those behind it.
        const refusal = this.#shares.refusal(holder);
        if (refusal === null) resolve(this.#enter(holder));
        else reject(refusal);
        return true;
      };
      if (!this.#held.hold({ isGone, tryEnter, refuse })) refuse();
    });
  }

  #enter(holder: Holder): Leave {
    const giveBack = this.#shares.take(holder);
    this.#starting += 1;
    return () => {
      this.#starting -= 1;
      giveBack();
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

  #startsProblem(): string | null {
    if (this.#isClosed) return messages.serverEnds();
    const { startsAtOnce } = this.#deps.limits;
    if (this.#starting < startsAtOnce) return null;
    return `The server is starting ${startsAtOnce} workflows, which is the limit (limits.startsAtOnce).`;
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
