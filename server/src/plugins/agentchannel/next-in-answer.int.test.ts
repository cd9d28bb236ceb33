/** The next command in the answer to a result, for agents that ask for that. It is sent again if the answer was lost. */
import { expect, test } from 'vitest';
import { OwnAgent } from './testing/scripted-agents.ts';
import {
  ended,
  eventually,
  resultsOf,
  startServer,
  type TestServer,
  type TestServerOptions,
} from './testing/test-server.ts';

/** An agent that has the first of two commands, and a poll open that was opened since. */
async function openWork(scripts: readonly string[]) {
  const server = await startServer();
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(scripts);
  await agent.work();
  const held = agent.poll(20);
  await eventually(() => expect(agent.known.waiter).not.toBeNull());
  return { server, agent, workflowId, held };
}

test('a whole job comes in answers to results, while one poll is held', async () => {
  const { server, agent, workflowId } = await openWork(['one', 'two']);
  const waiter = agent.known.waiter;
  expect(await agent.sendForNext()).toMatchObject({
    kind: 'run',
    command_id: expect.stringMatching(/\/1$/),
    content: expect.stringContaining('two'),
    variables_path: expect.stringContaining('_dynamic_env.sh'),
  });
  expect(await agent.sendForNext()).toMatchObject({ command_id: expect.stringMatching(/\/-2$/) });
  expect(agent.known.waiter).toBe(waiter);
  expect(await agent.sendForNext()).toBeNull();
  expect(await ended(server, workflowId)).toBe('DONE');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 0],
    [1, 0],
    [-2, 0],
  ]);
});

test('the poll that was held meanwhile brings the next job', async () => {
  const { server, agent, workflowId, held } = await openWork(['one']);
  await agent.sendForNext();
  await agent.sendForNext();
  expect(await ended(server, workflowId)).toBe('DONE');
  await server.start(['another']);
  const { body } = await held;
  expect(body?.details).toMatchObject({ content: expect.stringContaining('another') });
});

test('an answer that was lost is given again to who posts again', async () => {
  const { server, agent, workflowId } = await openWork(['one', 'two']);
  await agent.sendForNext(agent.running, { isLost: true });
  const order = await agent.sendForNext();
  expect(order).toMatchObject({ command_id: expect.stringMatching(/\/1$/) });
  await agent.sendForNext();
  await agent.sendForNext();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a poll that does not know of the answer to a result is not given the command again', async () => {
  const { agent } = await openWork(['one', 'two']);
  const first = agent.running;
  const second = await agent.sendForNext();
  agent.last = first;
  agent.running = first;
  expect((await agent.poll()).code).toBe(204);
  // One that knows of it, and does not have the command, is.
  agent.running = null;
  expect((await agent.work()).command_id).toBe(second?.command_id);
});

test('a command in an answer that was lost is stopped once it is known that it never came', async () => {
  const { server, agent, workflowId, held } = await openWork(['one', 'never']);
  await agent.sendForNext(agent.running, { isLost: true });
  await server.cancel(workflowId);
  expect((await held).code).toBe(204);
  // The result is still on its way, as far as the agent knows.
  expect((await agent.poll(20)).code).toBe(204);
  expect(await resultsOf(server, workflowId)).toEqual([[0, 0]]);
  expect(await agent.sendForNext()).toBeNull();
  expect(await agent.work()).toMatchObject({ command_id: expect.stringMatching(/\/-2$/) });
  await agent.send({ exitStatus: 0 });
  expect(await ended(server, workflowId)).toBe('FAILED');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 0],
    [1, 143],
    [-2, 0],
  ]);
});

test('a command in an answer that came is told to stop, also where the poll was opened before', async () => {
  const { server, agent, workflowId, held } = await openWork(['one', 'sleep 100']);
  await agent.sendForNext();
  await server.cancel(workflowId);
  expect((await held).code).toBe(204);
  expect(await agent.work()).toEqual({ kind: 'cancel', command_id: agent.running });
  await agent.send({ exitStatus: 143 });
  await agent.run();
  expect(await ended(server, workflowId)).toBe('FAILED');
});

