/** Judged steps of JUnit and Cucumber, with the real tools: only the tests that failed run again. */
import { beforeAll, expect, test } from 'vitest';
import { type Found, installDebian, need } from '../support/found-tool.ts';
import { technologyBench } from './bench.ts';
import { expectRetry } from './executions.ts';
import { fetchWithMaven, projectFolder } from './tools.ts';

const bench = await technologyBench();
let junit: Found<string>;
let cucumber: Found<string>;

beforeAll(async () => {
  junit = await fetchWithMaven(projectFolder('junit'));
  cucumber = await fetchWithMaven(projectFolder('cucumber'));
});

test.for([
  ['junit/execute@v1', { test: 'shop.CartTest' }],
  ['junit/junit@v1', { datasource: '.' }],
  ['junit/mvntest@v1', { test: '*Test' }],
] as const)('%s', async ([uses, inputs], context) => {
  need(junit, 'JUnit', context);
  const run = await expectRetry(bench, {
    project: 'junit-retry',
    call: { uses, with: inputs },
    passing: 16,
    // Both cases of one method, of which one failed.
    others: { opens: 2, holds: 2, 'takes a::b [c], d#e+f': 2, 'takes *?[$(touch breach)]': 2 },
  });
  expect(run.executions['takes(String)[2]']).toEqual(['FAILURE', 'SUCCESS']);
});

test('junit/junit@v1 with Gradle, in a project without a failed test, too', async (context) => {
  need(installDebian('gradle', 'gradle'), 'Gradle', context);
  await expectRetry(bench, {
    project: 'gradle-retry',
    call: { uses: 'junit/junit@v1', with: { datasource: '.', build: 'gradle' } },
    passing: 17,
    others: { 'takes-0': 2, 'takes-1': 2, 'takes-2': 2 },
    options: { variables: { GRADLE_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' } },
  });
});

test.for([
  ['cucumber/execute@v1', { test: '.#src/test/resources/features' }],
  ['cucumber5/cucumber@v1', { test: 'src/test/resources/features' }],
] as const)('%s', async ([uses, inputs], context) => {
  need(cucumber, 'Cucumber', context);
  await expectRetry(bench, {
    project: 'cucumber-retry',
    call: { uses, with: inputs },
    passing: 17,
    // All examples of a file, of which one failed.
    others: { takes: 2, holds: 2, counts: 2, 'adds-9': 2, 'adds-10': 2 },
  });
});
