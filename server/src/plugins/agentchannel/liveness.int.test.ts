/** Agents that fall silent, come back, leave, and jobs that wait for them. */
import { factOf } from '@tutti/workflow/facts';
import { describe, expect, test } from 'vitest';
import { LIMITS } from './jobs/limits.ts';
import { ExistingAgent, OwnAgent } from './testing/scripted-agents.ts';
import {
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
} from './testing/test-server.ts';

/** Seconds after which the test's server misses an agent: in silence, and after its connection broke. */
const LIVENESS = 300;
const SYNCHRONOUS_LIVENESS = 3600;
const GRACE = 10;

function pass(server: TestServer, seconds: number): void {
  server.clock.advance(seconds * 1000 + 1);
  server.channel.sweep();
}

/** A body of one byte whose request goes on until `end` is called. */
function slowBody() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(1));
      await promise;
      controller.close();
    },
  });
  return { body, end };
}

test('an agent whose connection broke fails its step after the time of grace, with the reason', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server, { name: 'builder' });
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ sequence: 0, lines: ['compiling'] });
  pass(server, GRACE);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 1],
    [-2, 0],
  ]);
  const log = await logOf(server, workflowId);
  expect(log.filter((text) => text === 'compiling')).toHaveLength(1);
  expect(log).toContain(
    `ERROR,Agent "builder" (${agent.id}) was lost: its connection broke and it did not come back within 10 s.`,
  );
  expect(await agent.listed()).toMatchObject({ phase: 'UNREACHABLE', currentJobID: null });
  // `GET /channels` shows the same.
  expect([...server.channel.context.pool.channels()]).toMatchObject([
    { phase: 'UNREACHABLE', job: null },
  ]);
  expect(await recordsOf(server)).toEqual([]);
});

test('while the server stood still nobody could be heard, so that time does not count', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  server.channel.tick();
  server.clock.advance(2 * GRACE * 1000);
  server.channel.tick();
  expect(await agent.listed()).toMatchObject({ phase: 'BUSY' });
  for (let second = 0; second <= GRACE; second += 1) {
    server.clock.advance(LIMITS.sweepMs);
    server.channel.tick();
  }
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain(
    'was lost: its connection broke and it did not come back within 10 s.',
  );
});

test('a step that is due after its agent was lost says that it could not run, and not that it failed', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const steps = [{ run: 'make' }, { if: 'always()', run: 'make clean' }];
  const workflowId = await server.start({ main: { 'runs-on': 'linux', steps } });
  await agent.work();
  pass(server, GRACE);
  expect(await ended(server, workflowId)).toBe('FAILED');
  const results = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(results.map(({ status, metadata }) => [status, metadata['tutti.not-run']])).toEqual([
    [0, undefined],
    [1, undefined],
    [1, true],
    [0, undefined],
  ]);
  const log = await logOf(server, workflowId);
  expect(log).toContain(
    'ERROR,The step could not run: the environment of its job was lost before.',
  );
  expect(log.filter((text) => text === 'Status code was: 1')).toHaveLength(1);
});

test('an agent that is lost between two steps fails the second one, with the reason', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server, { name: 'builder' });
  const workflowId = await server.start(['make', 'test']);
  await agent.work();
  const release = server.faults.hold();
  const sent = agent.send({ lines: ['made'], exitStatus: 0 });
  await eventually(() => expect(server.faults.waiting).toBe(1));
  pass(server, GRACE);
  release();
  expect(await sent).toBe(200);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain(
    `ERROR,Agent "builder" (${agent.id}) was lost: `,
  );
});

test('an agent that comes back without the command is free again', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  pass(server, GRACE);
  await ended(server, workflowId);
  agent.running = null;
  await agent.poll();
  await agent.isIn('IDLE');
});

test('an agent that comes back with a command that was given up is told to stop it, and is free after that', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  pass(server, GRACE);
  await ended(server, workflowId);
  const command = agent.running;
  expect(await agent.work()).toEqual({ kind: 'cancel', command_id: command });
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
  expect(await agent.send({ exitStatus: 143 })).toBe(409);
  await agent.run();
  await agent.poll();
  await agent.isIn('IDLE');
  const next = await server.start(['true']);
  await agent.run();
  await agent.run();
  expect(await ended(server, next)).toBe('DONE');
});

