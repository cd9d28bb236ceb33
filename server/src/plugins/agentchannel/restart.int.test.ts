/** Servers that crash in the middle of a job, in any state, and start again on the same data. */
import type { WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { Store } from '../../store/store.ts';
import { ExistingAgent, OwnAgent } from './testing/scripted-agents.ts';
import {
  dataFolder,
  ended,
  eventsOf,
  eventsOfKind,
  eventually,
  logOf,
  noticesOf,
  recordsOf,
  resultsOf,
  startServer,
  type TestServer,
  type TestServerOptions,
} from './testing/test-server.ts';

const GRACE = 10;
const release = { command: expect.stringContaining('_-2.sh') };

/** A server that can be replaced by the next one. */
async function startFirst(
  options: TestServerOptions = {},
): Promise<{ server: TestServer; restart: (next?: TestServerOptions) => Promise<TestServer> }> {
  const folder = await dataFolder();
  const server = await startServer({ ...options, folder });
  const { clock } = server;
  const restart = async (next: TestServerOptions = {}) => {
    await server.crash();
    return await startServer({ ...options, ...next, folder, clock });
  };
  return { server, restart };
}

const once = (texts: readonly string[], ...wanted: readonly string[]): void => {
  for (const text of wanted) expect(texts.filter((each) => each === text)).toEqual([text]);
};

test('a job that waits for an environment goes on waiting, is told no second time, and keeps its turn', async () => {
  const { server, restart } = await startFirst();
  const older = await server.start(['older']);
  await eventually(async () => expect(await noticesOf(server, older)).toHaveLength(1));
  server.clock.advance(1000);
  const next = await restart();
  const younger = await next.start(['younger']);
  await eventually(async () => expect(await noticesOf(next, younger)).toHaveLength(1));
  const agent = await OwnAgent.register(next);
  expect((await agent.run()).content).toContain('older');
  await agent.run();
  expect(await ended(next, older)).toBe('DONE');
  expect((await agent.run()).content).toContain('younger');
  expect(await noticesOf(next, older)).toHaveLength(1);
});

test('agents are known after a restart, and get jobs once they are heard of', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const gone = await OwnAgent.register(server, { name: 'gone' });
  const next = await restart();
  Object.assign(agent, { server: next });
  Object.assign(gone, { server: next });
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
  const workflowId = await next.start(['true']);
  await agent.run();
  await agent.run();
  expect(await ended(next, workflowId)).toBe('DONE');
  expect((await gone.listed())?.phase).toBe('UNREACHABLE');
  // The return of agents after a restart is no reason for a notice about waiting jobs.
  expect(await noticesOf(next, workflowId)).toEqual([]);
});

test('an agent that is away when the server starts again keeps its job for its time of absence', async () => {
  const { server, restart } = await startFirst({ absenceSeconds: 120 });
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const next = await restart();
  agent.server = next;
  next.clock.advance(60_000);
  next.channel.sweep();
  expect(await agent.listed()).toMatchObject({ phase: 'UNREACHABLE' });
  await agent.poll();
  expect(await agent.send({ exitStatus: 0 })).toBe(200);
  await agent.run();
  expect(await ended(next, workflowId)).toBe('DONE');
});

test('a job that waits for an agent which did not come back is told since when nothing was heard of it', async () => {
  const { server, restart } = await startFirst({ disconnectGraceSeconds: 0.2 });
  await OwnAgent.register(server, { name: 'gone' });
  const heard = server.clock.timestamp();
  server.clock.advance(5_000);
  const next = await restart();
  const workflowId = await next.start(['true']);
  await eventually(async () => expect(await noticesOf(next, workflowId)).toHaveLength(1));
  const [notice] = await noticesOf(next, workflowId);
  expect(Object(notice?.spec)['tutti.waiting']).toMatchObject({
    reason: 'unreachable',
    environments: [{ name: 'gone', since: heard }],
  });
});

test('a command that was not delivered is, and one that was goes on', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['one', 'two']);
  await agent.isIn('BUSY');
  const second = await restart();
  agent.server = second;
  expect((await agent.work()).content).toContain('one');
  expect((await agent.poll()).code).toBe(204);
  await agent.send({ exitStatus: 0 });
  await agent.run();
  await agent.run();
  expect(await ended(second, workflowId)).toBe('DONE');
});

