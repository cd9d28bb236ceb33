/** Agents as others have written them, of each kind (wire facts part 4). */
import { expect, test } from 'vitest';
import { LIMITS } from './jobs/limits.ts';
import { ExistingAgent } from './testing/scripted-agents.ts';
import {
  dataFolder,
  ended,
  eventsOfKind,
  eventually,
  logOf,
  recordsOf,
  resultsOf,
  startServer,
} from './testing/test-server.ts';

const release = { command: expect.stringContaining('_-2.sh') };

/**
 * Polls that are answered with no work, with a pause after each, as of an agent that sleeps. Polls without a pause, before there is
 * work, would say that it does not.
 */
async function sleepyPolls(agent: ExistingAgent, polls: number, pauseMs: number): Promise<void> {
  for (let count = 0; count < polls; count += 1) {
    expect((await agent.poll()).code).toBe(204);
    agent.server.clock.advance(pauseMs);
    agent.server.channel.sweep();
  }
}

// Language 3.7: After each step but the release the variables file is read; that it cannot be read fails nothing.
test('an agent without a version gets scripts as files, and its variables are fetched', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, null);
  const workflowId = await server.start(['echo $A', 'false']);
  const put = await agent.work();
  expect(put).toEqual({
    kind: 'put',
    file_id: expect.any(String),
    path: expect.stringMatching(/^[^/]+_0\.sh$/),
    root: '',
  });
  expect(await agent.getFile(put.file_id)).toMatchObject({
    code: 200,
    text: expect.stringContaining('echo $A'),
  });
  const exec = await agent.order();
  expect(exec).toEqual({
    kind: 'exec',
    command: expect.stringContaining(`/tmp/${put.path}`),
    variables_path: expect.stringMatching(/^\/tmp\/.+_dynamic_env\.sh$/),
  });
  await agent.post({ stdout: ['a'], stderr: [], exit_status: 0 });
  const get = await agent.order();
  expect(get).toEqual({ kind: 'get', file_id: expect.any(String), path: exec.variables_path });
  expect((await agent.sendFile(get.file_id, 'export A=b\n')).code).toBe(200);
  const second = await agent.order();
  expect(second).toMatchObject({ kind: 'put' });
  await agent.getFile(second.file_id);
  await agent.order();
  await agent.post({ stdout: [], stderr: ['no'], exit_status: 1 });
  await agent.order();
  // There is no variables file: told as by version 1, and no failure.
  await agent.post({ stdout: '', stderr: ['not found'], exit_status: 2 });
  await agent.getFile((await agent.order()).file_id);
  expect(await agent.order()).toMatchObject({ kind: 'exec', ...release });
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 0],
    [1, 1],
    [-2, 0],
  ]);
  expect((await eventsOfKind(server, workflowId, 'ExecutionResult'))[1]).toMatchObject({
    variables: { A: 'b' },
  });
  expect((await agent.poll()).code).toBe(204);
  expect(await recordsOf(server)).toEqual([]);
});

test('a script that was not fetched is told again, some times', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '1.0');
  await server.start(['true']);
  const first = await agent.work();
  for (let sends = 2; sends <= LIMITS.scriptSends; sends += 1) {
    expect(await agent.order()).toEqual(first);
  }
  expect(await agent.order()).toMatchObject({ kind: 'exec' });
});

test.each(['1.9', '2.0', '2.1.3', '10.0'])(
  // Language 5: Lines of standard error are no commands, come after the others, and are masked.
  // HTTP 4.3: Agents take their work and bring results at their own address.
  // HTTP 9: The versions decide how the server speaks to agents.
  'a synchronous agent of version %s runs scripts that come with their command',
  async (version) => {
    const server = await startServer();
    const agent = await ExistingAgent.register(server, version);
    const workflowId = await server.start(['one', 'two']);
    const run = await agent.work();
    expect(run).toMatchObject({
      kind: 'run',
      filename: expect.stringMatching(/^[^/]+_0\.sh$/),
      content: expect.stringContaining('one'),
      command: expect.stringContaining('_0.sh'),
      variables_path: expect.stringContaining('_dynamic_env.sh'),
    });
    await agent.result(['1'], { stderr: ['warning'], variables: ['export A=b'] });
    // The next step is there when the answer to the result is.
    expect(await agent.order()).toMatchObject({
      kind: 'run',
      content: expect.stringContaining('two'),
    });
    await agent.result([], { stdout: 'as a text\nof lines' });
    const last = await agent.order();
    expect(last).toMatchObject({ kind: 'run', ...release });
    expect(last).not.toHaveProperty('variables_path');
    await agent.result();
    // Nothing is held after the release: the operator deletes its pod by this answer.
    expect((await agent.poll()).code).toBe(204);
    expect(await ended(server, workflowId)).toBe('DONE');
    const log = await logOf(server, workflowId);
    expect(log).toEqual(expect.arrayContaining(['1', 'warning', 'as a text', 'of lines']));
    expect(log.indexOf('1')).toBeLessThan(log.indexOf('warning'));
  },
);

