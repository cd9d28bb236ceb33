/**
 * Requests for runs that a busy server holds before it reads them, in the order in which they came. Whoever sends a thousand runs over some connections is slowed
 * down by that, and not refused; a server that waits for agents alone has time for them a moment later. Their number and their time are bounded.
 */
import type { Timers } from '../../bus/timers.ts';
import type { Clock } from '../../runtime/clock.ts';
import { LIMITS } from '../../runtime/limits.ts';

export interface HeldStart {
  /** Whether whoever asked has left. */
  readonly isGone: () => boolean;
  /** False where there is no room. */
  readonly tryEnter: () => boolean;
  readonly refuse: () => void;
}

export interface HeldStartsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
}

/** How often it is looked whether there is room: what ends in between enters together. */
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

  /** False when there are as many as may be. */
  hold(start: HeldStart): boolean {
    if (this.#held.length >= LIMITS.startsHeld) return false;
    this.#held.push({ ...start, untilMs: this.#deps.clock.monotonicMs() + LIMITS.startsHeldMs });
    this.#lookLater();
    return true;
  }

  /** Lets in those that there is room for. */
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
