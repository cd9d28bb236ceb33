/** Steps that are judged by their tests, with the real tools: only the tests that failed run again. Each execution leaves a line in a file. */
import { expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { counted, executionsFile } from './executions.ts';
import { installedTools } from './tools.ts';

const bench = await technologyBench();
const python = await installedTools('bin');

test.for(['pytest/execute@v1', 'pytest/pytest@v1'])('%s', async (uses, context) => {
  const EXECUTIONS = await executionsFile();
  const call = { uses, with: { test: 'tests' }, tests: { retry: { times: 2 } } };
  const path = need(python, 'pytest', context);
  const run = await bench.run('pytest-retry', call, { path, variables: { EXECUTIONS } });
  const passed = Array.from({ length: 17 }, (_, number) => [`adds-${number}`, 1] as const);
  const flaked = { opens: 2, 'takes a::b [c]': 2, 'takes $(touch breach)': 2 };
  expect(await counted(EXECUTIONS)).toEqual({ ...Object.fromEntries(passed), ...flaked });
  expect(run.hasPassed).toBe(true);
  expect(run.cases.filter((each) => !each.endsWith('SUCCESS'))).toEqual([]);
  expect(run.executions.test_opens).toEqual(['FAILURE', 'SUCCESS']);
  expect(run.log).toContain('3 of 20 tests failed. They run again: attempt 2 of 3.');
  expect(run.log).toContain('3 tests flaked (failed, then passed): ');
});