test('a poll between two steps is held until the next one is known', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start({
    main: { 'runs-on': 'linux', steps: [{ run: 'true' }, { uses: 'slow/one@v1' }] },
  });
  await agent.work();
  await agent.result();
  const [command] = await eventsOfKind(server, workflowId, 'ProviderCommand');
  if (command === undefined) throw new Error('The provider was not asked.');
  const held = agent.poll();
  await eventually(() => expect(agent.known.waiter).not.toBeNull());
  await server.bus.publish({
    apiVersion: 'opentestfactory.org/v1',
    kind: 'ProviderResult',
    metadata: command.metadata,
    steps: [{ run: 'echo of the provider' }],
  });
  expect((await held).body?.details).toMatchObject({
    kind: 'run',
    content: expect.stringContaining('echo of the provider'),
  });
});

// Language 3.7: The map is in the result, with the workspace, and the file is no attachment.
test('an asynchronous agent reports in parts, and is known by its polls', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make']);
  await agent.work();
  for (let second = 1; second <= 3; second += 1) {
    expect((await agent.poll()).code).toBe(204);
    server.clock.advance(1_000);
  }
  expect(agent.known.isAsync).toBe(true);
  await agent.post({ stdout: ['compiling'] });
  await agent.post({ stderr: ['warning'] });
  expect(await logOf(server, workflowId)).toEqual(expect.arrayContaining(['compiling', 'warning']));
  await agent.post({ stdout: ['linking'], stderr: [], exit_status: 0 });
  const get = await agent.order();
  expect(get).toMatchObject({ kind: 'get', path: expect.stringContaining('_dynamic_env.sh') });
  await agent.sendFile(get.file_id, 'export MADE=yes\n');
  expect(await agent.order()).toMatchObject(release);
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  expect(await ended(server, workflowId)).toBe('DONE');
  const log = await logOf(server, workflowId);
  for (const text of ['compiling', 'warning', 'linking']) {
    expect(log.filter((each) => each === text)).toHaveLength(1);
  }
  const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
  expect(result).toMatchObject({
    logs: ['compiling', 'warning', 'linking'],
    // All of it, as it was durable before the variables were fetched.
    metadata: { 'tutti.streamed': 3 },
    variables: { MADE: 'yes' },
  });
});

test('a synchronous agent that asks for work instead of sending its result has lost it', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0', { name: 'old' });
  const workflowId = await server.start(['make']);
  await agent.work();
  await sleepyPolls(agent, 7, 5_000);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain(
    `Agent "old" (${agent.id}) was lost: it asks for work but sent no result.`,
  );
  await agent.isIn('IDLE');
  const next = await server.start(['true']);
  await agent.work();
  await agent.result();
  await agent.work();
  await agent.result();
  expect(await ended(server, next)).toBe('DONE');
});

test.each([
  ['that slept as short before', '2.0', 2_000, 16],
  ['of the first version', null, 1_000, 31],
])(
  'a lost command is noticed at an agent with a short polling delay: one %s',
  async (_, version, pauseMs, polls) => {
    const server = await startServer();
    const agent = await ExistingAgent.register(server, version);
    await sleepyPolls(agent, 4, pauseMs);
    const workflowId = await server.start(['make']);
    await agent.isIn('BUSY');
    const order = await agent.work();
    if (order.kind === 'put') {
      await agent.getFile(order.file_id);
      await agent.order();
    }
    await sleepyPolls(agent, polls, pauseMs);
    expect(await ended(server, workflowId)).toBe('FAILED');
    expect((await logOf(server, workflowId)).join('\n')).toContain(
      'was lost: it asks for work but sent no result.',
    );
    await agent.isIn('IDLE');
  },
);

test('a lost command is noticed at an agent whose results show that it is synchronous, whatever its delay', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make', 'test']);
  await agent.work();
  await agent.result(['made']);
  await agent.work();
  await sleepyPolls(agent, 31, 1_000);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 0],
    [1, 1],
    [-2, 0],
  ]);
});

