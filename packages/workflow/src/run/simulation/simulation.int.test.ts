import { expect, test } from 'vitest';
import { simulate } from './simulation.ts';

const RUNS = Number(process.env.TUTTI_SIMULATION_RUNS ?? 10_000);
const SEED = Number(process.env.TUTTI_SIMULATION_SEED ?? 1);

test(`${RUNS} simulated runs from seed ${SEED} on keep all rules`, { timeout: 300_000 }, () => {
  let done = 0;
  for (; done < RUNS; done += 1) simulate(SEED + done);
  expect(done).toBe(RUNS);
});
