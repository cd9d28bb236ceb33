import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  beginVersion,
  beliefOf,
  GRID,
  MODEL,
  observe,
  startModel,
  WEIGHTS,
  type Weights,
} from './model.ts';

/** Versions between bars, with P for a pass and F for a failure. */
function weightsAfter(versions: readonly string[], weights: Weights = new Float64Array(WEIGHTS)) {
  startModel(weights);
  versions.forEach((version, at) => {
    if (at > 0) beginVersion(weights);
    for (const outcome of version) observe(weights, outcome === 'F');
  });
  return weights;
}

const passes = (count: number): string[] => Array.from({ length: count }, () => 'P');
const oneFailure = [...passes(20), 'FP'];

test.each([
  ['50 passes', passes(50), { flaky: 0.024, broken: 0 }],
  ['20 passes, then one that failed first', oneFailure, { flaky: 0.855 }],
  ['the same ten passes later', [...oneFailure, ...passes(10), 'FP'], { flaky: 0.999 }],
  ['three failed versions', [...passes(50), 'FF', 'FF', 'FF'], { broken: 1, flaky: 0.024 }],
  ['a fixed regression', [...passes(50), 'FF', 'FF', 'FF', 'FF', ...passes(20)], { flaky: 0.02 }],
])('reference values of the model: %s', (_, versions, expected) => {
  for (const weights of [new Float64Array(WEIGHTS), new Float32Array(WEIGHTS)]) {
    const belief = beliefOf(weightsAfter(versions, weights));
    const shown = Object.fromEntries(
      Object.keys(expected).map((key) => [key, Math.round(Object(belief)[key] * 1000) / 1000]),
    );
    expect(shown).toEqual(expected);
  }
});

const priorOf = (at: number): number =>
  at === 0 ? MODEL.neverFails : (1 - MODEL.neverFails) / (GRID.length - 1);

/** The weight of one sequence of states, with one rate. */
function weightOf(versions: readonly string[], sequence: readonly boolean[], rate: number): number {
  let weight = 1;
  versions.forEach((version, at) => {
    const isBad = sequence[at] === true;
    const ofChange = sequence[at - 1] === true ? 1 - MODEL.mends : MODEL.breaks;
    const toBad = at === 0 ? MODEL.startsBad : ofChange;
    const fails = isBad ? MODEL.badFails : rate;
    weight *= isBad ? toBad : 1 - toBad;
    for (const outcome of version) {
      weight *= outcome === 'F' ? Math.max(fails, MODEL.leastRate) : 1 - fails;
    }
  });
  return weight;
}

/** The same by definition: the sum over every sequence of good and bad versions, for each rate of the grid. First of those that end good. */
function directSum(versions: readonly string[]): readonly number[] {
  const sums = Array.from({ length: WEIGHTS }, () => 0);
  for (let number = 0; number < 2 ** versions.length; number++) {
    const sequence = versions.map((_, at) => ((number >> at) & 1) === 1);
    const offset = sequence.at(-1) === true ? GRID.length : 0;
    GRID.forEach((rate, at) => {
      const sum = sums[offset + at] ?? 0;
      sums[offset + at] = sum + priorOf(at) * weightOf(versions, sequence, rate);
    });
  }
  return sums;
}

test('the weights are those of a sum over all sequences of states of 12 versions', () => {
  const version = fc.string({ unit: fc.constantFrom('P', 'P', 'F'), minLength: 1, maxLength: 3 });
  const histories = fc.array(version, { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(histories, (versions) => {
      const direct = directSum(versions);
      const sum = direct.reduce((total, weight) => total + weight, 0);
      const weights = weightsAfter(versions);
      direct.forEach((weight, at) => {
        expect(Math.abs((weights[at] ?? 0) - weight / sum)).toBeLessThan(1e-9);
      });
    }),
    { numRuns: 20 },
  );
});

test('a rate that passes ruled out comes back with failures', () => {
  const weights = weightsAfter(passes(2_000), new Float32Array(WEIGHTS));
  for (let run = 0; run < 200; run++) {
    beginVersion(weights);
    observe(weights, run % 2 === 0);
    observe(weights, false);
  }
  expect(beliefOf(weights).flakeRate).toBeGreaterThan(0.2);
});
