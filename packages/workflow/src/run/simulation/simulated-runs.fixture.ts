/** The runs that the tests simulate. Each part is a file of its own, because files are tested in parallel. */
import { simulate } from './simulation.ts';

const PARTS = 2;
const SEED = Number(process.env.TUTTI_SIMULATION_SEED ?? 1);

export const SIMULATED_RUNS = Number(process.env.TUTTI_SIMULATION_RUNS ?? 2_000);

/** A run takes some milliseconds; the rest is for machines that have much else to do. */
export const SIMULATION_TIMEOUT_MS = Math.max(60_000, 60 * SIMULATED_RUNS);

/** Throws with the seed of the first run that breaks a rule; the result is how many there were. */
export function simulatePart(part: number): number {
  let done = 0;
  for (let run = part; run < SIMULATED_RUNS; run += PARTS) {
    simulate(SEED + run);
    done += 1;
  }
  return done;
}
