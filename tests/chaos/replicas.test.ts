/**
 * `npm run chaos -- --replicas 3`, for two minutes: kills, pauses, failovers, cut connections and a bucket in trouble. The choices are the
 * same each time. `TUTTI_CHAOS_SEED` makes others.
 */
import { setPriority } from 'node:os';
import { expect, test } from 'vitest';
import { runChaos } from './program/chaos-run.ts';
import { planFaults, planText } from './program/fault-plan.ts';

const SEED = Number(process.env.TUTTI_CHAOS_SEED ?? 101);
const REPLICAS = 3;
const LENGTH_MS = 120_000;
/** Other tests come first: this one is long, and its processes inherit this. */
const NICE = 5;
/** The plan goes slowly while no replica is up: on a machine with much else to do, for minutes. */
const HANGS_MS = 1_200_000;

setPriority(NICE);

test(`a storm around three replicas breaks no promise (seed ${SEED})`, {
  timeout: HANGS_MS,
}, async () => {
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  const { signal } = new AbortController();
  const report = await runChaos({
    ...{ seed: SEED, lengthMs: LENGTH_MS, replicas: REPLICAS, report: print, signal },
    assault: null,
    // Installing them takes longer than the storm.
    hasExistingAgents: false,
  });
  const faults = planFaults(SEED, LENGTH_MS, REPLICAS);
  const context = `Kept in ${report.kept}. With seed ${SEED} was planned:\n${planText(faults)}`;
  expect(report.violations, context).toEqual([]);
  expect(report.counts.get('faults')).toBe(faults.length);
  expect(report.counts.get('runs known in the end')).toBeGreaterThan(0);
});