describe('one of our own agents that is away for less than its time of absence', () => {
  const ABSENCE = 120;

  async function leave() {
    const server = await startServer({ absenceSeconds: ABSENCE });
    const agent = await OwnAgent.register(server, { name: 'builder' });
    const workflowId = await server.start(['make', 'test']);
    await agent.work();
    pass(server, GRACE);
    return { server, agent, workflowId };
  }

  test('is unreachable and keeps its job, which goes on when it is back', async () => {
    const { server, agent, workflowId } = await leave();
    expect(await agent.listed()).toMatchObject({ phase: 'UNREACHABLE' });
    expect([...server.channel.context.pool.channels()]).toMatchObject([
      { phase: 'UNREACHABLE', job: { workflowId } },
    ]);
    pass(server, ABSENCE - GRACE - 1);
    await agent.poll();
    expect(await agent.listed()).toMatchObject({ phase: 'BUSY' });
    expect(await agent.send({ lines: ['made'], exitStatus: 0 })).toBe(200);
    await agent.run();
    await agent.run();
    expect(await ended(server, workflowId)).toBe('DONE');
    await agent.isIn('IDLE');
  });

  test('gets no other job meanwhile', async () => {
    const { server, agent } = await leave();
    const other = await server.start(['true']);
    await eventually(async () => expect(await noticesOf(server, other)).not.toHaveLength(0));
    expect(await agent.listed()).toMatchObject({ phase: 'UNREACHABLE' });
  });

  test('loses its job after that, with the time in the reason', async () => {
    const { server, agent, workflowId } = await leave();
    pass(server, ABSENCE - GRACE);
    expect(await ended(server, workflowId)).toBe('FAILED');
    expect(await logOf(server, workflowId)).toContain(
      `ERROR,Agent "builder" (${agent.id}) was lost: its connection broke and it did not come back within 120 s.`,
    );
    expect([...server.channel.context.pool.channels()]).toMatchObject([
      { phase: 'UNREACHABLE', job: null },
    ]);
  });
});

describe('an agent that comes back has what a job left there', () => {
  /** A job that was lost in its first step; its run has ended. */
  async function comeBack(server: TestServer) {
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make']);
    const { command_id: lost } = await agent.work();
    pass(server, GRACE);
    await ended(server, workflowId);
    agent.running = null;
    return { agent, workflowId, jobId: String(lost).replace(/\/0$/, '') };
  }

  test('removed by the release of the job, once, which is no part of the run', async () => {
    const server = await startServer();
    const { agent, workflowId, jobId } = await comeBack(server);
    const before = (await eventsOf(server, workflowId)).length;
    const order = await agent.work();
    expect(order).toMatchObject({
      ...{ kind: 'run', command_id: `${jobId}/-2` },
      removal: { directory: jobId },
    });
    expect(await agent.send({ exitStatus: 0 })).toBe(200);
    expect((await eventsOf(server, workflowId)).length).toBe(before);
    expect(agent.known).toMatchObject({ owed: [] });
    await agent.isIn('IDLE');
  });

  test('and gets the next job when it is done with that', async () => {
    const server = await startServer();
    const { agent, jobId } = await comeBack(server);
    expect(await agent.work()).toMatchObject({ command_id: `${jobId}/-2` });
    const held = agent.poll();
    const next = await server.start(['true']);
    await eventually(() => expect(agent.known.session?.command).not.toBeNull());
    expect(await agent.send({ exitStatus: 0 })).toBe(200);
    await held;
    await agent.run();
    await agent.run();
    expect(await ended(server, next)).toBe('DONE');
  });

  test('also where the release itself was lost', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make']);
    await agent.run();
    const release = await agent.work();
    pass(server, GRACE);
    await ended(server, workflowId);
    expect(await agent.send({ exitStatus: 0 })).toBe(200);
    expect(release).toMatchObject({ kind: 'run' });
    expect(agent.known).toMatchObject({ owed: [] });
  });

  test('unless it has lost the order for it, which is not repeated for ever', async () => {
    const server = await startServer();
    const { agent } = await comeBack(server);
    await agent.work();
    agent.running = null;
    await agent.poll();
    expect(agent.known).toMatchObject({ owed: [] });
  });
});

