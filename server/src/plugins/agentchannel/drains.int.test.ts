/** Taking agents out of service, and what waits for them. */
import { expect, test } from 'vitest';
import { OwnAgent } from './testing/scripted-agents.ts';
import {
  dataFolder,
  ended,
  eventually,
  noticesOf,
  startServer,
  type TestServer,
} from './testing/test-server.ts';

const drain = (server: TestServer, agent: OwnAgent) => server.call('POST', `${agent.path}/drain`);

async function queueOf(server: TestServer, agent: OwnAgent) {
  const { body } = await server.call('GET', `${agent.path}/queue`);
  return body?.details;
}

test('an agent that drains ends its job, gets no other, and gets jobs again afterwards', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const first = await server.start(['first']);
  await agent.work();
  expect(await drain(server, agent)).toMatchObject({
    code: 200,
    body: { message: `Agent ${agent.id} takes no further job.`, details: null },
  });
  expect(await agent.listed()).toMatchObject({
    phase: 'BUSY',
    draining: true,
    drainingTimestamp: expect.any(String),
  });
  const second = await server.start(['second']);
  await agent.send({ exitStatus: 0 });
  await agent.run();
  expect(await ended(server, first)).toBe('DONE');
  expect((await agent.poll()).code).toBe(204);
  await eventually(async () =>
    expect((await noticesOf(server, second)).map(({ spec }) => spec.logs?.[0])).toEqual([
      'Job "main" waits: the only environment with tag "linux" in namespace "default" is draining (agent).',
    ]),
  );
  expect(await server.call('DELETE', `${agent.path}/drain`)).toMatchObject({
    code: 200,
    body: { message: `Agent ${agent.id} takes jobs.` },
  });
  expect((await agent.run()).content).toContain('second');
  await agent.run();
  expect(await ended(server, second)).toBe('DONE');
  expect(await agent.listed()).not.toHaveProperty('draining');
});

test('an agent drains after a crash of the server, until it is de-registered', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const agent = await OwnAgent.register(server);
  await drain(server, agent);
  await server.crash();
  const next = await startServer({ folder, clock: server.clock });
  agent.server = next;
  const workflowId = await next.start(['later']);
  expect((await agent.poll()).code).toBe(204);
  expect(await agent.listed()).toMatchObject({ phase: 'IDLE', draining: true });
  await next.call('DELETE', agent.path);
  expect(await next.store.documents('agent-drains')).toEqual([]);
  const again = await OwnAgent.register(next);
  expect(await again.listed()).not.toHaveProperty('draining');
  expect((await again.run()).content).toContain('later');
  await again.run();
  expect(await ended(next, workflowId)).toBe('DONE');
});

test('what is not stored is not confirmed, and changes nothing', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  server.faults.fail('agent-drains');
  expect((await drain(server, agent)).code).toBe(500);
  expect(await agent.listed()).not.toHaveProperty('draining');
  server.faults.heal();
  expect((await drain(server, agent)).code).toBe(200);
});

test('an agent that goes while it is asked to drain leaves nothing behind', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const open = server.faults.hold();
  const draining = drain(server, agent);
  const going = server.call('DELETE', agent.path);
  await eventually(() => expect(server.faults.waiting).toBe(2));
  open();
  await Promise.all([draining, going]);
  expect(await server.store.documents('agent-drains')).toEqual([]);
});

test('the queue of an agent has its job, those that it can take in order, and why it takes no others', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server, { tags: ['linux', 'jdk'] });
  const current = await server.start(['now']);
  await agent.work();
  const job = (tags: string[]) => ({ 'runs-on': tags, steps: [{ run: 'x' }] });
  const next = await server.start({ next: job(['linux']) });
  const other = await server.start({ other: job(['linux', 'gpu', 'fast']) });
  const last = await server.start({ last: job(['jdk', 'linux']) });
  await eventually(async () =>
    expect(await queueOf(server, agent)).toEqual({
      agent: expect.objectContaining({ kind: 'AgentRegistration' }),
      work: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Job',
        metadata: {
          name: 'main',
          id: expect.any(String),
          namespace: 'default',
          workflow_id: current,
          step_id: expect.any(String),
        },
        spec: { 'runs-on': ['linux'] },
        status: { phase: 'RUNNING', startTime: expect.any(String) },
      },
      items: [
        expect.objectContaining({
          metadata: expect.objectContaining({ name: 'next', workflow_id: next }),
          status: { phase: 'PENDING', requestTime: expect.any(String) },
        }),
        expect.objectContaining({
          metadata: expect.objectContaining({ name: 'last', workflow_id: last }),
        }),
      ],
      count: 2,
      others: [
        expect.objectContaining({
          metadata: expect.objectContaining({ name: 'other', workflow_id: other }),
          status: {
            phase: 'PENDING',
            requestTime: expect.any(String),
            missingTags: ['fast', 'gpu'],
            isOfOtherNamespace: false,
          },
        }),
      ],
      othersCount: 1,
    }),
  );
});

test('an agent without work and without a queue says so', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  expect(await queueOf(server, agent)).toMatchObject({
    work: null,
    items: [],
    count: 0,
    others: [],
    othersCount: 0,
  });
  const unknown = '99999999-0000-4000-8000-000000000009';
  for (const [method, tail] of [
    ['GET', 'queue'],
    ['POST', 'drain'],
    ['DELETE', 'drain'],
  ] as const) {
    expect(await server.call(method, `/agents/${unknown}/${tail}`)).toMatchObject({
      code: 404,
      body: { message: `Agent ${unknown} not known.`, details: null },
    });
  }
});
