import { expect, test } from 'vitest';
import { simulate } from './simulation.ts';

const RUNS = Number(process.env.TUTTI_SIMULATION_RUNS ?? 10_000);
const SEED = Number(process.env.TUTTI_SIMULATION_SEED ?? 1);

/** A run takes some milliseconds; the rest is for machines that have much else to do. */
const TIMEOUT_MS = Math.max(60_000, 60 * RUNS);

test(`${RUNS} simulated runs from seed ${SEED} on keep all rules`, { timeout: TIMEOUT_MS }, () => {
  let done = 0;
  for (; done < RUNS; done += 1) simulate(SEED + done);
  expect(done).toBe(RUNS);
});