test('of files beyond the limit the log tells once, and the result names the reports, also after a restart', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  // These need no transfer, and count all the same.
  const puts = Array.from({ length: 1024 }, () => '::put file=none::x');
  const report = (name: string) =>
    `::attach type=application/vnd.opentestfactory.junit-surefire+xml::${name}`;
  await agent.send({ sequence: 0, lines: [...puts, report('a.xml'), '::attach::b.txt'] });
  agent.server = await restart();
  await agent.send({ sequence: 1, lines: [report('c.xml')], exitStatus: 0 });
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('FAILED');
  once(
    await logOf(agent.server, workflowId),
    'ERROR,File a.xml and 2 more ignored: a step may attach or transfer at most 1024 files.',
  );
  const [, result] = await eventsOfKind(agent.server, workflowId, 'ExecutionResult');
  expect(result?.metadata['tutti.missing-reports']).toEqual([
    {
      file: 'a.xml',
      count: 2,
      problem: 'They were not attached, as there were too many files.',
    },
  ]);
});

test('a command runs on while the server is down, and its output counts once', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ sequence: 0, lines: ['::add-mask::s3cret', 'a'] });
  await agent.send({ sequence: 1, lines: ['b', '::set-output name=out::made'] });
  agent.server = await restart();
  // The answer to the last batch was lost.
  expect(await agent.send({ sequence: 1, lines: ['b', '::set-output name=out::made'] })).toBe(200);
  expect((await agent.poll()).code).toBe(204);
  expect(await agent.send({ sequence: 2, lines: ['a s3cret'], exitStatus: 0 })).toBe(200);
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
  once(await logOf(agent.server, workflowId), 'a', 'b', 'a ***');
  const [, result] = await eventsOfKind(agent.server, workflowId, 'ExecutionResult');
  expect(result).toMatchObject({
    logs: ['a', 'b', 'a ***'],
    outputs: { out: 'made' },
    metadata: { 'tutti.streamed': 2 },
  });
});

test('of the log, only what follows the command of an agent is read after a restart', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make', 'test']);
  await agent.work();
  await agent.send({ sequence: 0, lines: ['much'] });
  await agent.send({ sequence: 1, exitStatus: 0 });
  await agent.work();
  await agent.send({ sequence: 0, lines: ['little'] });
  const kinds = (await eventsOf(server, workflowId)).map(({ kind }) => kind);
  const next = await restart();
  agent.server = next;
  await agent.send({ sequence: 1, exitStatus: 0 });
  await agent.run();
  expect(await ended(next, workflowId)).toBe('DONE');
  once(await logOf(next, workflowId), 'much', 'little');
  expect(next.faults.historiesFrom).toEqual([kinds.lastIndexOf('ExecutionCommand') + 1]);
});

test('a synchronous agent that died while the server was down is given its time anew, then lost', async () => {
  const { server, restart } = await startFirst();
  const agent = await ExistingAgent.register(server, '2.0', { spec: { liveness_probe: 60 } });
  const workflowId = await server.start(['make']);
  await agent.work();
  server.clock.advance(3_600_000);
  agent.server = await restart();
  agent.server.channel.sweep();
  expect((await agent.listed())?.phase).toBe('BUSY');
  server.clock.advance(60_001);
  agent.server.channel.sweep();
  expect(await ended(agent.server, workflowId)).toBe('FAILED');
  expect((await logOf(agent.server, workflowId)).join('\n')).toContain(
    'was lost: no contact for 60 s while its command ran (its liveness_probe).',
  );
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
});

test('a result whose answer was lost is answered again after a restart', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['one', 'two']);
  await agent.work();
  const first = agent.running;
  await agent.send({ exitStatus: 0 });
  agent.server = await restart();
  // It still says that it runs the first, as it was not told that its result came.
  agent.running = first;
  expect(await agent.work()).toEqual({ kind: 'cancel', command_id: first });
  const held = agent.work();
  await eventually(() => expect(agent.known.waiter).not.toBeNull());
  expect(await agent.send({ exitStatus: 0 }, first)).toBe(200);
  expect((await held).content).toContain('two');
  await agent.send({ exitStatus: 0 });
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
});

test('a batch of which only a part was published counts once', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const lines = Array.from({ length: 30 }, (_, index) => `${index}${'x'.repeat(60_000)}`);
  await agent.send({ sequence: 0, lines: ['before'] });
  // They are more than one commit takes; the second is not stored any more.
  server.faults.fail('"25xxx');
  expect(await agent.send({ sequence: 1, lines })).toBe(500);
  agent.server = await restart();
  expect(await agent.send({ sequence: 1, lines })).toBe(200);
  await agent.send({ sequence: 2, exitStatus: 0 });
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
  const log = await logOf(agent.server, workflowId);
  once(log, 'before', ...lines);
  expect(log.filter((text) => text.endsWith('xxx'))).toEqual(lines);
});

