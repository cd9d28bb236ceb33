/** The executions of the tests of a project: each leaves a line in a file. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Manifest } from '../support/runs.ts';
import type { ProjectRun, RunOptions, TechnologyBench } from './bench.ts';

/** Number of executions by test. */
export async function counted(file: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const name of (await readFile(file, 'utf8')).trim().split('\n')) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export const executionsFile = async (): Promise<string> =>
  join(await mkdtemp(join(tmpdir(), 'tutti-retry-')), 'executions');

export interface Retried {
  readonly project: string;
  readonly call: Manifest;
  /** The number of tests that pass: `adds-0`, `adds-1` and so on. */
  readonly passing: number;
  /** Names of further tests in the file, with their executions. */
  readonly others: Readonly<Record<string, number>>;
  readonly options?: RunOptions;
}

/** Twenty tests, three of which fail once: these alone run again, and the step passes. */
export async function expectRetry(
  bench: TechnologyBench,
  { project, call, passing, others, options = {} }: Retried,
): Promise<ProjectRun> {
  const EXECUTIONS = await executionsFile();
  const judged = { ...call, tests: { retry: { times: 2 } } };
  const variables = { ...options.variables, EXECUTIONS };
  const run = await bench.run(project, judged, { ...options, variables });
  const passed = Array.from({ length: passing }, (_, number) => [`adds-${number}`, 1] as const);
  expect(await counted(EXECUTIONS), run.log).toEqual({ ...Object.fromEntries(passed), ...others });
  expect(run.hasPassed, run.log).toBe(true);
  expect(run.cases.filter((each) => !each.endsWith('SUCCESS'))).toEqual([]);
  expect(run.log).toContain('3 of 20 tests failed. They run again: attempt 2 of 3.');
  expect(run.log).toContain('3 tests flaked (failed, then passed): ');
  return run;
}
