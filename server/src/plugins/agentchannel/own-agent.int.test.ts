/** Our own agents: what is given to them, what they post, and what of it is repeated. */
import { expect, test } from 'vitest';
import { readHere } from '../../http/document-tasks.ts';
import { withShownEvents } from '../../services/observer/shown-events.ts';
import { OwnAgent } from './testing/scripted-agents.ts';
import {
  ended,
  eventsOfKind,
  eventually,
  logOf,
  recordsOf,
  resultsOf,
  startServer,
} from './testing/test-server.ts';

const count = (texts: readonly string[], text: string): number =>
  texts.filter((each) => each === text).length;

// Language 3.2: A channel runs one job at a time. Its phases are `IDLE`, `PENDING`, `BUSY`, `IDLE` and `UNREACHABLE`.
test('a job runs on an agent, step after step, and frees it', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['echo one', 'echo $NAME']);
  const first = await agent.run({ lines: ['one'], variables: ['export NAME=two'] });
  expect(first).toMatchObject({
    kind: 'run',
    command_id: expect.stringMatching(/\/0$/),
    filename: expect.stringMatching(/_0\.sh$/),
    content: expect.stringContaining('echo one'),
    command: expect.stringContaining('_0.sh'),
    variables_path: expect.stringContaining('_dynamic_env.sh'),
  });
  expect((await agent.listed())?.phase).toBe('BUSY');
  await agent.run({ lines: ['two'] });
  const release = await agent.run();
  expect(release).not.toHaveProperty('variables_path');
  expect(release.command).toContain('_-2.sh');
  expect(await ended(server, workflowId)).toBe('DONE');
  expect(await agent.listed()).toMatchObject({ phase: 'IDLE', currentJobID: null });
  expect((await agent.poll()).code).toBe(204);
  expect(await recordsOf(server)).toEqual([]);
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(result).toMatchObject({ status: 0, logs: ['one'], variables: { NAME: 'two' } });
});

test('a command is given until the agent names it, and runs on while it does', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  await server.start(['sleep 1']);
  const order = await agent.work();
  agent.last = null;
  agent.running = null;
  expect((await agent.work()).command_id).toBe(order.command_id);
  expect((await agent.poll()).code).toBe(204);
});

test('a command whose result a restored server does not know is given up, and its job ends', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  // The server that knew the result is gone.
  agent.running = null;
  expect((await agent.poll()).code).toBe(204);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain(
    'was lost: it asks for work but sent no result.',
  );
  // The agent first removes the files of the ended job.
  expect((await agent.run()).removal).not.toBeUndefined();
  const next = await server.start(['true']);
  await agent.run();
  await agent.run();
  expect(await ended(server, next)).toBe('DONE');
});

// Bound: Waiting polls of an agent.
test('a poll that is held is answered when there is work, and a newer poll takes its place', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const older = agent.poll(20);
  await eventually(() => expect(agent.known.waiter).not.toBeNull());
  const newer = agent.poll(20);
  expect((await older).code).toBe(204);
  await server.start(['true']);
  expect((await newer).body?.details).toMatchObject({ kind: 'run' });
});

test('output counts once, however often it is sent, and is shown before the step ends', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const make = agent.running;
  expect(await agent.send({ sequence: 0, lines: ['compiling'] })).toBe(200);
  expect(await agent.send({ sequence: 0, lines: ['compiling'] })).toBe(200);
  expect(await logOf(server, workflowId)).toContain('compiling');
  expect(await agent.send({ sequence: 1, lines: ['linking'], exitStatus: 3 })).toBe(200);
  expect(await agent.send({ sequence: 1, lines: ['linking'], exitStatus: 3 }, make)).toBe(200);
  const release = await agent.run();
  expect(await agent.send({ exitStatus: 0 }, String(release.command_id))).toBe(200);
  expect(await ended(server, workflowId)).toBe('FAILED');
  const log = await logOf(server, workflowId);
  expect([count(log, 'compiling'), count(log, 'linking')]).toEqual([1, 1]);
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(result).toMatchObject({
    logs: ['compiling', 'linking'],
    metadata: { 'tutti.streamed': 1 },
  });
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 3],
    [-2, 0],
  ]);
});

test('output that is posted as bytes counts as output in documents does, also in turns with it', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  expect(await agent.work()).toMatchObject({ output_bytes: true });
  const post = (sequence: number, text: string, marks: object = {}) => {
    const output = [{ stream: 'stdout', bytes: Buffer.byteLength(text), ...marks }];
    return agent.postBytes({ command_id: agent.running, sequence, output }, text);
  };
  const first = '::add-mask::s3cret\nan é\r\n\nwith s3c';
  expect((await post(0, first, { open: true })).code).toBe(200);
  expect((await post(0, first, { open: true })).code).toBe(200);
  expect((await post(1, 'ret in two pieces\n')).code).toBe(200);
  expect(await agent.send({ sequence: 2, lines: ['s3cret in a document'] })).toBe(200);
  expect((await post(3, 'a\nb', { bytes: 7 })).code).toBe(400);
  expect(await agent.send({ sequence: 3, exitStatus: 0 })).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  const logs = ['an é', '', 'with *** in two pieces', '*** in a document'];
  expect(result).toMatchObject({ logs });
});

