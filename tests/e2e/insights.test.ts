/** Requests for reports (specification 4.9; clients facts 3.10). */

import { writeFile } from 'node:fs/promises';
import type { WorkflowResultEvent } from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/expect-status.ts';
import { allEvents, ended, oneJob, only, sh, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LOG = { name: 'execution-log', kind: 'ExecutionLog' };
const DEFINITION = `insights:
- name: execution-log
  kind: ExecutionLog
- name: summary
  kind: SummaryReport
  spec:
    template:
    - name: tests
      kind: Table
      datasource: testcases
`;

const AT_THE_END = `insights:
- name: executionlog
  kind: ExecutionLog
- name: executionreport
  kind: SummaryReport
- name: testresults
  kind: SurefireXmlReport
- name: failures
  kind: ExecutionLog
  if: workflow.name == 'none'
`;
const TESTS = [
  { name: 'good', seconds: 0.1 },
  { name: 'bad &lt;b&gt;', seconds: 1, outcome: '<failure message="broke"/>' },
];

let bench: Workbench;
let server: ServerChild;
let id: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  id = await start(server, oneJob('reported', [sh('echo a line of output'), reportStep(TESTS)]));
});

afterAll(() => bench.close());

/** As an existing client does it. */
const request = (query: string, definition: string, workflowId = id) => {
  const body = new FormData();
  body.append('insights', new Blob([definition]), 'insights.yaml');
  return server.call('POST', `/workflows/${workflowId}/insights`, { query, body });
};

const post = (query: string, body: string, type: string) =>
  server.call('POST', `/workflows/${id}/insights`, {
    query,
    body,
    headers: { 'content-type': type },
  });

const NONE_EXPECTED = {
  code: 200,
  reason: 'OK',
  message: '0 expected insights',
  details: { request_id: expect.stringMatching(UUID), expected: [] },
};

describe('4.9: POST /workflows/{workflow_id}/insights', () => {
  // HTTP 4.9: Names that match nothing: 200 and an empty list.
  test('without a match is 200 and expects nothing', async () => {
    const answer = await request('insight=other-*', DEFINITION);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject(NONE_EXPECTED);
  });

  test.each([
    ['application/json', JSON.stringify({ insights: [{ name: 'a', kind: 'ExecutionLog' }] })],
    ['application/x-yaml', DEFINITION],
  ])('takes a body of type %s', async (type, body) => {
    const answer = await post('insight=none', body, type);
    expect(bodyOf(answer)).toMatchObject(NONE_EXPECTED);
  });

  test.each([
    ['form', null],
    ['application/x-yaml', DEFINITION],
    ['application/json', JSON.stringify({ insights: [LOG] })],
    // HTTP 4.9: A definition in a body or a form starts reports, and is told what to expect.
  ])('with a definition in a body of type %s says what to expect', async (type, body) => {
    const answer =
      body === null
        ? await request('insight=execution-*', DEFINITION)
        : await post('insight=execution-*', body, type);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 200,
      reason: 'OK',
      message: '1 expected insights',
      details: {
        request_id: expect.stringMatching(UUID),
        expected: [['execution-log', 'ExecutionLog']],
      },
    });
  });

  test('asks for a bounded number of insights', async () => {
    const names = Array.from({ length: 33 }, (_, index) => ({ ...LOG, name: `log-${index}` }));
    const answer = await request('insight=*', JSON.stringify({ insights: names }));
    expectStatus(answer);
    const message = 'A request may ask for 32 insights at most, not for 33.';
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid', message });
  });

  test.each(['', 'insight', 'insight=', 'name=x'])(
    // HTTP 4.9: 422 for a wrong definition, and for none named.
    // HTTP 7: Message for an insight that is not named.
    'without the parameter insight (?%s) is 422',
    async (query) => {
      const answer = await request(query, DEFINITION);
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({
        code: 422,
        reason: 'Invalid',
        message: 'Missing insight name pattern.',
        details: null,
      });
    },
  );

  test.each([
    ['cannot be parsed', 'insights: [', 'Not a valid YAML document: '],
    ['is empty', '', 'Not a valid insight definition: '],
    ['has no insights', '{}', 'Not a valid insight definition: "insights" is missing'],
    [
      'has a wrong insight',
      DEFINITION.replace('Table', 'Tables'),
      'Not a valid insight definition: ',
    ],
    [
      'has a wrong insight that is not asked for',
      DEFINITION.replace('execution-log', '1'),
      'insights[0].name: ',
    ],
    // HTTP 4.9: 422 for a wrong definition, and for none named.
  ])('with a definition that %s is 422', async (_what, definition, message) => {
    const answer = await request('insight=summary', definition);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(bodyOf(answer).message).toContain(message);
  });

  test('with JSON that cannot be parsed is 422, too', async () => {
    const answer = await server.call('POST', `/workflows/${id}/insights`, {
      query: 'insight=*',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  test('with a form without the definition is 422', async () => {
    const body = new FormData();
    body.append('other', 'x');
    const answer = await server.call('POST', `/workflows/${id}/insights`, {
      query: 'insight=*',
      body,
    });
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'The part "insights" is missing.',
    });
  });

  test('with a form that has the definition twice is 422', async () => {
    const body = new FormData();
    for (const fileName of ['a', 'b']) {
      body.append('insights', new Blob([DEFINITION]), fileName);
    }
    const answer = await server.call('POST', `/workflows/${id}/insights`, {
      query: 'insight=*',
      body,
    });
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'The part "insights" is there more than once.',
    });
  });

  test('of an unknown workflow is 404', async () => {
    const answer = await request('insight=none', DEFINITION, UNKNOWN);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: `Workflow ${UNKNOWN} not found.`,
      details: null,
    });
  });

  test('without a token is 401', async () => {
    const answer = await server.call('POST', `/workflows/${id}/insights`, {
      query: 'insight=*',
      headers: { authorization: '' },
    });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 401, reason: 'Unauthorized' });
  });
});

