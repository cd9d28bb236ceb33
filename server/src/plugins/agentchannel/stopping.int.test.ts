/** Cancelled runs: commands that never began, that run, that do not stop, and whose files are on their way. */
import { expect, test } from 'vitest';
import { LIMITS } from './jobs/limits.ts';
import { ExistingAgent, OwnAgent } from './testing/scripted-agents.ts';
import { ended, eventually, logOf, resultsOf, startServer } from './testing/test-server.ts';

// Language 3.1: -4 stops the command that runs.
test('a command that runs is told to stop once, and its result ends the run', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['sleep 100']);
  await agent.work();
  const held = agent.work();
  await server.cancel(workflowId);
  expect(await held).toEqual({ kind: 'cancel', command_id: agent.running });
  expect((await agent.poll()).code).toBe(204);
  await agent.send({ lines: ['interrupted'], exitStatus: 143 });
  await agent.run();
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await logOf(server, workflowId)).toContain('interrupted');
  await agent.isIn('IDLE');
});

test('of a line that a stopped command did not end, the beginning of a mask is hidden', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['one', 'two', 'three']);
  const mask = '::add-mask::Sup3rSecret';
  await agent.run({ lines: [mask, 'by itself Sup3rSecr'], cut: true });
  await agent.run({ lines: ['killed Sup3rSecr'], cut: true, exitStatus: 137 });
  await agent.run();
  const log = await logOf(server, workflowId);
  expect(log).toContain('by itself Sup3rSecr');
  expect(log).toContain('killed ***');
});

test('the same for an existing agent, which does not tell how its output ends', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '1.9');
  const workflowId = await server.start(['one']);
  await agent.isIn('BUSY');
  await agent.order();
  const stdout = ['::add-mask::Sup3rSecret', 'killed Sup3rSecr'];
  await agent.post({ stdout, stderr: [], exit_status: -9 });
  await eventually(async () => expect(await logOf(server, workflowId)).toContain('killed ***'));
});

test('an agent that goes on is told again after a while', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['sleep 100']);
  await agent.work();
  await server.cancel(workflowId);
  expect(await agent.work()).toMatchObject({ kind: 'cancel' });
  server.clock.advance(LIMITS.cancelResendMs);
  expect(await agent.work()).toMatchObject({ kind: 'cancel' });
});

test('a stop that is asked for before the agent took the command keeps it from beginning', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['never']);
  // The order is given, and lost on the way: the agent does not name it.
  expect((await agent.poll(20)).body?.details).toMatchObject({ kind: 'run' });
  await server.cancel(workflowId);
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  await agent.send({ exitStatus: 0 });
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 143],
    [-2, 0],
  ]);
});

test('a command that no poll has taken is done at once', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['never']);
  await agent.isIn('BUSY');
  await server.cancel(workflowId);
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  await agent.send({ exitStatus: 0 });
  expect(await ended(server, workflowId)).toBe('FAILED');
});

test('a command that does not stop is left behind, and its agent gets nothing before it has ended', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['trap "" TERM']);
  await agent.work();
  const stubborn = agent.running;
  await server.cancel(workflowId);
  expect(await agent.work()).toMatchObject({ kind: 'cancel', command_id: stubborn });
  server.clock.advance(LIMITS.cancelGraceMs + 1);
  await agent.poll();
  server.channel.sweep();
  await eventually(async () => expect(await resultsOf(server, workflowId)).toEqual([[0, 137]]));
  // The release has to wait: the agent still says that it runs the other one.
  expect(await agent.work()).toEqual({ kind: 'cancel', command_id: stubborn });
  expect((await agent.poll()).code).toBe(204);
  expect(await agent.send({ exitStatus: 137 })).toBe(200);
  expect(await agent.run()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain('did not stop in time');
  await agent.isIn('IDLE');
});

test('files of a step that was told to stop are waited for no longer than its command', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ lines: ['::attach::/tmp/a'], exitStatus: 0 });
  await agent.work();
  await server.cancel(workflowId);
  expect((await agent.poll()).code).toBe(204);
  server.clock.advance(LIMITS.cancelGraceMs + 1);
  const release = agent.work();
  await eventually(() => expect(agent.known.waiter).not.toBeNull());
  server.channel.sweep();
  expect(await release).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  expect((await logOf(server, workflowId)).join('\n')).toContain('its step was stopped');
});

// Language 3.10: Where an agent cannot be interrupted, the step ends by itself.
test('a synchronous agent cannot be stopped: it is left alone, and released when it has ended', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['sleep 1000']);
  await agent.work();
  await server.cancel(workflowId);
  server.clock.advance(LIMITS.cancelGraceMs + 1);
  server.channel.sweep();
  await eventually(async () => expect(await resultsOf(server, workflowId)).toEqual([[0, 137]]));
  expect((await agent.listed())?.phase).toBe('BUSY');
  await agent.result(['at last']);
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  await agent.result();
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await logOf(server, workflowId)).not.toContain('at last');
  await agent.isIn('IDLE');
});

test('an asynchronous agent that does not stop gets no order that it would lose', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['sleep 1000']);
  await agent.work();
  await agent.post({ stdout: ['begun'] });
  await server.cancel(workflowId);
  expect(await agent.work()).toMatchObject({ kind: 'cancel' });
  server.clock.advance(LIMITS.cancelGraceMs + 1);
  server.channel.sweep();
  await eventually(async () => expect(await resultsOf(server, workflowId)).toEqual([[0, 137]]));
  expect((await agent.poll()).code).toBe(204);
  await agent.post({ stdout: [], stderr: [], exit_status: -9 });
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
});
