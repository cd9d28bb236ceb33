/** Earlier executions of a test case, from other runs of its workflow (specification 2.6, 4.5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf, itemsOf } from '../support/api.ts';
import { createGate } from '../support/gate.ts';
import { datasource, ended, logged, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { xmlReportOf } from '../support/xml-report.ts';

const FAILED = '<failure message="1 != 2"/>';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], namespaces: '*' });
});

afterAll(() => bench.close());

/** A run whose test `adds` has these outcomes, one report each; answers its id when its reports are read. */
async function ran(name: string, outcomes: readonly string[], query?: string): Promise<string> {
  const steps = outcomes.map((outcome) => reportStep([{ name: 'adds', seconds: 0.25, outcome }]));
  const id = await start(server, oneJob(name, steps), query);
  await ended(server, id);
  await workersEnded(server, id);
  return id;
}

const casesOf = async (id: string, query = '') =>
  itemsOf(await server.call('GET', `/workflows/${id}/datasources/testcases`, { query }));

// HTTP 2.6: Earlier executions, also of earlier runs, are the history of the newest.
test('its executions in earlier runs are its history, and a run that is shown again knows nothing of later ones', async () => {
  const first = await ran('nightly', [FAILED, FAILED]);
  const second = await ran('nightly', ['']);
  const third = await ran('nightly', [FAILED, '']);
  const [shown, ...others] = await casesOf(third);
  expect(others).toEqual([]);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const execution = { startTime: time, endTime: time, duration: 250 };
  const failed = { status: 'FAILURE', outcome: 'failure', ...execution };
  expect(shown).toMatchObject({ metadata: { executions: 5 }, status: 'SUCCESS' });
  expect(shown).toHaveProperty('executionHistory', [
    { workflow_id: first, ...failed },
    { workflow_id: first, ...failed },
    { workflow_id: second, status: 'SUCCESS', outcome: 'success', ...execution },
    expect.objectContaining({ ...failed, execution_id: expect.any(String) }),
  ]);
  expect(await casesOf(first)).toMatchObject([
    { metadata: { executions: 2 }, executionHistory: [{ status: 'FAILURE' }] },
  ]);
  expect(await casesOf(third, 'fieldSelector=metadata.executions==5')).toHaveLength(1);
  expect(await casesOf(third, 'fieldSelector=metadata.executions==2')).toHaveLength(0);
});

// HTTP 2.6: Earlier executions, also of earlier runs, are the history of the newest.
test('a run of another name or namespace is none of its history', async () => {
  await ran('shared', [''], 'namespace=team-a');
  await ran('other', [''], 'namespace=team-b');
  const [shown] = await casesOf(await ran('shared', [''], 'namespace=team-b'));
  expect(shown).toMatchObject({ metadata: { executions: 1 } });
  expect(shown).not.toHaveProperty('executionHistory');
});

test('what ran before a run was canceled counts', async () => {
  const gate = createGate(bench);
  const steps = [reportStep([{ name: 'adds', seconds: 1 }]), gate.step, sh('true')];
  const canceled = await start(server, oneJob('canceled', steps));
  await logged(server, canceled, 'Running command', { withinMs: 30_000 });
  await datasource(server, canceled, 'testcases', { count: 1 });
  await server.call('DELETE', `/workflows/${canceled}`);
  await gate.open();
  expect(await ended(server, canceled)).toBe('FAILED');
  const [shown] = await casesOf(await ran('canceled', [FAILED]));
  expect(shown).toMatchObject({
    metadata: { executions: 2 },
    executionHistory: [{ workflow_id: canceled, status: 'SUCCESS' }],
  });
});

test('reports and quality gates are about one run', async () => {
  await ran('judged', [FAILED]);
  const id = await ran('judged', ['']);
  const gate = await server.call('GET', `/workflows/${id}/qualitygate`);
  expect(detailsOf(gate)).toMatchObject({ status: 'SUCCESS' });
  const xml = await xmlReportOf(server, id);
  expect(xml).toContain('name="adds"');
  expect(xml).not.toContain('flakyFailure');
});
