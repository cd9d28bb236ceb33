/**
 * Work in turns of the event loop. What is done in one turn has one budget of time, whoever asked for it: long work lets others run when it
 * is used up, and requests wait for the next turn. Of long work that waits so, one goes on in each turn. A hundred of them make no turn
 * longer than one does.
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

let turnSinceMs: number | null = null;

/** When the work of this turn began, or a moment later. */
function sinceOfTurn(): number {
  if (turnSinceMs !== null) return turnSinceMs;
  turnSinceMs = performance.now();
  setImmediate(() => {
    turnSinceMs = null;
  });
  return turnSinceMs;
}

/** The turns of one piece of work. To be asked after each step: `if (turns.isOver) await turns.next()`. */
export class Turns {
  #sinceMs = sinceOfTurn();

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

const arrivals: (() => void)[] = [];

/** Begins short work: at once, or in a later turn where what came before it has used up this one. All begin in the order they came. */
export function beginInTurn(begin: () => void): void {
  if (arrivals.length === 0 && performance.now() - sinceOfTurn() < TURN_MS) begin();
  else if (arrivals.push(begin) === 1) setImmediate(beginNext);
}

function beginNext(): void {
  const sinceMs = performance.now();
  const next = () => {
    const begin = arrivals.shift();
    begin?.();
    if (arrivals.length === 0) return;
    // What it goes on with in promises is done before the next tick.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (performance.now() - sinceMs < TURN_MS) next();
        else setImmediate(beginNext);
      }),
    );
  };
  next();
}
