import { expect, test } from 'vitest';
import { SIMULATED_RUNS, SIMULATION_TIMEOUT_MS, simulatePart } from './simulated-runs.fixture.ts';

test('every other simulated run keeps all rules, from the second on', {
  timeout: SIMULATION_TIMEOUT_MS,
}, () => {
  expect(simulatePart(1)).toBe(Math.floor(SIMULATED_RUNS / 2));
});
