/** Existing agents that are killed under a step and started again. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { createTestClock } from '../../auth/testing.ts';
import { LIMITS } from './jobs/limits.ts';
import { ExistingAgent } from './testing/scripted-agents.ts';
import { dataFolder, ended, logOf, startServer, type TestServer } from './testing/test-server.ts';

const MINUTE_MS = 60_000;
const LIVENESS = 300;
const SYNCHRONOUS_LIVENESS = 3600;
const REPLACED = LIMITS.replacedSeconds;

function pass(server: TestServer, seconds: number): void {
  server.clock.advance(seconds * 1000 + 1);
  server.channel.sweep();
}

const register = (server: TestServer) => ExistingAgent.register(server, '2.0', { name: 'builder' });

/** An agent with a step that it does not end, and its run. */
async function withStep(server: TestServer) {
  const agent = await register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  return { agent, workflowId };
}

test('the step of an agent that is started again fails within seconds, and says why', async () => {
  const server = await startServer();
  const { agent, workflowId } = await withStep(server);
  await register(server);
  pass(server, REPLACED);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await logOf(server, workflowId)).toContain(
    `ERROR,Agent "builder" (${agent.id}) was lost: an agent of its name, token and script_path registered, and it was silent for 10 s since then.`,
  );
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
});

test('an agent that is started again twice fails a step each time', async () => {
  const server = await startServer();
  await withStep(server);
  const { agent, workflowId } = await withStep(server);
  pass(server, REPLACED);
  const third = await register(server);
  pass(server, REPLACED);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
  expect((await third.poll()).code).toBe(204);
});

test('a restart of the server forgets nothing of it', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const { workflowId } = await withStep(server);
  await register(server);
  await server.crash();
  const next = await startServer({ folder, clock: server.clock });
  pass(next, REPLACED);
  expect(await ended(next, workflowId)).toBe('FAILED');
});

test.each([
  ['ahead', 19],
  ['behind', -19],
])('a restart with a clock that is %s forgets nothing of it', async (_how, minutes) => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const { workflowId } = await withStep(server);
  await server.stop();
  const clock = createTestClock(server.clock.now() + minutes * MINUTE_MS);
  const other = await startServer({ folder, clock });
  const [stored] = await other.store.documents('agents');
  const { registration, registrant } = JSON.parse(stored?.json ?? '');
  await other.channel.register(registration, registrant);
  await other.crash();
  const next = await startServer({ folder, clock: server.clock });
  pass(next, REPLACED);
  expect(await ended(next, workflowId)).toBe('FAILED');
});

test('a restart remembers that an agent was heard of after the other registered', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const { agent, workflowId } = await withStep(server);
  await register(server);
  await agent.poll();
  server.channel.sweep();
  await eventually('what is stored of both', async () =>
    (await server.store.documents('agents')).every(({ json }) => !json.includes('replaces')),
  );
  await server.crash();
  const next = await startServer({ folder, clock: server.clock });
  pass(next, REPLACED);
  pass(next, SYNCHRONOUS_LIVENESS);
  expect(await ended(next, workflowId)).toBe('FAILED');
  expect((await logOf(next, workflowId)).join()).toContain('was lost: no contact for 3600 s');
});

describe('an agent with a step keeps it', () => {
  test('when it is heard of after the other registered', async () => {
    const server = await startServer();
    const { agent } = await withStep(server);
    await register(server);
    await agent.poll();
    pass(server, LIVENESS - 1);
    expect((await agent.listed())?.phase).toBe('BUSY');
  });

  test.each([
    ['name', { name: 'other' }],
    ['script_path', { spec: { script_path: '/other' } }],
  ])('when the other one has another %s', async (_name, registration) => {
    const server = await startServer();
    const { agent } = await withStep(server);
    await ExistingAgent.register(server, '2.0', { name: 'builder', ...registration });
    pass(server, LIVENESS);
    expect((await agent.listed())?.phase).toBe('BUSY');
  });

  test('when there are several of its name, which may run on copies of one machine', async () => {
    const server = await startServer();
    const copies = [await register(server), await register(server)];
    for (const copy of copies) await copy.poll();
    for (const _ of copies) await server.start(['make']);
    for (const copy of copies) await copy.work();
    await register(server);
    pass(server, LIVENESS);
    for (const copy of copies) expect((await copy.listed())?.phase).toBe('BUSY');
  });

  test('for the time that silent agents have, behind a proxy', async () => {
    const server = await startServer();
    const { agent, workflowId } = await withStep(server);
    await server.call('POST', '/agents', {
      headers: { 'x-forwarded-for': '192.0.2.1' },
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'AgentRegistration',
        metadata: { name: 'builder', namespaces: 'default', version: '2.0' },
        spec: { tags: ['linux'], encoding: 'utf-8', script_path: '/tmp' },
      },
    });
    pass(server, LIVENESS - 1);
    expect((await agent.listed())?.phase).toBe('BUSY');
    pass(server, 1);
    expect(await ended(server, workflowId)).toBe('FAILED');
  });
});
