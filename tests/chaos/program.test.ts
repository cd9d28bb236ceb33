/**
 * The program of `npm run chaos`, for a few seconds. It has all kinds of faults, and checks all that must be true in the end.
 * `TUTTI_CHAOS_SEED` makes the same choices again.
 */
import { expect, test } from 'vitest';
import { runChaos } from './program/chaos-run.ts';
import { planFaults, planText } from './program/fault-plan.ts';

const SEED = Number(process.env.TUTTI_CHAOS_SEED ?? Date.now() % 2 ** 32);
const LENGTH_MS = 12_000;
const ASSAULT_MS = 5_000;
/** Only a server that stands still takes longer; `npm run chaos` asks for a second on a machine of its own. */
const STARTS_WITHIN_MS = 20_000;

test(`a short storm of all kinds of faults breaks no promise (seed ${SEED})`, async () => {
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  const { signal } = new AbortController();
  const report = await runChaos({
    ...{ seed: SEED, lengthMs: LENGTH_MS, replicas: 1, report: print, signal },
    assault: { lengthMs: ASSAULT_MS, startsWithinMs: STARTS_WITHIN_MS },
    // Installing them takes longer than the storm.
    hasExistingAgents: false,
  });
  const plan = planText(planFaults(SEED, LENGTH_MS));
  const context = `Kept in ${report.kept}. With seed ${SEED} was planned:\n${plan}`;
  expect(report.violations, context).toEqual([]);
  expect(report.counts.get('faults')).toBe(planFaults(SEED, LENGTH_MS).length);
  expect(report.counts.get('runs known in the end')).toBeGreaterThan(0);
});