test('output tells that the command came, so that a poll of before is told to stop it', async () => {
  const { server, agent, workflowId, held } = await openWork(['one', 'sleep 100']);
  await agent.sendForNext();
  expect(await agent.send({ lines: ['sleeps'] })).toBe(200);
  await server.cancel(workflowId);
  expect((await held).body?.details).toEqual({ kind: 'cancel', command_id: agent.running });
});

test('files of a command that came in an answer are asked for by the poll of before', async () => {
  const { agent, held } = await openWork(['one', 'make']);
  await agent.sendForNext();
  const { code, body } = await agent.post({
    command_id: agent.running,
    sequence: 0,
    output: [{ stream: 'stdout', lines: ['::attach::report.txt'] }],
    exit_status: 0,
    variables: null,
    next: true,
  });
  expect([code, body?.details]).toEqual([200, null]);
  expect((await held).body?.details).toMatchObject({ kind: 'get' });
});

test('a result that cannot be stored gives nothing, and the next command follows the one that is', async () => {
  const { server, agent } = await openWork(['one', 'two']);
  server.faults.fail();
  await expect(agent.sendForNext()).rejects.toThrow('answered with 500');
  server.faults.heal();
  expect(await agent.sendForNext()).toMatchObject({ command_id: expect.stringMatching(/\/1$/) });
});

const step = (run: string) => ({ 'runs-on': 'linux', steps: [{ run }] });

/** An agent that has the release of the first of two jobs in a chain. */
async function openChain() {
  const server = await startServer();
  const idle = await Promise.all([1, 2, 3].map(() => OwnAgent.register(server)));
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start({
    first: step('one'),
    second: { ...step('two'), needs: 'first' },
  });
  await eventually(() => expect([agent, ...idle].some(({ known }) => known.session)).toBe(true));
  const worker = [agent, ...idle].find(({ known }) => known.session !== null) ?? agent;
  await worker.work();
  expect(await worker.sendForNext()).toMatchObject({ command_id: expect.stringMatching(/\/-2$/) });
  return { server, worker, workflowId };
}