test('an agent that posts, or whose files come in, is there', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  pass(server, GRACE - 1);
  await agent.send({ sequence: 0, lines: ['still here'] });
  pass(server, GRACE - 1);
  expect(await agent.send({ sequence: 1, lines: ['::attach::/tmp/a'], exitStatus: 0 })).toBe(200);
  const get = await agent.work();
  const { body, end } = slowBody();
  const sent = agent.sendFile(get.file_id, body);
  await eventually(() => expect(agent.known.session?.command?.transfers[0]?.moves).toBe(1));
  pass(server, LIVENESS);
  pass(server, LIVENESS);
  end();
  expect((await sent).code).toBe(200);
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('an agent lost while its result is being stored has given its result', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  const release = server.faults.hold();
  const sent = agent.send({ lines: ['made'], exitStatus: 0 });
  await eventually(() => expect(server.faults.waiting).toBe(1));
  pass(server, GRACE);
  release();
  expect(await sent).toBe(200);
  expect(await ended(server, workflowId)).toBe('DONE');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 0],
    [-2, 0],
  ]);
});

test('a file whose agent was lost fails the step, which keeps what came before', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ lines: ['::attach::/tmp/a', '::attach::/tmp/b'], exitStatus: 0 });
  const get = await agent.work();
  await agent.sendFile(get.file_id, 'A');
  pass(server, GRACE);
  expect(await ended(server, workflowId)).toBe('FAILED');
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(result?.status).toBe(2);
  expect(Object.values(result?.metadata.attachments ?? {})).toEqual([{ uuid: get.file_id }]);
  expect(result?.logs?.at(-1)).toMatch(/^ERROR,Could not read \/tmp\/b: Agent .* was lost/);
});

// Language 3.2: Files that do not come are given up after a time.
test('files that do not come are asked for again, then missed', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.send({ lines: ['::attach::/tmp/a'], exitStatus: 0 });
  for (let sends = 1; sends <= LIMITS.transferSends; sends += 1) {
    expect(await agent.work()).toMatchObject({ kind: 'get' });
    await agent.poll();
    server.clock.advance(LIMITS.transferStartMs + 1);
    await agent.poll();
    server.channel.sweep();
  }
  await agent.run();
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain('did not send it in time');
});

test('an idle agent whose connection breaks gets no job until it is back', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const broken = new AbortController();
  const poll = agent.poll(20, broken.signal);
  await eventually(() => expect(agent.known.waiter).not.toBeNull());
  broken.abort();
  await expect(poll).rejects.toThrow();
  await agent.isIn('UNREACHABLE');
  const workflowId = await server.start(['true']);
  await eventually(async () => expect(await noticesOf(server, workflowId)).toHaveLength(1));
  expect(Object((await noticesOf(server, workflowId))[0]?.spec)['tutti.waiting']).toMatchObject({
    reason: 'unreachable',
    environments: [{ name: 'agent' }],
  });
  await agent.run();
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('an agent of ours gets no job before it has asked for work, whoever says that it is alive', async () => {
  const server = await startServer();
  const agent = await OwnAgent.registerOnly(server, { name: 'gone at once' });
  const since = server.clock.timestamp();
  const workflowId = await server.start(['true']);
  await server.call('PATCH', '/agents', { body: { [agent.id]: {} } });
  await eventually(async () => expect(await noticesOf(server, workflowId)).toHaveLength(1));
  const reasons = (await noticesOf(server, workflowId)).map(
    ({ spec }) => Object(spec)['tutti.waiting'],
  );
  expect(reasons).toMatchObject([{ reason: 'no-environment' }]);
  await agent.isIn('IDLE');
  pass(server, GRACE);
  await eventually(async () => expect(await noticesOf(server, workflowId)).toHaveLength(2));
  const [, notice] = await noticesOf(server, workflowId);
  expect(Object(notice?.spec)['tutti.waiting']).toMatchObject({
    reason: 'unreachable',
    environments: [{ name: 'gone at once', since }],
  });
  await agent.isIn('UNREACHABLE');
  await agent.run();
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('an existing agent gets a job as soon as it is registered', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  await server.start(['true']);
  await agent.isIn('BUSY');
});

// Language 3.2: A channel runs one job at a time. Its phases are `IDLE`, `PENDING`, `BUSY`, `IDLE` and `UNREACHABLE`.
// HTTP 3.1: Channels are IDLE, PENDING, BUSY or UNREACHABLE.
test('an agent in silence is unreachable after the liveness time, and forgotten after an hour', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const eager = await ExistingAgent.register(server, '2.0', { spec: { liveness_probe: 5 } });
  pass(server, 5);
  expect([(await agent.listed())?.phase, (await eager.listed())?.phase]).toEqual([
    'IDLE',
    'UNREACHABLE',
  ]);
  const refreshed = await server.call('PATCH', '/agents', { body: { [eager.id]: {} } });
  expect(refreshed.code).toBe(200);
  expect((await eager.listed())?.phase).toBe('IDLE');
  pass(server, LIVENESS);
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
  server.clock.advance(LIMITS.forgetMs);
  server.channel.sweep();
  await eventually(async () => expect(await agent.listed()).toBeNull());
  expect((await agent.poll()).code).toBe(404);
});

// Bound: Time of a poll.
test('a poll is held no longer than the liveness time, so that a frozen agent is missed', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server, { spec: { liveness_probe: 0.05 } });
  expect((await agent.poll(50)).code).toBe(204);
  pass(server, 5);
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
});

