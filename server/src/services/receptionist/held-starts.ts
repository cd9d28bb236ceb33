/**
 * Holds requests for runs while the server is busy, in order and before it reads them. This slows down a sender of a thousand
 * runs without refusing it. A server that only waits for agents soon has time. Number and waiting time are bounded.
 */
import type { Timers } from '../../bus/timers.ts';
import type { Clock } from '../../runtime/clock.ts';
import { LIMITS } from '../../runtime/limits.ts';

export interface HeldStart {
  /** Whether the client has left. */
  readonly isGone: () => boolean;
  /** False without room. */
  readonly tryEnter: () => boolean;
  readonly refuse: () => void;
}

export interface HeldStartsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
}

/** Interval of checks for room: all runs that end in between free room together. */
const LOOK_MS = 20;

export class HeldStarts {
  readonly #deps: HeldStartsDeps;
  readonly #held: (HeldStart & { readonly untilMs: number })[] = [];
  #isLooking = false;

  constructor(deps: HeldStartsDeps) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** False if the limit is reached. */
  hold(start: HeldStart): boolean {
    if (this.#held.length >= LIMITS.startsHeld) return false;
    this.#held.push({ ...start, untilMs: this.#deps.clock.monotonicMs() + LIMITS.startsHeldMs });
    this.#lookLater();
    return true;
  }

  /** Admits as many as there is room for. */
  look(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (let [first] = this.#held; first !== undefined; [first] = this.#held) {
      if (first.isGone()) first.refuse();
      else if (!first.tryEnter()) {
        if (nowMs < first.untilMs) return;
        first.refuse();
      }
      this.#held.shift();
    }
  }

  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#deps.timers.after(LOOK_MS, () => {
      this.#isLooking = false;
      this.look();
      if (!this.isEmpty) this.#lookLater();
    });
  }
}
