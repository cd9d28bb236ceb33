/** Agents behind an operator, which names the folder of scripts and has an environment for each job (wire facts 4.8). */
import { expect, test } from 'vitest';
import { LIMITS } from './jobs/limits.ts';
import { ExistingAgent } from './testing/scripted-agents.ts';
import { ended, eventually, startServer, type TestServer } from './testing/test-server.ts';

const SYNCHRONOUS_LIVENESS_SECONDS = 3600;

const operated = (server: TestServer, version: string | null = '1.9') =>
  ExistingAgent.register(server, version, {
    spec: { script_path: undefined, liveness_probe: 300 },
  });

async function phaseOf(agent: ExistingAgent): Promise<unknown> {
  return (await agent.listed())?.phase ?? null;
}

/** A command that ends and leaves no variables. */
async function finish(agent: ExistingAgent, exitStatus: number): Promise<void> {
  await agent.post({ stdout: [], stderr: [], exit_status: exitStatus });
  expect(await agent.work()).toMatchObject({ kind: 'get' });
  await agent.post({ details: { error: 'there is no such file' } });
}

/** The release of a job, run and answered. */
async function releaseOf(agent: ExistingAgent): Promise<void> {
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
}

test('scripts have whole paths, wherever the environment writes files without one', async () => {
  const server = await startServer();
  const agent = await operated(server);
  await server.start(['true']);
  const { filename, command } = await agent.work();
  expect(filename).toMatch(/^\/tmp\/[^/]+_0\.sh$/);
  expect(command).toContain(filename);
});

test('so have those that are files of their own, for the first operators', async () => {
  const server = await startServer();
  const agent = await operated(server, null);
  await server.start(['true']);
  expect(await agent.work()).toMatchObject({
    kind: 'put',
    path: expect.stringMatching(/^\/tmp\/[^/]+_0\.sh$/),
  });
});

test('the next job begins when the operator has asked whether there is more for the last one', async () => {
  const server = await startServer();
  const agent = await operated(server);
  const first = await server.start(['one']);
  const second = await server.start(['two']);
  expect(await agent.work()).toMatchObject({ content: expect.stringContaining('one') });
  await finish(agent, 0);
  await releaseOf(agent);
  expect(await ended(server, first)).toBe('DONE');
  expect(await phaseOf(agent)).toBe('BUSY');
  // A command that it got now would never run.
  expect((await agent.poll()).code).toBe(204);
  expect(await agent.work()).toMatchObject({ content: expect.stringContaining('two') });
  await server.cancel(second);
});

test('an operator that does not ask is waited for some seconds', async () => {
  const server = await startServer();
  const agent = await operated(server);
  const first = await server.start(['one']);
  await agent.work();
  await finish(agent, 1);
  await releaseOf(agent);
  expect(await ended(server, first)).toBe('FAILED');
  expect(await phaseOf(agent)).toBe('BUSY');
  server.clock.advance(LIMITS.farewellMs + 1);
  server.channel.sweep();
  expect(await phaseOf(agent)).toBe('IDLE');
});

test('polls while there is no environment for the job yet do not count as a lost command', async () => {
  const server = await startServer();
  const agent = await operated(server);
  const id = await server.start(['one']);
  await agent.work();
  for (let polls = 0; polls < 20; polls += 1) {
    expect((await agent.poll()).code).toBe(204);
    server.clock.advance(5_000);
    server.channel.sweep();
  }
  await finish(agent, 0);
  await releaseOf(agent);
  expect(await ended(server, id)).toBe('DONE');
});

test('a step may be longer than the liveness time that operators have built in', async () => {
  const server = await startServer();
  const agent = await operated(server);
  const id = await server.start(['one']);
  await agent.work();
  server.clock.advance(1_000_000);
  server.channel.sweep();
  expect(await phaseOf(agent)).toBe('BUSY');
  server.clock.advance(SYNCHRONOUS_LIVENESS_SECONDS * 1_000);
  server.channel.sweep();
  await eventually(async () => expect(await phaseOf(agent)).toBe('UNREACHABLE'));
  expect(await ended(server, id)).toBe('FAILED');
});
