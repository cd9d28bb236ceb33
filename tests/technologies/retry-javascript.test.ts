/** Judged steps with the real tools of JavaScript: only the tests that failed run again, whatever their titles have. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { type Found, need } from '../support/found-tool.ts';
import type { Manifest } from '../support/runs.ts';
import { type ProjectRun, type RunOptions, technologyBench } from './bench.ts';
import { counted, executionsFile } from './executions.ts';
import { installedTools, projectFolder } from './tools.ts';

const PROJECT = 'retry-javascript';
const { failing, passing } = createRequire(import.meta.url)(
  `${projectFolder(PROJECT)}/shop.cjs`,
) as Readonly<Record<'failing' | 'passing', readonly string[]>>;

const bench = await technologyBench();
const playwright = await installedTools('node_modules');

const times = (names: readonly string[], count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name) => [name, count]));
const ALONE = { ...times(passing, 1), ...times(failing, 2) };
const WITH_MORE = { ...ALONE, [`more ${failing[0]}`]: 1 };

/** The run of a judged step, and the number of executions by test. */
async function ran(call: Manifest, options: RunOptions) {
  const EXECUTIONS = await executionsFile();
  const judged = { ...call, tests: { retry: { times: 2 } } };
  const variables = { ...options.variables, EXECUTIONS };
  const run = await bench.run(PROJECT, judged, { ...options, variables });
  return { run, executions: await counted(EXECUTIONS) };
}

function expectFlaked(run: ProjectRun, count: number): void {
  expect(run.log).toContain(`3 of ${count} tests failed. They run again: attempt 2 of 3.`);
  expect(run.log).toContain('3 tests flaked (failed, then passed): ');
  expect(run.cases.filter((each) => !each.endsWith('SUCCESS'))).toEqual([]);
  expect(run.hasPassed).toBe(true);
}

interface Tool {
  readonly packages: Found<string>;
  readonly alone: Manifest;
  readonly withMore: Manifest;
}

describe.each<[name: string, tool: Tool]>([
  [
    'Playwright',
    {
      packages: playwright,
      alone: { uses: 'playwright/execute@v1', with: { test: 'playwright/cart.spec.js' } },
      withMore: { uses: 'playwright/npx@v1', with: { test: 'playwright/' } },
    },
  ],
])('%s runs the tests that failed again, and no others', (name, tool) => {
  test('of one file', async (context) => {
    const packages = need(tool.packages, name, context);
    const { run, executions } = await ran(tool.alone, { packages });
    expect(executions).toEqual(ALONE);
    expectFlaked(run, 20);
  });

  test('of several files, which have tests of the same title', async (context) => {
    const packages = need(tool.packages, name, context);
    const { run, executions } = await ran(tool.withMore, { packages });
    expect(executions).toEqual(WITH_MORE);
    expectFlaked(run, 21);
  });
});