test('a synchronous agent may be silent for longer while its step runs', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make', 'test']);
  await agent.work();
  pass(server, SYNCHRONOUS_LIVENESS - 1);
  expect((await agent.listed())?.phase).toBe('BUSY');
  await agent.result(['made']);
  // It does not ask for the next one.
  pass(server, LIVENESS);
  expect(await ended(server, workflowId)).toBe('FAILED');
  const log = await logOf(server, workflowId);
  expect(log).toContain('made');
  expect(log.join('\n')).toContain('was lost: no contact for 300 s.');
  expect((await agent.poll()).code).toBe(204);
  expect((await agent.listed())?.phase).toBe('IDLE');
});

test.each([
  ['that chose no time', {}, SYNCHRONOUS_LIVENESS, 'agents.synchronousLivenessSeconds'],
  ['that chose a time', { liveness_probe: 60 }, 60, 'its liveness_probe'],
])(
  // HTTP 3.1: Channels are IDLE, PENDING, BUSY or UNREACHABLE.
  'a synchronous agent %s and is silent for longer is lost with its step',
  async (_name, spec, limit, source) => {
    const server = await startServer();
    const agent = await ExistingAgent.register(server, '2.0', { name: 'builder', spec });
    const workflowId = await server.start(['make']);
    await agent.work();
    pass(server, limit - 1);
    expect((await agent.listed())?.phase).toBe('BUSY');
    pass(server, 1);
    expect(await ended(server, workflowId)).toBe('FAILED');
    expect(await resultsOf(server, workflowId)).toEqual([
      [0, 1],
      [-2, 0],
    ]);
    expect(await logOf(server, workflowId)).toContain(
      `ERROR,Agent "builder" (${agent.id}) was lost: no contact for ${limit} s while its command ran (${source}).`,
    );
    expect(await agent.listed()).toMatchObject({ phase: 'UNREACHABLE', currentJobID: null });
    expect(await recordsOf(server)).toEqual([]);
  },
);

test('the result of a synchronous agent that was lost is taken and dropped, and the agent is free', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0', { spec: { liveness_probe: 60 } });
  const workflowId = await server.start(['make']);
  await agent.work();
  pass(server, 60);
  await ended(server, workflowId);
  const events = await eventsOf(server, workflowId);
  await agent.result(['made too late']);
  expect(await eventsOf(server, workflowId)).toEqual(events);
  await agent.isIn('IDLE');
  const next = await server.start(['true']);
  await agent.work();
  await agent.result();
  await agent.work();
  await agent.result();
  expect(await ended(server, next)).toBe('DONE');
});

// HTTP 3.2: PATCH keeps agents from becoming unreachable and changes nothing else.
test('who speaks for a synchronous agent keeps it and its step', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0', { spec: { liveness_probe: 60 } });
  const workflowId = await server.start(['make']);
  await agent.work();
  for (let minutes = 0; minutes < 5; minutes += 1) {
    pass(server, 59);
    expect((await server.call('PATCH', '/agents', { body: { [agent.id]: {} } })).code).toBe(200);
  }
  await agent.result(['made']);
  await agent.work();
  await agent.result();
  expect(await ended(server, workflowId)).toBe('DONE');
  expect(await logOf(server, workflowId)).toContain('made');
});

test('an existing agent that asks for work while a command runs is missed when it does not', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.post({ stdout: ['compiling'] });
  pass(server, LIVENESS);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain('was lost: no contact for 300 s');
  await agent.isIn('UNREACHABLE');
  // It may still run the command, of which nothing is wanted any more.
  expect((await agent.poll()).code).toBe(204);
  expect((await agent.listed())?.phase).toBe('UNREACHABLE');
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  await agent.poll();
  await agent.isIn('IDLE');
});