test('of batches under way the server takes those it does not have, in order', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const send = (sequence: number, line: string) =>
    agent.send({ sequence, oldest: 0, lines: [line] });
  expect(await send(0, 'a')).toBe(200);
  server.faults.fail('"b"');
  expect(await send(1, 'b')).toBe(500);
  agent.server = await restart();
  // The answers were lost, and all are sent again.
  const sent = [send(2, 'c')];
  await eventually(() => expect(agent.known.session?.earlyBatches.size).toBe(1));
  sent.push(send(0, 'a'), send(1, 'b'));
  expect(await Promise.all(sent)).toEqual([200, 200, 200]);
  await agent.send({ sequence: 3, oldest: 3, exitStatus: 0 });
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
  const log = await logOf(agent.server, workflowId);
  expect(log.filter((text) => /^[abc]$/.test(text))).toEqual(['a', 'b', 'c']);
});

test('files that were outstanding are fetched again', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ lines: ['::attach::/tmp/a', '::attach::/tmp/b', 'made'], exitStatus: 0 });
  const before = await agent.work();
  await agent.sendFile(before.file_id, 'A');
  agent.server = await restart();
  const gets = [await agent.work(), await agent.work()];
  expect(gets).toMatchObject([{ path: '/tmp/a' }, { path: '/tmp/b' }]);
  // The agent has not given up what it was told before, which nobody knows any more.
  expect((await agent.sendFile(before.file_id, 'A')).code).toBe(404);
  const error = 'Failed to fetch file /tmp/a: not known';
  await agent.post({ failed: before.file_id, details: { error } });
  for (const { file_id } of gets) await agent.sendFile(file_id, 'content');
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
  once(await logOf(agent.server, workflowId), 'made');
  const [, result] = await eventsOfKind(agent.server, workflowId, 'ExecutionResult');
  expect(result?.attachments).toHaveLength(2);
  expect(await recordsOf(agent.server)).toEqual([]);
});

test('a command that had ended is not lost when its agent asks for work while the server still looks for its files', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make'], { 'data.csv': 'a;b' });
  await agent.work();
  await agent.send({ lines: ['::put file=data.csv::in.csv', 'made'], exitStatus: 0 });
  await agent.work();
  const { promise: found, resolve: find } = Promise.withResolvers<void>();
  agent.server = await restart({ beforeLook: () => found });
  expect((await agent.poll()).code).toBe(204);
  find();
  const put = await agent.work();
  await agent.post({ received: put.file_id });
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
  once(await logOf(agent.server, workflowId), 'made');
});

test('masks of a step hold in the next one, also if it begins after a restart', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['one', 'two']);
  await agent.run({ lines: ['::add-mask::s3cret'] });
  agent.server = await restart();
  await agent.run({ lines: ['a s3cret'] });
  await agent.run();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
  expect(await logOf(agent.server, workflowId)).toContain('a ***');
  expect(await recordsOf(agent.server)).toEqual([]);
});

test.each([
  ['that the agent has is told to it', true],
  ['that the agent never got lets nothing begin', false],
])('a stop %s after a restart', async (_what, hasIt) => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  if (hasIt) await agent.work();
  else await agent.isIn('BUSY');
  await server.cancel(workflowId);
  if (!hasIt)
    await eventually(async () => expect(await resultsOf(server, workflowId)).toHaveLength(1));
  agent.server = await restart();
  if (hasIt) {
    expect(await agent.work()).toEqual({ kind: 'cancel', command_id: agent.running });
    await agent.send({ exitStatus: 143 });
  }
  expect(await agent.work()).toMatchObject(release);
  await agent.send({ exitStatus: 0 });
  expect(await ended(agent.server, workflowId)).toBe('FAILED');
  expect(await resultsOf(agent.server, workflowId)).toEqual([
    [0, 143],
    [-2, 0],
  ]);
});

test('a stop that could not be answered before the crash is answered after it', async () => {
  const { server, restart } = await startFirst();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make']);
  await agent.isIn('BUSY');
  server.faults.fail('"status":143');
  await server.cancel(workflowId);
  agent.server = await restart();
  expect(await agent.work()).toMatchObject(release);
  await agent.result();
  expect(await ended(agent.server, workflowId)).toBe('FAILED');
});

