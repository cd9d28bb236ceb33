/** A server that cannot store anything for a while, and agents that do not understand that. */
import { OrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { ExistingAgent, OwnAgent } from './testing/scripted-agents.ts';
import {
  ended,
  eventually,
  logOf,
  resultsOf,
  startServer,
  type TestServer,
} from './testing/test-server.ts';

const full = () => new OrchestratorError('ServiceUnavailable', 'The disk of the server is full.');

async function startWithWork() {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.5.0');
  const workflowId = await server.start(['make']);
  return { server, agent, workflowId };
}

/** Until so many writes have failed since. */
async function failing(server: TestServer, count: number): Promise<void> {
  const { failures } = server.faults;
  await eventually(() => expect(server.faults.failures).toBeGreaterThanOrEqual(failures + count));
}

// Bound: A post of an existing agent while the store fails.
test('the result of an existing agent is answered once it is stored, and counts once', async () => {
  const { server, agent, workflowId } = await startWithWork();
  await agent.work();
  server.faults.fail('', full());
  const answered = agent.result(['made'], { exit_status: 3 });
  await failing(server, 2);
  server.faults.heal();
  await answered;
  await agent.work();
  await agent.result();
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 3],
    [-2, 0],
  ]);
  expect((await logOf(server, workflowId)).filter((text) => text === 'made')).toEqual(['made']);
});

test('an existing agent whose order cannot be stored hears that there is nothing to do, and gets it later', async () => {
  const { server, agent, workflowId } = await startWithWork();
  await agent.isIn('BUSY');
  server.faults.fail('', full());
  await eventually(async () => expect((await agent.poll()).code).toBe(204));
  server.faults.heal();
  await agent.work();
  await agent.result();
  await agent.work();
  await agent.result();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('our own agent is told at once, since it sends everything again', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  server.faults.fail('', full());
  expect(await agent.send({ lines: ['a'], exitStatus: 0 })).toBe(503);
  server.faults.heal();
  expect(await agent.send({ lines: ['a'], exitStatus: 0 })).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
});

// Bound: Registered agents.
test('agents are bounded in number, and make room when they leave', async () => {
  const server = await startServer({ agentsMax: 1 });
  const agent = await ExistingAgent.register(server, '2.5.0');
  await expect(ExistingAgent.register(server, '2.5.0')).rejects.toThrow(
    'There are 1 agents already.',
  );
  await server.call('DELETE', agent.path);
  await ExistingAgent.register(server, '2.5.0');
});
