/**
 * Work in turns of the event loop. Whoever has much to do lets others run after some milliseconds. Of all who wait so, one goes on in each
 * turn: a hundred of them make no turn longer than one does.
 */
import { performance } from 'node:perf_hooks';
import type { Steps } from '@tutti/manifests';

/** After this time others get their turn. */
const TURN_MS = 5;

const waiting: (() => void)[] = [];

/** Resolves in a later turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** The turns of one piece of work. To be asked after each step: `if (turns.isOver) await turns.next()`. */
export class Turns {
  #sinceMs = performance.now();

  /** True when the work has lasted long enough for this turn. */
  get isOver(): boolean {
    return performance.now() - this.#sinceMs >= TURN_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#sinceMs = performance.now();
  }

  /** Carries out steps in as many turns as they need. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.isOver) await this.next();
    }
  }
}
