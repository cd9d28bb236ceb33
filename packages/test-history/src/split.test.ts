import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../../tests/support/random.ts';
import { agentsFor, batchSize, isSplitFile, queueOf, slownessOf, type Unit } from './split.ts';
import { normal } from './testing/simulated-history.ts';

const unit = (name: string, estimateMs: number | null, hasFailed = false): Unit => ({
  name,
  estimateMs,
  hasFailed,
});

test('units that failed come first, then new ones, then the longest', () => {
  const queue = queueOf([
    unit('short', 10),
    unit('long', 90),
    unit('new', null),
    unit('middle', 50),
    unit('failed', 20, true),
  ]);
  expect(queue.map(({ name }) => name)).toEqual(['failed', 'new', 'long', 'middle', 'short']);
});

test('a unit without history counts as the 75th percentile', () => {
  const estimates = queueOf([1, 2, 3, 4, null].map((ms) => unit(String(ms), ms)));
  expect(estimates.find(({ name }) => name === 'null')?.estimateMs).toBe(3);
});

const queue = queueOf(Array.from({ length: 100 }, (_, at) => unit(`u${at}`, 1_000)));
const asking = { agents: 4, startMs: 100, slowness: 1 };

test('a batch is a part of the fair share, and at least three starts of the tool', () => {
  expect(batchSize(queue, asking)).toBe(20);
  expect(batchSize(queue.slice(0, 10), asking)).toBe(2);
  expect(batchSize(queue.slice(0, 10), { ...asking, startMs: 2_000 })).toBe(6);
  expect(batchSize(queue.slice(0, 20), { ...asking, startMs: null })).toBe(9);
  expect([batchSize(queue.slice(0, 1), asking), batchSize([], asking)]).toEqual([1, 0]);
});

test('a slow agent gets fewer units', () => {
  expect(batchSize(queue, { ...asking, slowness: 2 })).toBe(10);
});

test('the speed of an agent counts more with each of its tests', () => {
  const tests = (count: number) =>
    Array.from({ length: count }, () => ({ durationMs: 200, estimateMs: 100 }));
  expect([0, 20, 180].map((count) => slownessOf(tests(count)))).toEqual([1, 1.5, 1.9]);
});

test('a run asks for as many agents as its target needs', () => {
  const target = { agentsMax: 8, targetMs: 30_000, preparationMs: 8_000, startMs: 2_000 };
  expect(agentsFor(queue, target)).toBe(5);
  expect(agentsFor(queue, { ...target, agentsMax: 3 })).toBe(3);
  expect(agentsFor(queue, { ...target, targetMs: 9_000 })).toBe(8);
  expect(agentsFor([], target)).toBe(1);
});

test('a file longer than a quarter of a share is split', () => {
  const job = { totalMs: 400_000, agents: 4 };
  expect([isSplitFile(25_001, job), isSplitFile(25_000, job)]).toEqual([true, false]);
});

interface Suite {
  readonly units: number;
  readonly meanMs: number;
  readonly startMs: number;
}

/** The ends of agents that take batches until the queue is empty: (last end - mean end) / total time. */
function spreadOf({ units, meanMs, startMs }: Suite, agents: number, random: Random): number {
  const truth = new Map(
    Array.from({ length: units }, (_, at) => [`u${at}`, meanMs * Math.exp(0.6 * normal(random))]),
  );
  let rest = queueOf(
    [...truth].map(([name, ms]) =>
      unit(name, random.chance(0.05) ? null : ms * Math.exp(0.25 * normal(random))),
    ),
  );
  const workers = Array.from({ length: agents }, () => ({
    freeMs: 10_000 * random.next(),
    slowness: Math.exp(0.12 * normal(random)),
    tests: [] as { durationMs: number; estimateMs: number }[],
  }));
  while (rest.length > 0) {
    const worker = workers.reduce((first, each) => (each.freeMs < first.freeMs ? each : first));
    const slowness = slownessOf(worker.tests);
    const size = batchSize(rest, { agents, startMs, slowness });
    worker.freeMs += startMs;
    for (const { name, estimateMs } of rest.slice(0, size)) {
      const durationMs = (truth.get(name) ?? 0) * worker.slowness;
      worker.tests.push({ durationMs, estimateMs });
      worker.freeMs += durationMs;
    }
    rest = rest.slice(size);
  }
  const ends = workers.map(({ freeMs }) => freeMs);
  const last = Math.max(...ends);
  return (last - ends.reduce((sum, end) => sum + end, 0) / agents) / last;
}

test.each([
  ['400 files of 12 s', { units: 400, meanMs: 12_000, startMs: 1_000 }, 4, 0.05],
  ['400 files of 12 s', { units: 400, meanMs: 12_000, startMs: 1_000 }, 16, 0.1],
  ['120 browser files of 60 s', { units: 120, meanMs: 60_000, startMs: 2_000 }, 4, 0.05],
  ['120 browser files of 60 s', { units: 120, meanMs: 60_000, startMs: 2_000 }, 16, 0.1],
  ['2 000 tests of 0.5 s', { units: 2_000, meanMs: 500, startMs: 500 }, 4, 0.05],
  ['2 000 tests of 0.5 s', { units: 2_000, meanMs: 500, startMs: 500 }, 16, 0.1],
])('agents end at about the same time: %s', (_, suite, agents, spreadMax) => {
  const random = createRandom(1);
  const spreads = Array.from({ length: 20 }, () => spreadOf(suite, agents, random));
  expect(spreads.reduce((sum, spread) => sum + spread, 0) / 20).toBeLessThanOrEqual(spreadMax);
});