test('the answer to the release of a job has the first command of the next one, for the agent that just finished', async () => {
  const { server, worker, workflowId } = await openChain();
  const release = worker.running;
  const next = await worker.sendForNext();
  expect(next).toMatchObject({ kind: 'run', content: expect.stringContaining('two') });
  expect(next?.command_id).not.toContain(release?.split('/')[0]);
  await worker.sendForNext();
  expect(await worker.sendForNext()).toBeNull();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('the first command of the next job is given again where the answer to the release was lost', async () => {
  const { server, worker, workflowId } = await openChain();
  const release = worker.running;
  await worker.sendForNext(release, { isLost: true });
  const next = await worker.sendForNext(release);
  expect(next).toMatchObject({ kind: 'run', content: expect.stringContaining('two') });
  await worker.sendForNext();
  await worker.sendForNext();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('an agent that asks for no command in its answer gets the next job by its poll', async () => {
  const { server, worker, workflowId } = await openChain();
  await worker.send({ exitStatus: 0 });
  expect(await worker.work()).toMatchObject({ content: expect.stringContaining('two') });
  await worker.sendForNext();
  await worker.sendForNext();
  expect(await ended(server, workflowId)).toBe('DONE');
});

type Jobs = Parameters<TestServer['start']>[0];

const chainOf = (first: string, second: string): Jobs => ({
  [first]: step(first),
  [second]: { ...step(second), needs: first },
});

/** One agent that has the first command of these jobs. */
async function openJobs(jobs: Jobs, options: TestServerOptions = {}) {
  const server = await startServer(options);
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(jobs);
  const order = await agent.work();
  return { server, agent, workflowId, order };
}

test('the result of a release, the request of the next job and its offer are one commit', async () => {
  const { server, worker } = await openChain();
  const { writes } = server.faults;
  expect(await worker.sendForNext()).toMatchObject({ content: expect.stringContaining('two') });
  expect(server.faults.writes - writes).toBe(1);
});

test('so are the result of a release and the offer to a job that waits', async () => {
  const { server, agent, workflowId } = await openJobs({ first: step('one'), second: step('two') });
  await agent.sendForNext();
  const { writes } = server.faults;
  expect(await agent.sendForNext()).toMatchObject({ content: expect.stringContaining('two') });
  expect(server.faults.writes - writes).toBe(1);
  await agent.sendForNext();
  await agent.sendForNext();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a waiting job keeps its place where the release cannot be stored', async () => {
  const { server, agent, workflowId } = await openJobs({ first: step('one'), second: step('two') });
  await agent.sendForNext();
  server.faults.fail();
  await expect(agent.sendForNext()).rejects.toThrow('answered with 500');
  server.faults.heal();
  expect(await agent.sendForNext()).toMatchObject({ content: expect.stringContaining('two') });
  await agent.sendForNext();
  await agent.sendForNext();
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a job of another run that waits for the agent comes before the next one of the chain', async () => {
  const { server, agent } = await openJobs(chainOf('one', 'two'));
  await server.start({ other: step('other') });
  await agent.sendForNext();
  expect(await agent.sendForNext()).toMatchObject({ content: expect.stringContaining('other') });
  await agent.sendForNext();
  expect(await agent.sendForNext()).toMatchObject({ content: expect.stringContaining('two') });
});

test('a job whose agent left nothing of it is over with its last result, in one commit with the next command', async () => {
  const { server, agent, workflowId, order } = await openJobs(chainOf('one', 'two'));
  const { directory } = order;
  expect(order.release).toEqual({ directory, prefix: `${directory}_`, suffix: '.sh' });
  const { writes } = server.faults;
  const next = await agent.sendForNext(agent.running, { released: true });
  expect(next).toMatchObject({ content: expect.stringContaining('two') });
  expect(server.faults.writes - writes).toBe(1);
  expect(await agent.sendForNext(agent.running, { released: true })).toBeNull();
  expect(await ended(server, workflowId)).toBe('DONE');
  expect(await resultsOf(server, workflowId)).toEqual([
    [0, 0],
    [-2, 0],
    [0, 0],
    [-2, 0],
  ]);
});

test('the answer to such a result is given again where it was lost', async () => {
  const { server, agent, workflowId } = await openJobs(chainOf('one', 'two'));
  const first = agent.running;
  await agent.sendForNext(first, { released: true, isLost: true });
  const next = await agent.sendForNext(first, { released: true });
  expect(next).toMatchObject({ content: expect.stringContaining('two') });
  await agent.sendForNext(agent.running, { released: true });
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a failed last step ends its job in the same way, and frees the agent', async () => {
  const { server, agent, workflowId } = await openJobs({ only: step('exit 3') });
  const { code } = await agent.post({
    ...{ command_id: agent.running, sequence: 0, output: [], exit_status: 3, variables: null },
    ...{ next: true, released: true },
  });
  expect(code).toBe(200);
  expect(await ended(server, workflowId)).toBe('FAILED');
  await agent.isIn('IDLE');
});

test('a step that is not the last does not end its job', async () => {
  const { agent, order } = await openJobs({
    only: { 'runs-on': 'linux', steps: [{ run: 'one' }, { run: 'two' }] },
  });
  expect(order.release).toBeUndefined();
  const next = await agent.sendForNext(agent.running, { released: true });
  expect(next).toMatchObject({ content: expect.stringContaining('two') });
});

test('nor does the last step of a job whose end a hook follows', async () => {
  const after = {
    name: 'after',
    events: [{ channel: 'teardown' as const }],
    after: [{ run: 'two' }],
  };
  const { agent, order } = await openJobs(
    { only: step('one') },
    { hooks: { hooks: async () => [after] } },
  );
  expect(order.release).toBeUndefined();
  expect(await agent.sendForNext()).toMatchObject({ content: expect.stringContaining('two') });
});
