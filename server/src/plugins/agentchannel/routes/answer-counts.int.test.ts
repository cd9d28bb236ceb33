/** The counts in the listing of agents (specification 2.2), over HTTP. */
import { expect, test } from 'vitest';
import { ExistingAgent, OwnAgent } from '../testing/scripted-agents.ts';
import { type Loose, startServer, type TestServer } from '../testing/test-server.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function statusOf(server: TestServer, id: string): Promise<Loose> {
  const { body } = await server.call('GET', '/agents');
  const items = Array.isArray(body?.items) ? body.items : [];
  return items.find(({ metadata }) => metadata.agent_id === id).status;
}

async function countsOf(server: TestServer, id: string) {
  const { communicationCount, communicationStatusSummary } = await statusOf(server, id);
  return [communicationCount, communicationStatusSummary];
}

test('an agent that only registered has asked for nothing', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  expect(await countsOf(server, agent.id)).toEqual([0, {}]);
});

// HTTP 2.2: A listing adds id, time of registration, counts of contacts, time of the last one.
test('every request of an existing agent counts once, by the code of its answer', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, null);
  await agent.poll();
  expect(await countsOf(server, agent.id)).toEqual([1, { '204': 1 }]);
  await server.start(['true']);
  const put = await agent.work();
  const before = await countsOf(server, agent.id);
  await agent.getFile(put.file_id);
  expect(await countsOf(server, agent.id)).toEqual(counted(before, 200));
  await agent.order();
  await agent.result();
  expect(await countsOf(server, agent.id)).toEqual(counted(counted(before, 200), 200, 2));
});

test.each<[string, number, (agent: OwnAgent) => Promise<unknown>]>([
  ['a poll', 204, (agent) => agent.poll()],
  ['a batch that nobody waits for', 409, (agent) => agent.send({}, `${UNKNOWN}/0`)],
  ['a batch without a number', 400, (agent) => agent.post({ command_id: 'x' })],
  ['a post that is no JSON', 400, (agent) => agent.server.call('POST', agent.path, { body: '{' })],
  [
    'a post of another type',
    415,
    ({ server, path }) =>
      server.call('POST', path, { body: 'a: 1', headers: { 'content-type': 'application/yaml' } }),
  ],
  ['a file that is not there', 404, (agent) => agent.getFile(UNKNOWN)],
  ['a file that nobody asked for', 404, (agent) => agent.sendFile(UNKNOWN, 'x')],
  [
    'its id in capitals',
    204,
    ({ server, id }) => server.call('GET', `/agents/${id.toUpperCase()}`),
  ],
  ['a PATCH', 200, ({ server, id }) => server.call('PATCH', '/agents', { body: { [id]: {} } })],
  // HTTP 2.2: A listing adds id, time of registration, counts of contacts, time of the last one.
])('%s counts as one request answered with %i', async (_, code, ask) => {
  const server = await startServer();
  const agent = await OwnAgent.registerOnly(server);
  await ask(agent);
  expect(await countsOf(server, agent.id)).toEqual([1, { [code]: 1 }]);
});

// HTTP 2.2: A listing adds id, time of registration, counts of contacts, time of the last one.
test('a PATCH counts for each agent that it names, and for no other', async () => {
  const server = await startServer();
  const named = [await OwnAgent.registerOnly(server), await ExistingAgent.register(server, '2.0')];
  const other = await OwnAgent.registerOnly(server);
  const body = Object.fromEntries([...named.map(({ id }) => [id, {}]), [UNKNOWN, {}]]);
  await server.call('PATCH', '/agents', { body });
  for (const { id } of named) expect(await countsOf(server, id)).toEqual([1, { '200': 1 }]);
  expect(await countsOf(server, other.id)).toEqual([0, {}]);
});

test('a request that anybody could make in the place of the agent counts nowhere', async () => {
  const server = await startServer();
  const agent = await OwnAgent.registerOnly(server);
  const headers = { authorization: 'Bearer nonsense' };
  expect(await server.call('GET', agent.path, { headers })).toMatchObject({ code: 401 });
  expect(await countsOf(server, agent.id)).toEqual([0, {}]);
});

function counted([count, summary]: readonly unknown[], code: number, times = 1) {
  const before = new Map(Object.entries(summary ?? {}));
  const answers = before.set(String(code), Number(before.get(String(code)) ?? 0) + times);
  return [Number(count) + times, Object.fromEntries(answers)];
}
