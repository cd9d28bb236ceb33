import { formatTimestamp, parseWorkflowId } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import { NOW_MS } from '../../auth/testing.ts';
import { readHere } from '../../http/document-tasks.ts';
import { createTestApp } from '../../http/testing.ts';
import { createIds, systemClock } from '../../runtime/clock.ts';
import type { WorkflowRow } from '../../store/store.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { insightRoutes } from './routes.ts';

const RUN = parseWorkflowId('0198c0de-0000-7000-8000-000000000001');
const DEFINITION = '{"insights": [{"name": "log", "kind": "ExecutionLog"}]}';

const row: WorkflowRow = {
  workflowId: RUN,
  name: 'demo',
  namespace: 'ours',
  status: 'DONE',
  live: false,
  workers: [],
  createdAt: formatTimestamp(NOW_MS),
  completedAt: null,
};

async function openApp() {
  const store = { workflow: async (id: string) => (id === RUN ? row : null) };
  const ids = createIds(systemClock);
  const insights = { accept: async () => ids.random<never>(), configured: async () => [] };
  const routes = [insightRoutes({ store, insights, documents: readHere })];
  const fixture = await createTestApp({ routes });
  onTestFinished(() => fixture.app.close());
  const post = async (query: string, given: { authorization?: string; body?: string } = {}) => {
    const { authorization = fixture.admin, body = DEFINITION } = given;
    const response = await fixture.app.inject({
      method: 'POST',
      url: `/workflows/${RUN}/insights${query}`,
      headers: { authorization, 'content-type': 'application/x-yaml' },
      payload: body,
    });
    return { ...response.json(), headers: response.headers };
  };
  return { ...fixture, post };
}

test.each([
  [{}, 200],
  [{ namespaces: ['ours'], resources: ['workflows'], verbs: ['get'] }, 200],
  [{ namespaces: ['others'] }, 403],
  [{ resources: ['agents'] }, 403],
  [{ verbs: ['list'] }, 403],
])('a token for %j is answered %d', async (scope, code) => {
  const { post, restricted } = await openApp();
  const answer = await post('?insight=other', { authorization: await restricted(scope) });
  expect(answer.code).toBe(code);
});

test('each request has an id of its own', async () => {
  const { post } = await openApp();
  const answers = [await post('?insight=other'), await post('?insight=other')];
  expect(new Set(answers.map(({ details }) => details.request_id)).size).toBe(2);
  expect(answers[0].headers['x-processed-query']).toBe('insight');
});

test.each([
  ['?insight=a&insight=b', 'Parameter "insight" is given several times with different values.'],
  [`?insight=${'a'.repeat(257)}`, 'Parameter "insight" may have 256 characters at most.'],
])('%s is Invalid', async (query, message) => {
  const { post } = await openApp();
  expect(await post(query)).toMatchObject({ code: 422, reason: 'Invalid', message });
});

test('a definition that names what no item has is taken, and the answer says so', async () => {
  const { post } = await openApp();
  const section = { name: 't', kind: 'Table', datasource: 'tags', columns: { A: 'metadata.nam' } };
  const insights = [{ name: 'a', kind: 'SummaryReport', spec: { template: [section] } }];
  const body = JSON.stringify({ insights });
  expect((await post('?insight=a', { body })).details).toEqual({
    request_id: expect.any(String),
    expected: [['a', 'SummaryReport']],
    warnings: [
      'Insight definition: insights[0].spec.template[0].columns.A: unknown field "metadata.nam", did you mean "metadata.name"? (line 1, column 131).',
    ],
  });
  expect((await post('?insight=log')).details).not.toHaveProperty('warnings');
});

test('a definition that is too large is PayloadTooLarge', async () => {
  const { post } = await openApp();
  const body = `#${' '.repeat(COLLECTOR_LIMITS.definitionBytes)}`;
  expect((await post('?insight=*', { body })).reason).toBe('PayloadTooLarge');
});
