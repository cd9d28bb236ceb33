/** Steps that are judged by their tests, with real tools other than those of Java and JavaScript: only the tests that failed run again. */
import { expect, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { expectRetry } from './executions.ts';
import { installedTools } from './tools.ts';

const bench = await technologyBench();
const python = await installedTools('bin');

test.for([
  ['robotframework/execute@v1', { test: '.' }],
  ['robotframework/robot@v1', { datasource: 'shop & co', test: '*' }],
] as const)('%s', async ([uses, inputs], context) => {
  const path = need(python, 'Robot Framework', context);
  const run = await expectRetry(bench, {
    project: 'robotframework-retry',
    call: { uses, with: inputs },
    passing: 17,
    others: { takes: 2, opens: 2, holds: 2 },
    options: { path },
  });
  expect(run.executions['Opens -- or not']).toEqual(['FAILURE', 'SUCCESS']);
});