test('a dead synchronous agent holds a run no longer than its step is given to stop', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make']);
  await agent.work();
  await server.cancel(workflowId);
  pass(server, LIVENESS);
  await eventually(async () => expect(await resultsOf(server, workflowId)).toEqual([[0, 137]]));
  pass(server, LIVENESS);
  expect(await ended(server, workflowId)).toBe('FAILED');
  await agent.isIn('UNREACHABLE');
});

test('an asynchronous agent that sleeps between its polls has ended what was given up', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make']);
  await agent.work();
  await agent.post({ stdout: ['compiling'] });
  pass(server, LIVENESS);
  await ended(server, workflowId);
  const phases: (string | undefined)[] = [];
  for (let polls = 1; polls <= 7; polls += 1) {
    await agent.poll();
    phases.push((await agent.listed())?.phase);
    server.clock.advance(5_000);
  }
  expect(phases.slice(0, -1)).toEqual(Array(6).fill('UNREACHABLE'));
  expect(phases.at(-1)).toBe('IDLE');
});

test('a busy agent that is de-registered takes its workflow with it', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server, { name: 'builder' });
  const workflowId = await server.start(['make', 'test']);
  await agent.work();
  // Also when it is told twice at a time.
  await Promise.all([1, 2].map(() => server.channel.deregister(agent.known.id)));
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await eventsOfKind(server, workflowId, 'WorkflowCancellation')).toMatchObject([
    { details: { reason: 'Agent "builder" was de-registered.', source: 'agentchannel' } },
  ]);
  expect((await agent.poll()).code).toBe(404);
  expect(await recordsOf(server)).toEqual([]);
});

test('an agent that is lost while its channel is offered keeps no job', async () => {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const release = server.faults.hold();
  const started = server.start(['make']);
  await eventually(() => expect(server.faults.waiting).toBe(1));
  release();
  const offers = server.faults.hold();
  const workflowId = await started;
  await eventually(() => expect(server.faults.waiting).toBe(1));
  pass(server, GRACE);
  await agent.poll();
  offers();
  await agent.run();
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  await agent.isIn('IDLE');
});

test('a job says why it waits once per change', async () => {
  const server = await startServer();
  const workflowId = await server.start({ main: { 'runs-on': 'gpu', steps: [{ run: 'true' }] } });
  const reasons = async () =>
    (await noticesOf(server, workflowId)).map(({ spec }) => Object(spec)['tutti.waiting']?.reason);
  await eventually(async () => expect(await reasons()).toEqual(['no-environment']));
  const agent = await OwnAgent.register(server, { name: 'card', tags: ['linux', 'gpu'] });
  await agent.isIn('BUSY');
  const other = await server.start({ main: { 'runs-on': 'gpu', steps: [{ run: 'true' }] } });
  await eventually(async () => expect(await noticesOf(server, other)).toHaveLength(1));
  await agent.run();
  await agent.run();
  expect(await ended(server, workflowId)).toBe('DONE');
  await agent.run();
  await agent.run();
  expect(await ended(server, other)).toBe('DONE');
  expect(await reasons()).toEqual(['no-environment']);
  const [notice] = await noticesOf(server, other);
  expect(Object(notice?.spec)['tutti.waiting']).toMatchObject({
    reason: 'busy',
    environments: [{ name: 'card', workflow_id: workflowId }],
  });
  expect(notice?.spec.logs).toEqual([expect.stringMatching(/^Job "main" waits: the only env/)]);
});

test('a job is told again when another job takes the environment that it waits for', async () => {
  const server = await startServer();
  const main = { main: { 'runs-on': 'gpu', steps: [{ run: 'true' }] } };
  const agent = await OwnAgent.register(server, { name: 'card', tags: ['gpu'] });
  const first = await server.start(main);
  await agent.isIn('BUSY');
  const second = await server.start(main);
  const third = await server.start(main);
  const keepers = async () =>
    (await noticesOf(server, third)).map((notice) => {
      const fact = factOf(notice);
      return fact.type === 'Held' && fact.reason.reason === 'busy'
        ? fact.reason.environments.map(({ workflow_id: id }) => id)
        : null;
    });
  await eventually(async () => expect(await keepers()).toEqual([[first]]));
  await agent.run();
  await agent.run();
  expect(await ended(server, first)).toBe('DONE');
  await eventually(async () => expect(await keepers()).toEqual([[first], [second]]));
  await agent.run();
  await agent.run();
  expect(await ended(server, second)).toBe('DONE');
  await agent.run();
  await agent.run();
  expect(await ended(server, third)).toBe('DONE');
  expect(await keepers()).toEqual([[first], [second]]);
});