/** Waits as existing clients do: for the promised number of results, or for one that says that there are none. */
function results(requestId: unknown, count: number, workflowId = id) {
  return eventually(`${count} results of a request`, async () => {
    const found = only(await allEvents(server, workflowId), 'WorkflowResult').filter(
      ({ metadata }) => metadata.request_id === requestId,
    );
    const isNothing = found.some(({ metadata }) => metadata.name === 'No insights published');
    return found.length >= count || isNothing ? found : null;
  });
}

async function generate(insights: readonly object[], workflowId = id) {
  const answer = await request('insight=*', JSON.stringify({ insights }), workflowId);
  const { request_id: requestId } = detailsOf(answer);
  return await results(requestId, insights.length, workflowId);
}

function fileOf(result: WorkflowResultEvent | undefined, workflowId = id) {
  const [path = ''] = result?.attachments ?? [];
  const { uuid } = result?.metadata.attachments[path] ?? {};
  return server.call('GET', `/workflows/${workflowId}/files/${uuid}`);
}

async function textOf(result: WorkflowResultEvent | undefined, workflowId = id): Promise<string> {
  const [path = ''] = result?.attachments ?? [];
  const { uuid } = result?.metadata.attachments[path] ?? {};
  const file = await fileOf(result, workflowId);
  expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const name = `${result?.metadata.name}.txt`;
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename=${uuid}_${name}`);
  return file.text;
}

describe('4.9: results', () => {
  beforeAll(async () => {
    await bench.agent(server, { tags: ['linux'] });
    await ended(server, id);
    await workersEnded(server, id);
  });

  // HTTP 4.9: Results of a request carry its id.
  test('of a request carry its id, and the log of the run as a file', async () => {
    const [result, ...others] = await generate([LOG]);
    expect(others).toEqual([]);
    expect(result?.apiVersion).toBe('opentestfactory.org/v1alpha1');
    expect(result?.metadata).toMatchObject({ workflow_id: id, namespace: 'default' });
    const log = await server.call('GET', `/workflows/${id}/logs`);
    expect(log.text).toContain('a line of output');
    expect(await textOf(result)).toBe(log.text);
  });

  test('show the log as their definitions say', async () => {
    const spec = { 'output-prefix': '> ', 'max-command-length': 4 };
    const [result] = await generate([{ ...LOG, spec }]);
    const lines = (await textOf(result)).split('\n');
    expect(lines).toContain('> Running command: echo...');
    expect(lines).toContain('> a line of output');
  });

  // HTTP 4.9: A definition in a body or a form starts reports, and is told what to expect.
  test('are as many as were expected, with and without a file', async () => {
    const skipped = { ...LOG, name: 'failures', if: 'failure()' };
    const found = await generate([skipped, { ...LOG, if: "workflow.name == 'reported'" }]);
    const names = found.map(({ metadata, attachments }) => [metadata.name, attachments.length]);
    expect(names).toEqual([
      ['failures', 0],
      ['execution-log', 1],
    ]);
  });

  test('tell when there is nothing at all', async () => {
    const found = await generate([
      { ...LOG, if: 'failure()' },
      { ...LOG, name: 'other', if: 'cancelled()' },
    ]);
    expect(found).toMatchObject([
      { metadata: { name: 'No insights published', attachments: {} }, attachments: [] },
    ]);
  });

  // HTTP 4.9: Reports of each kind, also when a run ends.
  test('of all kinds are files of their types', async () => {
    const found = await generate([
      { name: 'page', kind: 'SummaryReport', title: 'The page' },
      { name: 'machines', kind: 'SurefireXmlReport', spec: { scope: "test.outcome == 'failure'" } },
    ]);
    const [page, xml] = await Promise.all(found.map((result) => fileOf(result)));
    expect(page?.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page?.headers.get('content-disposition')).toMatch(
      /^attachment; filename=\S+_page\.html$/,
    );
    expect(page?.text).toContain('<h1><bdi>The page</bdi></h1>');
    expect(page?.text).toContain('<bdi>bad &lt;b&gt;</bdi>');
    expect(xml?.headers.get('content-type')).toMatch(/^application\/xml/);
    expect(xml?.headers.get('content-disposition')).toMatch(/_machines\.xml$/);
    expect(xml?.text).toContain('<testsuites name="reported" tests="1" failures="1"');
  });

  test('of a run that goes on have what there is so far', async () => {
    const waiting = await start(server, {
      metadata: { name: 'waiting' },
      jobs: { main: { 'runs-on': 'nowhere', steps: [sh('true')] } },
    });
    const [result] = await generate([LOG], waiting);
    expect(await textOf(result, waiting)).toContain('Workflow waiting\n');
  });

  // HTTP 4.9: Results of a request carry its id.
  test('come once, also when the server is killed after its answer', async () => {
    await publishWorker('setup');
    const answer = await request('insight=*', JSON.stringify({ insights: [LOG] }));
    const { request_id: requestId } = detailsOf(answer);
    await server.child.kill('SIGKILL');
    server = await bench.server({ dataDir: server.dataDir });
    const before = only(await allEvents(server, id), 'WorkflowResult');
    expect(before.map(({ metadata }) => metadata.request_id)).not.toContain(requestId);
    await publishWorker('teardown');
    const [result] = await results(requestId, 1);
    expect(await textOf(result)).toContain('a line of output');
    await generate([{ ...LOG, name: 'later' }]);
    expect(await results(requestId, 1)).toEqual([result]);
  });
});

describe('9.5: at the end of a run', () => {
  const reports = async (workflowId: string) =>
    only(await allEvents(server, workflowId), 'WorkflowResult').filter(
      ({ metadata }) => metadata.request_id === undefined,
    );
  const names = ['executionlog', 'executionreport', 'testresults'];
  const allReports = (workflowId: string) =>
    eventually('the reports of a run', async () => {
      const found = await reports(workflowId);
      return found.length >= names.length ? found.map(({ metadata }) => metadata.name) : null;
    });

  beforeAll(async () => {
    const file = `${bench.folder}/insights.yaml`;
    await writeFile(file, AT_THE_END);
    server = await bench.server({ config: { insights: { definitions: [file] } } });
    await bench.agent(server, { tags: ['linux'] });
  });

  // HTTP 4.9: Reports of each kind, also when a run ends.
  test('what is configured is made, once its test results are read', async () => {
    const run = await start(server, oneJob('ends', [reportStep(TESTS)]));
    await ended(server, run);
    expect(await allReports(run)).toEqual(names);
    const page = (await reports(run)).find(({ metadata }) => metadata.name === 'executionreport');
    expect((await fileOf(page, run)).text).toContain('1 of 2 test cases did not pass.');
    await workersEnded(server, run);
  });

  test('also of a run that is cancelled', async () => {
    const run = await start(server, oneJob('stopped', [sh('true')], { 'runs-on': 'nowhere' }));
    expectStatus(await server.call('DELETE', `/workflows/${run}`));
    expect(await allReports(run)).toEqual(names);
  });

  // HTTP 4.9: Reports of each kind, also when a run ends.
  test('also where the server is killed before they are there, and once', async () => {
    const run = await start(server, oneJob('killed', [sh('true')]));
    await publishWorker('setup', run);
    await ended(server, run);
    await server.child.kill('SIGKILL');
    const { dataDir } = server;
    const definitions = [`${bench.folder}/insights.yaml`];
    server = await bench.server({ dataDir, config: { insights: { definitions } } });
    expect(await reports(run)).toEqual([]);
    await publishWorker('teardown', run);
    expect(await allReports(run)).toEqual(names);
    await server.child.kill('SIGKILL');
    server = await bench.server({ dataDir, config: { insights: { definitions } } });
    await workersEnded(server, run);
    expect((await reports(run)).map(({ metadata }) => metadata.name)).toEqual(names);
  });
});

/** While somebody works on the run, its reports are waited for. */
async function publishWorker(status: 'setup' | 'teardown', workflowId = id): Promise<void> {
  const answer = await server.call('POST', '/publications', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Notification',
      metadata: { name: 'worker', workflow_id: workflowId },
      spec: { worker: { worker_id: 'reader', status } },
    },
  });
  expectStatus(answer);
}

test('tools that wait for the server find its reports and quality gates among the subscriptions', async () => {
  const { items } = bodyOf(await server.call('GET', '/subscriptions'));
  expect(JSON.stringify(items)).toContain('"name":"insightcollector"');
  expect(JSON.stringify(items)).toContain('"name":"qualitygate"');
});
