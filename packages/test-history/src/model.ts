/**
 * The two-state model of a variant. A good variant fails with its own rate, a bad one nearly always; it may change at each version. The
 * model weighs both states together with each rate of a grid.
 */

/** Rates of failure that the model knows. */
export const GRID: readonly number[] = [
  0, 0.0005, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.2, 0.3,
  0.4, 0.5, 0.6, 0.7,
];

export const MODEL = {
  /** A good variant becomes bad at a new version. */
  breaks: 0.003,
  /** A bad variant becomes good at a new version. */
  mends: 0.25,
  /** A bad variant fails. */
  badFails: 0.97,
  /** The smallest rate of failure in a product: rate 0 must explain a failure, too. */
  leastRate: 1e-5,
  /** A new variant never fails by chance. The other rates share the rest. */
  neverFails: 0.9,
  /** A new variant is bad. */
  startsBad: 0.01,
  /** From this rate on, a variant is flaky. */
  flakyRate: 0.002,
} as const;

const SIZE = GRID.length;
const FIRST_FLAKY = GRID.findIndex((rate) => rate >= MODEL.flakyRate);
/** Without a least weight, a rate that was ruled out by hundreds of passes would never come back. Large enough for 32 bits. */
const LEAST_WEIGHT = 1e-30;

/** First the weights of the grid while the variant is good, then while it is bad. Their sum is 1. */
export type Weights = Float32Array | Float64Array;

/** The number of weights of one variant. */
export const WEIGHTS = 2 * SIZE;

export interface Belief {
  /** The expected rate of failures while the variant is good. */
  readonly flakeRate: number;
  /** The probability that the variant is flaky. */
  readonly flaky: number;
  /** The probability that the variant is broken now. */
  readonly broken: number;
}

/** Makes the weights of a variant without executions. */
export function startModel(weights: Weights): void {
  for (let at = 0; at < SIZE; at++) {
    const prior = at === 0 ? MODEL.neverFails : (1 - MODEL.neverFails) / (SIZE - 1);
    weights[at] = (1 - MODEL.startsBad) * prior;
    weights[SIZE + at] = MODEL.startsBad * prior;
  }
}

/** The next execution has another version than the one before. */
export function beginVersion(weights: Weights): void {
  for (let at = 0; at < SIZE; at++) {
    const good = weights[at] ?? 0;
    const bad = weights[SIZE + at] ?? 0;
    weights[at] = good * (1 - MODEL.breaks) + bad * MODEL.mends;
    weights[SIZE + at] = good * MODEL.breaks + bad * (1 - MODEL.mends);
  }
}

/** The probabilities of a failure and of a pass, for each weight. */
const FAILS = new Float64Array(WEIGHTS);
const PASSES = new Float64Array(WEIGHTS);
GRID.forEach((rate, at) => {
  FAILS[at] = Math.max(rate, MODEL.leastRate);
  PASSES[at] = 1 - rate;
  FAILS[SIZE + at] = MODEL.badFails;
  PASSES[SIZE + at] = 1 - MODEL.badFails;
});

/** The variant failed, or passed. */
export function observe(weights: Weights, isFailed: boolean): void {
  const likelihoods = isFailed ? FAILS : PASSES;
  let sum = 0;
  for (let at = 0; at < WEIGHTS; at++) {
    const weight = (weights[at] ?? 0) * (likelihoods[at] ?? 0);
    weights[at] = weight;
    sum += weight;
  }
  for (let at = 0; at < WEIGHTS; at++) {
    weights[at] = Math.max((weights[at] ?? 0) / sum, LEAST_WEIGHT);
  }
}

export function beliefOf(weights: Weights): Belief {
  let [flakeRate, flaky, broken] = [0, 0, 0];
  for (let at = 0; at < SIZE; at++) {
    const bad = weights[SIZE + at] ?? 0;
    const both = (weights[at] ?? 0) + bad;
    flakeRate += (GRID[at] ?? 0) * both;
    if (at >= FIRST_FLAKY) flaky += both;
    broken += bad;
  }
  return { flakeRate, flaky, broken };
}
