/** Stores that fail in the middle. Known data stays, and clients that must try again succeed. */
import { expect, test } from 'vitest';
import { OwnAgent } from './testing/scripted-agents.ts';
import {
  ended,
  eventsOfKind,
  eventually,
  logOf,
  resultsOf,
  startServer,
} from './testing/test-server.ts';

const once = (texts: readonly string[], ...wanted: readonly string[]): void => {
  for (const text of wanted) expect(texts.filter((each) => each === text)).toEqual([text]);
};

test('output that could not be stored is taken when it comes again, with its commands', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const batch = { sequence: 0, lines: ['a', '::add-mask::s3cret', '::set-output name=out::made'] };
  server.faults.fail();
  expect(await agent.send(batch)).toBe(500);
  expect(await agent.send(batch)).toBe(500);
  server.faults.heal();
  expect(await agent.send(batch)).toBe(200);
  expect(await agent.send({ sequence: 1, lines: ['a s3cret'], exitStatus: 0 })).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  once(await logOf(server, workflowId), 'a', 'a ***');
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(result?.outputs).toEqual({ out: 'made' });
});

test('a result that could not be stored is taken when it comes again, with its lines once', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  server.faults.fail();
  expect(await agent.send({ lines: ['a'], exitStatus: 3 })).toBe(500);
  server.faults.heal();
  expect((await agent.poll()).code).toBe(204);
  expect(await agent.send({ lines: ['a'], exitStatus: 3 })).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('FAILED');
  once(await logOf(server, workflowId), 'a');
  expect((await eventsOfKind(server, workflowId, 'ExecutionResult'))[1]?.logs).toEqual(['a']);
});

test('a very long batch that was published in part is completed', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const lines = Array.from({ length: 50 }, (_, index) => `${index}${'x'.repeat(60_000)}`);
  for (const failing of ['"1xxx', '"30xxx', '"49xxx', '"status":0']) {
    server.faults.fail(failing);
    expect(await agent.send({ lines, exitStatus: 0 })).toBe(500);
  }
  server.faults.heal();
  expect(await agent.send({ lines, exitStatus: 0 })).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  const log = await logOf(server, workflowId);
  expect(log.filter((text) => text.endsWith('xxx'))).toEqual(lines);
});

test('a result that could not be published after its last file is published later', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ lines: ['::attach::/tmp/a'], exitStatus: 0 });
  const get = await agent.work();
  server.faults.fail('"kind":"ExecutionResult"');
  expect((await agent.sendFile(get.file_id, 'A')).code).toBe(200);
  server.faults.heal();
  server.channel.sweep();
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a lost command whose end could not be stored ends later', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  server.faults.fail();
  server.clock.advance(10_001);
  server.channel.sweep();
  await agent.isIn('UNREACHABLE');
  await eventually(() => expect(server.channel.context.unfinished.size).toBe(1));
  server.channel.sweep();
  await eventually(() => expect(server.channel.context.unfinished.size).toBe(1));
  server.faults.heal();
  server.channel.sweep();
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 1],
    [-2, 0],
  ]);
});

test('an offer that could not be stored is made again', async () => {
  const server = await startServer();
  const workflowId = await server.start(['make']);
  server.faults.fail('"step_sequence_id":-1');
  const agent = await OwnAgent.register(server);
  await eventually(() => expect(server.channel.context.unfinished.size).toBe(1));
  await agent.isIn('IDLE');
  server.faults.heal();
  server.channel.sweep();
  await agent.run();
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('an agent that could not be de-registered is still there', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  server.faults.fail();
  expect((await server.call('DELETE', agent.path)).code).toBe(500);
  server.faults.heal();
  await agent.isIn('IDLE');
  expect((await server.call('DELETE', agent.path)).code).toBe(200);
});

test('the run of a busy agent that goes is cancelled later if it cannot be at once', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make', 'test']);
  await agent.work();
  server.faults.fail('"kind":"WorkflowCancellation"');
  expect((await server.call('DELETE', agent.path)).code).toBe(200);
  server.faults.heal();
  server.channel.sweep();
  expect(await ended(server, workflowId)).toBe('FAILED');
});

test('somebody else answers a command: the agent is told that nobody waits, and is freed', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const commands = await eventsOfKind(server, workflowId, 'ExecutionCommand');
  const command = commands.find(({ metadata }) => metadata.step_sequence_id === 0);
  if (command === undefined) throw new Error('No command was sent.');
  const { channel_id: _, ...metadata } = command.metadata;
  const apiVersion = 'opentestfactory.org/v1alpha1';
  await server.bus.publish({ apiVersion, kind: 'ExecutionResult', metadata, status: 0 });
  expect(await agent.work()).toMatchObject({ kind: 'cancel' });
  expect(await agent.send({ sequence: 0, lines: ['late'] })).toBe(409);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  await agent.isIn('IDLE');
});

test('what the log says of an agent, its job and its run names each of them', async () => {
  const logged: Record<string, unknown>[] = [];
  const server = await startServer({ logged });
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const [request] = await eventsOfKind(server, workflowId, 'ExecutionCommand');
  server.faults.fail();
  server.clock.advance(3_600_000);
  server.channel.sweep();
  const about = { agentId: agent.id, workflowId, jobId: request?.metadata.job_id };
  for (const msg of [
    'An agent is unreachable.',
    'The result of a lost command failed, and is tried again.',
  ]) {
    const line = await eventually(() => {
      const found = logged.find((each) => each.msg === msg);
      expect(found, msg).toBeDefined();
      return found;
    });
    expect(line).toMatchObject(about);
  }
  server.faults.heal();
  server.channel.sweep();
  expect(await ended(server, workflowId)).toBe('FAILED');
});
