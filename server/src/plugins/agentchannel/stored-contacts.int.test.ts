import { formatTimestamp } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { NOW_MS } from '../../auth/testing.ts';
import { channelIdOf } from './jobs/agent.ts';
import { LIMITS } from './jobs/limits.ts';
import { ExistingAgent, OwnAgent } from './testing/scripted-agents.ts';
import {
  dataFolder,
  ended,
  eventually,
  startServer,
  type TestServer,
} from './testing/test-server.ts';

const at = (ms: number): string => formatTimestamp(NOW_MS + ms);

const contactOf = async (agent: ExistingAgent | OwnAgent) =>
  (await agent.listed())?.lastCommunicationTimestamp;

/** The stored contacts: nothing, or one document. */
const storedIn = async ({ store }: TestServer) =>
  (await store.documents('agent-contacts')).map(({ json }) => JSON.parse(json));

async function serverAgain(
  { clock }: TestServer,
  folder: string,
  ...agents: readonly (ExistingAgent | OwnAgent)[]
): Promise<TestServer> {
  clock.advance(10_000);
  const next = await startServer({ folder, clock });
  for (const agent of agents) agent.server = next;
  return next;
}

// HTTP 2.2: A listing adds id, time of registration, counts of contacts, time of the last one.
// HTTP 2.3: A Channel has name, namespaces, handler, tags, last contact, phase and job.
test('2.2: an agent was last heard of when it was, also by a server that was stopped and started since', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const existing = await ExistingAgent.register(server, '2.0');
  const own = await OwnAgent.register(server);
  server.clock.advance(5_000);
  await existing.poll();
  server.clock.advance(3_000);
  await server.stop();
  const next = await serverAgain(server, folder, existing, own);
  expect(await contactOf(existing)).toBe(at(5_000));
  expect(await contactOf(own)).toBe(at(0));
  expect(next.channel.lastContact(channelIdOf(existing.known))).toBe(NOW_MS + 5_000);
  await own.poll();
  expect(await contactOf(own)).toBe(at(18_000));
  await next.stop();
  await serverAgain(next, folder, existing, own);
  expect([await contactOf(existing), await contactOf(own)]).toEqual([at(5_000), at(18_000)]);
});

// HTTP 2.2: A listing adds id, time of registration, counts of contacts, time of the last one.
// HTTP 2.3: A Channel has name, namespaces, handler, tags, last contact, phase and job.
test('2.2: after a crash an agent was last heard of when it was stored last, or when it registered', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const early = await ExistingAgent.register(server, '2.0');
  server.clock.advance(1_000);
  await early.poll();
  server.clock.advance(LIMITS.contactsPauseMs);
  server.channel.sweep();
  await eventually(async () => expect(await storedIn(server)).toHaveLength(1));
  server.clock.advance(1_000);
  const late = await ExistingAgent.register(server, '2.0');
  await early.poll();
  await server.crash();
  await serverAgain(server, folder, early, late);
  expect(await contactOf(early)).toBe(at(1_000));
  expect(await contactOf(late)).toBe(at(2_000 + LIMITS.contactsPauseMs));
});

test('2.2: after a crash an agent was last heard of no earlier than what is stored of its work came from it', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const own = await OwnAgent.register(server, { tags: ['linux', 'own'] });
  const existing = await ExistingAgent.register(server, '2.0', { tags: ['linux', 'existing'] });
  await server.start({
    ours: { 'runs-on': 'own', steps: [{ run: 'make' }, { run: 'make' }] },
    theirs: { 'runs-on': 'existing', steps: [{ run: 'make' }] },
  });
  server.clock.advance(2_000);
  await existing.work();
  server.clock.advance(3_000);
  await own.run();
  await server.crash();
  const next = await serverAgain(server, folder, own, existing);
  expect([await contactOf(own), await contactOf(existing)]).toEqual([at(5_000), at(2_000)]);
  await own.work();
  next.clock.advance(1_000);
  await own.send({ lines: ['built'] });
  await next.crash();
  await serverAgain(next, folder, own, existing);
  expect([await contactOf(own), await contactOf(existing)]).toEqual([at(16_000), at(2_000)]);
});

/** An agent of ours that asked for work four seconds after it came, and then fell silent for too long. */
async function loseAgent(server: TestServer): Promise<OwnAgent> {
  const agent = await OwnAgent.register(server);
  server.clock.advance(4_000);
  await agent.poll();
  server.clock.advance(11_000);
  server.channel.sweep();
  await agent.isIn('UNREACHABLE');
  return agent;
}

test('an agent that is unreachable is so since the same time after a crash', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const agent = await loseAgent(server);
  server.channel.sweep();
  await eventually(async () => expect(await storedIn(server)).toEqual([NOW_MS + 4_000]));
  await server.crash();
  const next = await serverAgain(server, folder, agent);
  expect(next.channel.context.pool.channelOf(channelIdOf(agent.known))?.since).toBe(at(4_000));
});

test('since when an agent is unreachable is stored once', async () => {
  const server = await startServer();
  const agent = await loseAgent(server);
  server.channel.sweep();
  await eventually(async () => expect(await storedIn(server)).toHaveLength(1));
  const remove = { documents: [{ collection: 'agent-contacts', key: agent.id, json: null }] };
  await server.store.write(remove);
  server.clock.advance(1_000);
  await server.call('PATCH', '/agents', { body: { [agent.id]: {} } });
  server.channel.sweep();
  // Writes are done in their order.
  await server.store.write({ documents: [{ collection: 'other', key: 'later', json: '{}' }] });
  expect(await storedIn(server)).toEqual([]);
});

test('what is stored of an agent goes with it', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['true']);
  await agent.run();
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  expect(await storedIn(server)).toEqual([NOW_MS]);
  await server.call('DELETE', agent.path);
  expect(await storedIn(server)).toEqual([]);
});

test('contacts are stored now and then, and only if there are new ones', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  await agent.poll();
  server.channel.sweep();
  expect(await storedIn(server)).toEqual([]);
  server.clock.advance(LIMITS.contactsPauseMs);
  server.channel.sweep();
  await eventually(async () => expect(await storedIn(server)).toEqual([{ [agent.id]: NOW_MS }]));
  const remove = { documents: [{ collection: 'agent-contacts', key: 'all', json: null }] };
  await server.store.write(remove);
  server.clock.advance(LIMITS.contactsPauseMs);
  server.channel.sweep();
  // Writes are done in their order.
  await server.store.write({ documents: [{ collection: 'other', key: 'later', json: '{}' }] });
  expect(await storedIn(server)).toEqual([]);
});

test('the time of a restart is when patience with an agent begins, whenever it was last heard of', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const agent = await ExistingAgent.register(server, '2.0');
  await server.stop();
  server.clock.advance(LIMITS.forgetMs);
  const next = await serverAgain(server, folder, agent);
  next.channel.sweep();
  expect(await contactOf(agent)).toBe(at(0));
  next.clock.advance(LIMITS.forgetMs);
  next.channel.sweep();
  expect(await contactOf(agent)).toBe(at(0));
  next.clock.advance(1);
  next.channel.sweep();
  await eventually(async () => expect(await agent.listed()).toBeNull());
});

test('a stop goes on though contacts cannot be stored', async () => {
  const server = await startServer();
  await ExistingAgent.register(server, '2.0');
  server.faults.fail('agent-contacts');
  await expect(server.stop()).resolves.toBeUndefined();
});