test('output of a command that is not waited for any more is a conflict', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  await server.start(['one', 'two']);
  const first = await agent.run();
  await agent.work();
  expect(await agent.send({ sequence: 1, lines: ['late'] }, String(first.command_id))).toBe(409);
  expect(await agent.send({ lines: ['x'], exitStatus: 0 }, 'another/0')).toBe(409);
  expect(await agent.send({ lines: ['on'] })).toBe(200);
});

test.each([
  ['no object', []],
  ['no sequence', { command_id: 'a/0' }],
  ['a negative sequence', { command_id: 'a/0', sequence: -1 }],
  ['output that is no list of objects', { command_id: 'a/0', sequence: 0, output: ['text'] }],
])('a batch with %s is refused', async (_what, body) => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  expect(await agent.post(body)).toMatchObject({ code: 400, body: { reason: 'BadRequest' } });
});

test('batches sent twice during a slow commit are stored once', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const make = agent.running;
  const release = server.faults.hold();
  const sent = [
    agent.send({ sequence: 0, lines: ['a'] }, make),
    agent.send({ sequence: 0, lines: ['a'] }, make),
    agent.send({ sequence: 1, lines: ['b'], exitStatus: 0 }, make),
    agent.send({ sequence: 1, lines: ['b'], exitStatus: 0 }, make),
  ];
  // A poll in between is given nothing that is not decided.
  expect((await agent.poll()).code).toBe(204);
  release();
  expect(await Promise.all(sent)).toEqual([200, 200, 200, 200]);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  const log = await logOf(server, workflowId);
  expect([count(log, 'a'), count(log, 'b')]).toEqual([1, 1]);
});

test('batches that come before their turn are stored in order, each once', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const make = agent.running;
  const send = (sequence: number, line: string) =>
    agent.send({ sequence, oldest: 0, lines: [line] }, make);
  const early = [send(2, 'c'), send(1, 'b'), send(2, 'c')];
  await eventually(() => expect(agent.known.session?.earlyBatches.size).toBe(3));
  expect(await logOf(server, workflowId)).not.toContain('c');
  expect(await send(0, 'a')).toBe(200);
  expect(await Promise.all(early)).toEqual([200, 200, 200]);
  expect(await agent.send({ sequence: 3, exitStatus: 0 }, make)).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  const log = await logOf(server, workflowId);
  expect(log.filter((text) => /^[abc]$/.test(text))).toEqual(['a', 'b', 'c']);
  expect(agent.known.session).toBeNull();
});

test('a batch before its turn is refused when the one before it does not come, and taken later', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const second = { sequence: 1, oldest: 0, lines: ['b'] };
  expect(await agent.send(second)).toBe(503);
  expect(await agent.send({ sequence: 0, oldest: 0, lines: ['a'] })).toBe(200);
  expect(await agent.send(second)).toBe(200);
  expect((await logOf(server, workflowId)).slice(-3)).toEqual(['a', 'b', '']);
});

test('masks and stopped commands of a batch hold in the next one, which came before it', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const lines = ['a s3cret', '::end::', '::set-output name=out::made of s3cret'];
  const second = agent.send({ sequence: 1, oldest: 0, lines });
  await eventually(() => expect(agent.known.session?.earlyBatches.size).toBe(1));
  await agent.send({
    sequence: 0,
    oldest: 0,
    lines: ['::add-mask::s3cret', '::stop-commands::end', '::set-output name=out::none'],
  });
  expect(await second).toBe(200);
  await agent.send({ sequence: 2, oldest: 2, lines: ['s3cret'], exitStatus: 0 });
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  const log = await logOf(server, workflowId);
  expect([count(log, 'a ***'), count(log, '***')]).toEqual([0, 1]);
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(result?.outputs).toEqual({ out: 'made of s3cret' });
});

test('batches that were answered by a server whose data is gone are not waited for', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const later = agent.send({ sequence: 6, oldest: 5, lines: ['b'] });
  await eventually(() => expect(agent.known.session?.earlyBatches.size).toBe(1));
  expect(await agent.send({ sequence: 5, oldest: 5, lines: ['a'] })).toBe(200);
  expect(await later).toBe(200);
  expect((await logOf(server, workflowId)).slice(-3)).toEqual(['a', 'b', '']);
});

test('a long batch is one commit', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const lines = Array.from({ length: 16 }, (_, index) => `${index}${'x'.repeat(60_000)}`);
  server.faults.fail('"15xxx');
  expect(await agent.send({ lines })).toBe(500);
  expect((await logOf(server, workflowId)).join('')).not.toContain('xxx');
  server.faults.heal();
  expect(await agent.send({ lines })).toBe(200);
  const log = await logOf(server, workflowId);
  expect(log.filter((text) => text.endsWith('xxx'))).toEqual(lines);
});