test('what shows that a command was lost is known after a restart too', async () => {
  const folder = await dataFolder();
  const server = await startServer({ folder });
  const agent = await ExistingAgent.register(server, '2.0');
  await sleepyPolls(agent, 4, 2_000);
  const workflowId = await server.start(['make']);
  await agent.isIn('BUSY');
  await agent.work();
  await server.crash();
  agent.server = await startServer({ folder, clock: server.clock });
  await sleepyPolls(agent, 16, 2_000);
  expect(await ended(agent.server, workflowId)).toBe('FAILED');
});

test('an agent of which nobody can tell whether it has its command is given time, then registers anew', async () => {
  const server = await startServer({ synchronousLivenessSeconds: 120 });
  const agent = await ExistingAgent.register(server, '2.0', { name: 'quick' });
  const workflowId = await server.start(['make']);
  await agent.work();
  await sleepyPolls(agent, 120, 1_000);
  expect(await resultsOf(server, workflowId)).toEqual([]);
  await sleepyPolls(agent, 1, 1_000);
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect((await logOf(server, workflowId)).join('\n')).toContain(
    'was lost: it asks for work, and nothing was heard of its command for 120 s (agents.synchronousLivenessSeconds).',
  );
  // The agent may still run the lost command, and would take the next one for it.
  await eventually(async () => expect((await agent.poll()).code).toBe(404));
});

test.each([
  ['that slept for longer before', 5_000, []],
  ['that said something', 1_000, ['compiling']],
])('an asynchronous agent %s may work in silence for any time', async (_, pauseMs, stdout) => {
  const server = await startServer({ synchronousLivenessSeconds: 60 });
  const agent = await ExistingAgent.register(server, '2.0');
  await sleepyPolls(agent, 4, pauseMs);
  const workflowId = await server.start(['make']);
  await agent.isIn('BUSY');
  await agent.work();
  await sleepyPolls(agent, 1, 1_000);
  if (stdout.length > 0) await agent.post({ stdout });
  // Now and then the machine is too busy to ask in time.
  for (let minutes = 0; minutes < 3; minutes += 1) {
    await sleepyPolls(agent, 10, 1_000);
    await sleepyPolls(agent, 5, 9_000);
  }
  await agent.post({ stdout: ['made'], stderr: [], exit_status: 0 });
  expect(await agent.order()).toMatchObject({ kind: 'get' });
  await agent.post({ details: { error: 'There is no variables file.' } });
  await agent.work();
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a command whose answer was never written is handed out again', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  await server.start(['make']);
  await agent.isIn('BUSY');
  const open = server.faults.hold();
  const broken = new AbortController();
  const poll = agent.poll(broken.signal);
  await eventually(() => expect(server.faults.waiting).toBe(1));
  broken.abort();
  await expect(poll).rejects.toThrow();
  // A later poll is given nothing, as the order counts as handed out until the broken connection is known.
  expect((await agent.poll()).code).toBe(204);
  open();
  expect(await agent.work()).toMatchObject({
    kind: 'run',
    content: expect.stringContaining('make'),
  });
});

test('a delivery that could not be stored is no delivery', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make']);
  await agent.isIn('BUSY');
  server.faults.fail();
  expect((await agent.poll()).code).toBe(500);
  server.faults.heal();
  expect(await agent.order()).toMatchObject({ kind: 'run' });
  await agent.result();
  await agent.work();
  await agent.result();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a file that the agent did not hear of is asked for again', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  await server.start(['make']);
  await agent.work();
  await agent.result(['::attach::/tmp/a']);
  const get = await agent.order();
  expect((await agent.poll()).code).toBe(204);
  server.clock.advance(LIMITS.transferResendMs);
  expect(await agent.order()).toEqual(get);
  await agent.sendFile(get.file_id, 'A');
  expect(await agent.order()).toMatchObject(release);
});

test('a result that comes twice counts once', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0');
  const workflowId = await server.start(['make', 'test']);
  await agent.work();
  await agent.result(['made']);
  await agent.result(['made']);
  await agent.order();
  await agent.result(['::attach::/tmp/a']);
  await agent.result(['::attach::/tmp/a']);
  const get = await agent.order();
  await agent.sendFile(get.file_id, 'A');
  await agent.order();
  await agent.result();
  expect(await ended(server, workflowId)).toBe('DONE');
  expect((await logOf(server, workflowId)).filter((text) => text === 'made')).toHaveLength(1);
});

test('bytes of an existing agent are refused, as output in any other form than JSON', async () => {
  const server = await startServer();
  const agent = await ExistingAgent.register(server, '2.0.0');
  const { code, body } = await agent.postBytes({ stdout: ['a'] }, '');
  expect(code).toBe(415);
  expect(body?.message).toContain('Use application/json.');
});
