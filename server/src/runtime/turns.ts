/**
 * Divides work into turns of the event loop. All work of one turn shares one time budget. When it is used up, long work pauses,
 * and requests wait for the next turn. Each turn continues one piece of paused work: a hundred of them make no turn longer.
 */
import { performance } from 'node:perf_hooks';
import type { Steps } from '@tutti/manifests';

/** After this time other work gets its turn. */
const TURN_MS = 5;

/** Paused work, in the order in which it goes on. */
const paused: (() => void)[] = [];

/** Waits for a later turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    paused.push(resolve);
    planTurn();
  });
}

let isPlanned = false;

function planTurn(): void {
  if (isPlanned) return;
  isPlanned = true;
  setImmediate(takeTurn);
}

function takeTurn(): void {
  isPlanned = false;
  if (!isForConnections()) {
    paused.shift()?.();
    if (arrivals.size > 0) beginOrWait();
  }
  if (paused.length > 0 || arrivals.size > 0) planTurn();
}

/** Turns in a row that are left to new connections. */
const TURNS_FOR_CONNECTIONS = 16;
let turnsLeft = TURNS_FOR_CONNECTIONS;
let hasConnection = false;

/** Node accepts one connection in a turn. Where one came, more may wait, and the next turns do nothing else. */
export function noteConnection(): void {
  hasConnection = true;
}

function isForConnections(): boolean {
  const isLeft = hasConnection && turnsLeft > 0;
  turnsLeft = isLeft ? turnsLeft - 1 : TURNS_FOR_CONNECTIONS;
  hasConnection = false;
  return isLeft;
}

let turnSinceMs: number | null = null;
/** Earlier work in this turn has used up its budget. */
let isUsedUp = false;

/** Begin of the work in this turn, or a moment later. */
function sinceOfTurn(): number {
  if (turnSinceMs !== null) return turnSinceMs;
  const sinceMs = performance.now();
  turnSinceMs = sinceMs;
  setImmediate(() => {
    turnSinceMs = null;
    isUsedUp = performance.now() - sinceMs >= TURN_MS;
  });
  return sinceMs;
}

/** The turns of one piece of work. Call after each step: `if (turns.isOver) await turns.next()`. */
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

/**
 * Waiting work of each asker, in the order of their turns. An asker moves to the end after a turn, so that many requests delay only
 * their own sender.
 */
const arrivals = new Map<string, (() => void)[]>();

/**
 * Begins short work: at once, or in a later turn if this one's budget is used up. Work of one asker begins in the order of
 * arrival.
 */
export function beginInTurn(asker: () => string, begin: () => void): void {
  if (arrivals.size === 0 && performance.now() - sinceOfTurn() < TURN_MS) {
    begin();
    return;
  }
  planTurn();
  const name = asker();
  const own = arrivals.get(name);
  if (own === undefined) arrivals.set(name, [begin]);
  else own.push(begin);
}

/** Does work in its turn, and resolves with the result. */
export function doInTurn<Result>(asker: string, work: () => Result): Promise<Result> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
    beginInTurn(() => asker, begin);
  });
}

function beginFirst(): void {
  for (const [asker, works] of arrivals) {
    const begin = works.shift();
    arrivals.delete(asker);
    if (works.length > 0) arrivals.set(asker, works);
    begin?.();
    return;
  }
}

let hasWaited = false;

/** Waits for one turn at most, so that what came is begun however busy the turns are. */
function beginOrWait(): void {
  hasWaited = isUsedUp && !hasWaited;
  isUsedUp = false;
  if (!hasWaited) beginWaiting();
}

function beginWaiting(): void {
  const sinceMs = performance.now();
  const next = () => {
    beginFirst();
    if (arrivals.size === 0) return;
    // Its continuations in promises run before the next tick.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (performance.now() - sinceMs < TURN_MS) next();
      }),
    );
  };
  next();
}