test('output of any size is in the log once, and a result repeats only its beginning', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['yes']);
  await agent.work();
  const lines = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
  await agent.send({ sequence: 0, lines: lines.slice(0, 300) });
  await agent.send({ sequence: 1, lines: lines.slice(300), exitStatus: 0 });
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  const log = await logOf(server, workflowId);
  expect(log.filter((text) => text.endsWith('xxx'))).toEqual(lines);
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  const logs = result?.logs ?? [];
  expect(logs.slice(0, -1)).toEqual(lines.slice(0, logs.length - 1));
  expect(logs.at(-1)).toMatch(/^WARNING,\d+ more lines are in the execution log/);
  expect(result?.metadata['tutti.streamed']).toBe(logs.length);
});

// Language 5: Masks and stopped commands go on from step to step.
test('masks hold from step to step, and nothing that is kept or shown has what they hide', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['one', 'two', 'three']);
  await agent.run({ lines: ['::add-mask::s3cret', 'it is s3cret'] });
  await agent.run({ lines: ['still s3cret'] });
  await agent.work();
  await agent.send({ lines: ['::attach::/tmp/s3cret.txt'], exitStatus: 0 });
  const get = await agent.work();
  expect(get).toMatchObject({ kind: 'get', path: '/tmp/s3cret.txt' });
  const error = 'Failed to fetch file /tmp/s3cret.txt: no s3cret there';
  await agent.post({ details: { error } });
  await agent.run();
  await ended(server, workflowId);
  const log = await logOf(server, workflowId);
  expect(log).toEqual(expect.arrayContaining(['it is ***', 'still ***']));
  expect(log.join('\n')).toContain('ERROR,Could not read /tmp/***.txt');
  const page = await withShownEvents(server.store, readHere).events(workflowId, 1, 1000);
  expect(page?.items.join('\n')).not.toContain('s3cret');
  expect(await recordsOf(server)).toEqual([]);
});

test('attached files are fetched all at once, and are in the result in the order of their lines', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const lines = ['::attach type=text/plain::/tmp/a.txt', '::attach::/tmp/b.txt'];
  await agent.send({ lines, exitStatus: 0 });
  const [first, second] = [await agent.work(), await agent.work()];
  expect([first, second]).toMatchObject([
    { kind: 'get', path: '/tmp/a.txt' },
    { kind: 'get', path: '/tmp/b.txt' },
  ]);
  expect((await agent.poll()).code).toBe(204);
  expect((await agent.sendFile(second.file_id, 'B')).code).toBe(200);
  expect((await agent.sendFile(first.file_id, 'A')).code).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(Object.values(result?.metadata.attachments ?? {})).toEqual([
    { uuid: first.file_id, type: 'text/plain' },
    { uuid: second.file_id },
  ]);
  expect((await agent.sendFile(first.file_id, 'A')).code).toBe(404);
});

// Language 5: A file that cannot be read fails the step and is told.
test('a file that is too large, or cannot be read, fails its step whatever else it did', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const lines = ['::attach::/tmp/large', '::attach::/tmp/none'];
  await agent.send({ lines, exitStatus: 0 });
  const large = await agent.work();
  await agent.work();
  expect((await agent.sendFile(large.file_id, 'x'.repeat(1024 * 1024 + 1))).code).toBe(200);
  await agent.post({ details: { error: 'Failed to fetch file /tmp/none: ENOENT' } });
  await agent.run();
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 2],
    [-2, 0],
  ]);
  const log = (await logOf(server, workflowId)).join('\n');
  expect(log).toMatch(/ERROR,Could not read \/tmp\/large: .+/);
  expect(log).toMatch(/ERROR,Could not read \/tmp\/none: Failed to fetch file/);
});

test('the result names the reports that could not be had, and no other files', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const head = '::attach type=application/vnd.opentestfactory.junit-surefire+xml::';
  const lines = [`${head}/tmp/none.xml`, '::attach::/tmp/none.txt', `${head}/tmp/large.xml`];
  await agent.send({ lines, exitStatus: 0 });
  await agent.work();
  await agent.work();
  const large = await agent.work();
  for (const name of ['none.xml', 'none.txt']) {
    await agent.post({ details: { error: `Failed to fetch file /tmp/${name}: ENOENT` } });
  }
  await agent.sendFile(large.file_id, 'x'.repeat(1024 * 1024 + 1));
  await agent.run();
  expect(await ended(server, workflowId)).toBe('FAILED');
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(result?.metadata['tutti.missing-reports']).toEqual([
    { file: '/tmp/none.xml', count: 2, problem: 'They could not be read.' },
  ]);
});

test('the news of a failure that is about no file of now changes nothing', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  await server.start(['make']);
  await agent.work();
  await agent.send({ lines: ['::attach::/tmp/a.txt'], exitStatus: 0 });
  const get = await agent.work();
  await agent.post({ details: { error: 'Failed to fetch file /tmp/old.txt: gone' } });
  const error = 'Failed to fetch file /tmp/a.txt: gone';
  await agent.post({ failed: 'f0e1d2c3-0000-4000-8000-000000000001', details: { error } });
  expect((await agent.sendFile(get.file_id, 'A')).code).toBe(200);
  expect(await agent.work()).toMatchObject({ kind: 'run' });
});
