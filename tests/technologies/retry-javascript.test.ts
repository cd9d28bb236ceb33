/** Judged steps with the real tools of JavaScript: only the tests that failed run again, whatever their titles have. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { type Found, need } from '../support/found-tool.ts';
import type { Manifest } from '../support/runs.ts';
import { type ProjectRun, type RunOptions, technologyBench } from './bench.ts';
import { counted, executionsFile } from './executions.ts';
import { installedTools, installNode, ownPackages, projectFolder } from './tools.ts';

const PROJECT = 'retry-javascript';
const { failing, passing } = createRequire(import.meta.url)(
  `${projectFolder(PROJECT)}/shop.cjs`,
) as Readonly<Record<'failing' | 'passing', readonly string[]>>;

const bench = await technologyBench();
const [playwright, jest, mocha, cucumber] = await Promise.all([
  installedTools('node_modules'),
  installNode('jest'),
  installNode('mocha'),
  installNode('cucumber-js'),
]);

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
  [
    'Jest',
    {
      packages: jest,
      alone: { uses: 'jest/execute@v1', with: { test: 'jest/cart.test.js' } },
      withMore: { uses: 'jest/jest@v1', with: { test: 'jest/' } },
    },
  ],
  [
    'Vitest',
    {
      packages: ownPackages,
      alone: { uses: 'vitest/execute@v1', with: { test: 'vitest/cart.test.js' } },
      withMore: { uses: 'vitest/vitest@v1', with: { test: 'vitest/' } },
    },
  ],
  [
    'Mocha',
    {
      packages: mocha,
      alone: { uses: 'mocha/execute@v1', with: { test: 'mocha/cart.js' } },
      withMore: {
        uses: 'mocha/mocha@v1',
        with: { test: 'mocha', options: ['--recursive', '--parallel'] },
      },
    },
  ],
  [
    'Cucumber-js',
    {
      packages: cucumber,
      alone: { uses: 'cucumber-js/execute@v1', with: { test: 'features/cart.feature' } },
      // The files are in the configuration.
      withMore: { uses: 'cucumber-js/cucumber-js@v1', with: { options: ['--profile=all'] } },
    },
  ],
  [
    'node:test',
    {
      packages: ownPackages,
      alone: { uses: 'node-test/execute@v1', with: { test: 'node/cart.test.js' } },
      withMore: { uses: 'node-test/node-test@v1', with: {}, 'working-directory': 'node' },
    },
  ],
])('%s runs the tests that failed again, and no others', (name, tool) => {
  test('of one file', async (context) => {
    const packages = need(tool.packages, name, context);
    const { run, executions } = await ran(tool.alone, { packages });
    expect(executions).toEqual(ALONE);
    expectFlaked(run, 20);
  });

  test('of several files', async (context) => {
    const packages = need(tool.packages, name, context);
    const { run, executions } = await ran(tool.withMore, { packages });
    expect(executions).toEqual(WITH_MORE);
    expectFlaked(run, 21);
  });
});

test('all of a step runs again where a pattern would also find a test that passed', async (context) => {
  const packages = need(jest, 'Jest', context);
  const call = { uses: 'jest/jest@v1', with: { test: 'titles/' } };
  const { run, executions } = await ran(call, { packages });
  expect(run.log).toContain('The whole step runs again, since they cannot be selected');
  expect(executions).toEqual(times([failing[0] ?? '', failing[1] ?? '', 'cart opens'], 2));
  expect(run.hasPassed).toBe(true);
});