test('a command that follows while jobs of other runs are read again reaches its agent', async () => {
  const { server, restart } = await startFirst();
  const agent = await ExistingAgent.register(server, '2.0', { tags: ['linux', 'stopped'] });
  const busy = await OwnAgent.register(server, { tags: ['linux', 'busy'] });
  const steps = [{ run: 'make' }];
  const stopped = await server.start({ main: { 'runs-on': 'stopped', steps } });
  server.clock.advance(1000);
  const other = await server.start({ main: { 'runs-on': 'busy', steps } });
  await agent.isIn('BUSY');
  await busy.work();
  server.faults.fail('"status":143');
  await server.cancel(stopped);
  const isReleased = async (store: Store) => {
    const events = await store.events(stopped, 1, 1000);
    expect(events?.items.join()).toContain('"step_sequence_id":-2');
  };
  const beforeHistory = async (store: Store, workflowId: WorkflowId) => {
    if (workflowId === other) await eventually(() => isReleased(store));
  };
  agent.server = await restart({ beforeHistory });
  expect(await agent.work()).toMatchObject(release);
  await agent.result();
  expect(await ended(agent.server, stopped)).toBe('FAILED');
});

test('an agent that does not come back after a restart is lost', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ sequence: 0, lines: ['a'] });
  agent.server = await restart();
  agent.server.clock.advance(GRACE * 1000 + 1);
  agent.server.channel.sweep();
  expect(await ended(agent.server, workflowId)).toBe('FAILED');
  once(await logOf(agent.server, workflowId), 'a');
  await agent.isIn('UNREACHABLE');
});

test('a job whose agent was de-registered just before the crash has lost its environment', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ sequence: 0, lines: ['a'] });
  await server.store.write({ documents: [{ collection: 'agents', key: agent.id, json: null }] });
  const next = await restart();
  expect(await ended(next, workflowId)).toBe('FAILED');
  const log = await logOf(next, workflowId);
  once(log, 'a', 'ERROR,The environment of the job was lost while the server was down.');
  expect(await recordsOf(next)).toEqual([]);
});

test('a job between two steps, and one that is being released, go on', async () => {
  const { server, restart } = await startFirst();
  const between = await OwnAgent.register(server, { tags: ['linux', 'between'] });
  const releasing = await OwnAgent.register(server, { tags: ['linux', 'releasing'] });
  const first = await server.start({
    main: { 'runs-on': 'between', steps: [{ run: 'true' }, { uses: 'slow/one@v1' }] },
  });
  const other = await server.start({ main: { 'runs-on': 'releasing', steps: [{ run: 'true' }] } });
  await between.run();
  await releasing.run();
  const [command] = await eventsOfKind(server, first, 'ProviderCommand');
  if (command === undefined) throw new Error('The provider was not asked.');
  const next = await restart();
  Object.assign(between, { server: next });
  Object.assign(releasing, { server: next });
  expect(await releasing.run()).toMatchObject(release);
  expect(await ended(next, other)).toBe('DONE');
  const { metadata } = command;
  const apiVersion = 'opentestfactory.org/v1';
  await next.bus.publish({ apiVersion, kind: 'ProviderResult', metadata, steps: [{ run: 'on' }] });
  expect((await between.run()).content).toContain('on');
  await between.run();
  expect(await ended(next, first)).toBe('DONE');
});

test('a job that lost its agent to a later one does not get it back', async () => {
  const { server, restart } = await startFirst();
  const agent = await OwnAgent.register(server);
  const older = await server.start({
    main: { 'runs-on': 'linux', steps: [{ run: 'true' }, { uses: 'slow/one@v1' }] },
  });
  await agent.run();
  const [command] = await eventsOfKind(server, older, 'ProviderCommand');
  if (command === undefined) throw new Error('The provider was not asked.');
  // Away while no command runs, and back: the older job has lost it, and does not know yet.
  server.clock.advance(GRACE * 1000 + 1);
  server.channel.sweep();
  const younger = await server.start(['of the younger']);
  expect((await agent.work()).content).toContain('of the younger');
  agent.server = await restart();
  const { metadata } = command;
  const apiVersion = 'opentestfactory.org/v1';
  const steps = [{ run: 'of the older' }];
  await agent.server.bus.publish({ apiVersion, kind: 'ProviderResult', metadata, steps });
  expect(await ended(agent.server, older)).toBe('FAILED');
  await agent.send({ exitStatus: 0 });
  await agent.run();
  expect(await ended(agent.server, younger)).toBe('DONE');
});

test('a command that an existing agent may have got is never given to it again', async () => {
  const { server, restart } = await startFirst();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make']);
  await agent.work();
  agent.server = await restart();
  expect((await agent.poll()).code).toBe(204);
  await agent.result(['made']);
  expect(await agent.work()).toMatchObject(release);
  await agent.result();
  expect(await ended(agent.server, workflowId)).toBe('DONE');
  once(await logOf(agent.server, workflowId), 'made');
});

test('records of jobs that are over are forgotten', async () => {
  const { server, restart } = await startFirst();
  const record = { collection: 'agent-commands', key: 'a job of long ago', json: '{}' };
  await server.store.write({ documents: [record] });
  expect(await recordsOf(await restart())).toEqual([]);
});
