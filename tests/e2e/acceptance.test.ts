/** Promises about waiting jobs and repeated tests, checked in the log, the events and the command line. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf, itemsOf } from '../support/api.ts';
import { createGate } from '../support/gate.ts';
import {
  allEvents,
  ended,
  logged,
  logOf,
  oneJob,
  only,
  sh,
  start,
  workersEnded,
} from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { startCli } from './cli-process.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(() => bench.close());

/** Starts a workflow by the command line, which stays and shows what happens. */
async function runByCli(manifest: object) {
  const cwd = bench.path('cli');
  await mkdir(cwd);
  await writeFile(join(cwd, 'workflow.json'), JSON.stringify(manifest));
  const env = { TUTTI_SERVER: server.url, TUTTI_TOKEN: server.token };
  const cli = startCli(['run', 'workflow.json', '--wait'], { cwd, env });
  const [, id = ''] = await cli.said(/^Workflow (\S+) started/m);
  return { cli, id };
}

const waitsIn = (text: string) => text.match(/Job "main" waits: .*/g) ?? [];

test('a job that waits says why, once per change, in the log, the events and the command line', async () => {
  const gate = createGate(bench);
  const special = { 'runs-on': ['linux', 'special'] };
  const holder = await start(server, oneJob('holder', [gate.step], special));
  await logged(server, holder, 'waits:');
  const { cli, id } = await runByCli(oneJob('waiter', [sh('echo mine')], special));
  await cli.said(/waits: .*special/);

  // An unrelated event does not repeat the reason.
  expect(await ended(server, await start(server, oneJob('other', [sh('true')])))).toBe('DONE');
  expect(waitsIn(await logOf(server, id))).toHaveLength(1);

  await bench.agent(server, { tags: ['linux', 'special'], name: 'special' });
  await logged(server, holder, '] held\n');
  await cli.said(/waits: .*busy/);
  await gate.open();
  expect(await cli.ended).toBe(0);

  const expected = [
    expect.stringMatching(/^Job "main" waits: no environment with tag.* "special".* exists\.$/),
    expect.stringMatching(
      new RegExp(`"special".* is busy \\(special with job .* ${holder}\\)\\.$`),
    ),
  ];
  expect(waitsIn(await logOf(server, id))).toEqual(expected);
  expect(waitsIn(cli.stdout())).toEqual(expected);
  const reasons = only(await allEvents(server, id), 'Notification')
    .map(({ spec }) => Object(spec)['tutti.waiting'])
    .filter((waiting) => waiting !== undefined);
  expect(reasons).toHaveLength(2);
});

// HTTP 2.6: `execution` has times and milliseconds.
test('every execution of a test case is kept, with its duration', async () => {
  const steps = [
    reportStep([
      { name: 'flaky', seconds: 0.25, outcome: '<failure message="first"/>' },
      { name: 'steady', seconds: 2 },
    ]),
    reportStep([{ name: 'flaky', seconds: 0.5, outcome: '<error message="second"/>' }]),
    reportStep([{ name: 'flaky', seconds: 1 }]),
  ];
  const id = await start(server, oneJob('repeated', steps));
  expect(await ended(server, id)).toBe('DONE');
  await workersEnded(server, id);
  const path = `/workflows/${id}/datasources`;
  const cases = itemsOf(await server.call('GET', `${path}/testcases`));
  expect(cases).toHaveLength(2);
  expect(cases).toContainEqual(
    expect.objectContaining({
      metadata: expect.objectContaining({ name: 'suite#flaky', executions: 3 }),
      status: 'SUCCESS',
      execution: expect.objectContaining({ duration: 1000, outcome: 'success' }),
      executionHistory: [
        expect.objectContaining({
          status: 'FAILURE',
          duration: 250,
          failureDetails: expect.objectContaining({ message: 'first' }),
        }),
        expect.objectContaining({
          status: 'ERROR',
          duration: 500,
          errorDetails: expect.objectContaining({ message: 'second' }),
        }),
      ],
    }),
  );
  const [job] = itemsOf(await server.call('GET', `${path}/jobs`));
  expect(job).toMatchObject({
    status: { testCaseCount: 2, testCaseStatusSummary: { success: 2, failure: 0, error: 0 } },
  });
});

test('cancelling a workflow that waits ends it without its job having run', async () => {
  const id = await start(server, oneJob('absent', [sh('true')], { 'runs-on': 'nowhere' }));
  await logged(server, id, 'waits:');
  await server.call('DELETE', `/workflows/${id}`, { query: 'reason=not+needed' });
  const answer = await server.call('GET', `/workflows/${id}/status`);
  expect(detailsOf(answer).status).toBe('FAILED');
  const kinds = (await allEvents(server, id)).map(({ kind }) => kind);
  expect(kinds).not.toContain('ExecutionResult');
  expect(kinds.at(-1)).toBe('WorkflowCanceled');
});

test('a job whose failure does not count lets the workflow succeed, and its exit code is told', async () => {
  const tolerant = { 'continue-on-error': true };
  const id = await start(server, oneJob('tolerant', [sh('exit 3')], tolerant));
  expect(await ended(server, id)).toBe('DONE');
  expect(await logOf(server, id)).toContain('Status code was: 3');
});
