/** Steps that are judged by their tests, with the real tools: only the tests that failed run again. Each execution leaves a line in a file. */
import { expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { expectRetry } from './executions.ts';
import { installedTools } from './tools.ts';

const bench = await technologyBench();
const python = await installedTools('bin');

test.for(['pytest/execute@v1', 'pytest/pytest@v1'])('%s', async (uses, context) => {
  const path = need(python, 'pytest', context);
  const run = await expectRetry(bench, {
    project: 'pytest-retry',
    call: { uses, with: { test: 'tests' } },
    passing: 17,
    others: { opens: 2, 'takes a::b [c]': 2, 'takes $(touch breach)': 2 },
    options: { path },
  });
  expect(run.executions.test_opens).toEqual(['FAILURE', 'SUCCESS']);
});
