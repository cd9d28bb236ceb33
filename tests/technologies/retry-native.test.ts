/** Judged steps of Robot Framework, Go, Cargo and PHPUnit, with the real tools: only the tests that failed run again. */
import { expect, test } from 'vitest';
import { installDebian, need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { expectRetry } from './executions.ts';
import { findGo } from './go.ts';
import { installedTools, installNextest } from './tools.ts';

// Before there is an agent, which finds it then.
const go = findGo();
const bench = await technologyBench();
const python = await installedTools('bin');
const nextest = await installNextest();

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

test.for([
  ['go/execute@v1', { test: './...' }],
  ['go/test@v1', { run: 'Test' }],
] as const)('%s', async ([uses, inputs], context) => {
  need(go, 'Go', context);
  await expectRetry(bench, {
    project: 'go-retry',
    call: { uses, with: inputs },
    passing: 17,
    others: { takes: 2, opens: 2, holds: 2 },
  });
});

test.for([
  ['cargo/execute@v1', { test: '.' }],
  ['cargo/test@v1', { filterset: 'package(cart) | package(store)' }],
] as const)('%s', async ([uses, inputs], context) => {
  const path = need(nextest, 'cargo-nextest', context);
  await expectRetry(bench, {
    project: 'cargo-retry',
    call: { uses, with: inputs },
    passing: 17,
    others: { takes: 2, opens: 2, holds: 2 },
    options: { path },
  });
});

test.for([
  ['phpunit/execute@v1', { test: 'tests' }],
  ['phpunit/phpunit@v1', { filter: 'test' }],
] as const)('%s', async ([uses, inputs], context) => {
  need(installDebian('phpunit', 'phpunit'), 'PHPUnit', context);
  await expectRetry(bench, {
    project: 'phpunit-retry',
    call: { uses, with: inputs },
    passing: 17,
    others: { opens: 2, 'takes 1': 2, 'takes a  "b" $(touch breach)/*?[ é': 2 },
  });
});
