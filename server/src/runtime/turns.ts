/**
 * Divides work into turns of the event loop. All work of one turn shares one time budget. When it is used up, long work pauses,
 * and requests wait for a later turn. A turn continues as much of both as fits: a hundred pieces make no turn longer.
 */
import { performance } from 'node:perf_hooks';
import type { Steps } from '@tutti/manifests';

/** After this time other work gets its turn. */
const TURN_MS = 5;

/** Paused work, in the order in which it goes on. Each piece is given the begin of the turn's time. */
const paused: ((sinceMs: number) => void)[] = [];

/** Waits for a later turn of the event loop. Resolves with the begin of its time. */
export function nextTurn(): Promise<number> {
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

/** Begin of the work in this turn; null without any. */
let turnSinceMs: number | null = null;
/** Waiting work was left out of the turn before. */
let hasWaited = false;

/** Ends a turn: what waits goes on, unless the turn is used up. It waits for one turn at most, however busy the turns are. */
function takeTurn(): void {
  isPlanned = false;
  const isUsedUp = turnSinceMs !== null && performance.now() - turnSinceMs >= TURN_MS;
  turnSinceMs = null;
  const isForOthers = isForConnections();
  if (paused.length === 0 && arrivals.size === 0) return;
  hasWaited = isForOthers || (isUsedUp && !hasWaited);
  if (hasWaited) planTurn();
  else goOn();
}

/** Continues waiting work. Work that pauses again in this turn goes on in a later one. */
function goOn(): void {
  let left = paused.length;
  const piece = (sinceMs: number) => {
    if (isArrivalNext(left)) beginFirst();
    else {
      left -= 1;
      paused.shift()?.(sinceMs);
    }
    return left > 0 || arrivals.size > 0;
  };
  fillTurn(piece, () => {
    if (paused.length > 0 || arrivals.size > 0) planTurn();
  });
}

let wasArrival = false;

/** Requests and paused work take turns, also where each is long enough for a whole turn. */
function isArrivalNext(pausedLeft: number): boolean {
  wasArrival = arrivals.size > 0 && (pausedLeft === 0 || !wasArrival);
  return wasArrival;
}

/**
 * Does short pieces of work, one at least, while there are more and time is left. Each comes after the one before with its continuations
 * in promises. A piece is given the begin of the time, and answers whether there are more. Calls `then` at the end.
 */
export function fillTurn(piece: (sinceMs: number) => boolean, then: () => void): void {
  const sinceMs = performance.now();
  const before = turnSinceMs;
  turnSinceMs = sinceMs;
  const next = () => {
    const hasMore = piece(sinceMs);
    queueMicrotask(() =>
      process.nextTick(() => {
        if (hasMore && performance.now() - sinceMs < TURN_MS) return next();
        turnSinceMs = before;
        then();
      }),
    );
  };
  next();
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

/** Begin of the work in this turn, or a moment later. */
function sinceOfTurn(): number {
  if (turnSinceMs === null) {
    turnSinceMs = performance.now();
    planTurn();
  }
  return turnSinceMs;
}

/** The turns of one piece of work. Call after each step: `if (turns.isOver) await turns.next()`. */
export class Turns {
  #sinceMs = sinceOfTurn();

  /** True when the work has lasted long enough for this turn. */
  get isOver(): boolean {
    return performance.now() - this.#sinceMs >= TURN_MS;
  }

  async next(): Promise<void> {
    this.#sinceMs = await nextTurn();
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
