/** Requests for reports (specification 4.9; clients facts 3.10). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
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

let bench: Workbench;
let server: ServerChild;
let id: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  id = await start(server, oneJob('reported', [sh('true')]));
});

afterAll(() => bench.close());

/** As an existing client does it. */
const request = (query: string, definition: string, workflowId = id) => {
  const body = new FormData();
  body.append('insights', new Blob([definition]), 'insights.yaml');
  return server.call('POST', `/workflows/${workflowId}/insights`, { query, body });
};

const NONE_EXPECTED = {
  code: 200,
  reason: 'OK',
  message: '0 expected insights',
  details: { request_id: expect.stringMatching(UUID), expected: [] },
};

describe('4.9: POST /workflows/{workflow_id}/insights', () => {
  test('without a match is 200 and expects nothing', async () => {
    const answer = await request('insight=other-*', DEFINITION);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject(NONE_EXPECTED);
  });

  test.each([
    ['application/json', JSON.stringify({ insights: [{ name: 'a', kind: 'ExecutionLog' }] })],
    ['application/x-yaml', DEFINITION],
  ])('takes a body of type %s', async (type, body) => {
    const answer = await server.call('POST', `/workflows/${id}/insights`, {
      query: 'insight=none',
      body,
      headers: { 'content-type': type },
    });
    expect(bodyOf(answer)).toMatchObject(NONE_EXPECTED);
  });

  test('promises no report that would not come', async () => {
    const answer = await request('insight=*', DEFINITION);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'No insight kinds are available in this version, hence no ExecutionLog, SummaryReport can be generated.',
      details: null,
    });
  });

  test.each(['', 'insight', 'insight=', 'name=x'])(
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

test('tools that wait for the server find its reports and quality gates among the subscriptions', async () => {
  const { items } = bodyOf(await server.call('GET', '/subscriptions'));
  expect(JSON.stringify(items)).toContain('"name":"insightcollector"');
  expect(JSON.stringify(items)).toContain('"name":"qualitygate"');
});
