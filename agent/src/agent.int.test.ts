import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentOptions, createAgent, createSlots, runAgent } from './index.ts';
import { REFUSALS_MAX } from './limits.ts';
import {
  eventually,
  isAlive,
  openAgent,
  openFolder,
  openServer,
  present,
} from './testing/agent-fixture.ts';
import type { Timing } from './timing.ts';

test('an agent registers with its name, namespaces and tags', async () => {
  const { server, agent, folder } = await openAgent({
    name: 'builder',
    namespaces: 'a,b',
    token: 'secret',
  });
  expect(server.registrations).toEqual([
    {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'AgentRegistration',
      metadata: { name: 'builder', namespaces: 'a,b', version: '0.1.0' },
      spec: {
        tags: ['linux'],
        encoding: 'utf-8',
        script_path: folder,
        workspace_dir: folder,
        protocol: 'tutti.v1',
      },
    },
  ]);
  const [poll] = await present(() => (server.polls.length > 0 ? server.polls : null));
  expect(poll).toEqual({
    agentId: agent.agentId,
    last: null,
    running: null,
    prefer: 'wait=50',
    token: 'Bearer secret',
  });
});

test('an agent without a token sends none', async () => {
  const { server } = await openAgent();
  const poll = await present(() => server.polls[0]);
  expect(poll.token).toBe(undefined);
});

test.each(['Unauthorized', 'Forbidden'] as const)(
  'a token that is %s ends the agent',
  async (reason) => {
    const server = await openServer();
    server.refuseWith = reason;
    const agent = createAgent({
      server: server.url,
      tags: ['linux'],
      workspaceDir: await openFolder(),
    });
    await expect(agent.start()).rejects.toMatchObject({ reason: 'Unauthorized' });
    await expect(agent.closed).rejects.toThrow('refuses the token of this agent');
  },
);

test('a registration that is not valid ends the agent with the reason of the server', async () => {
  const server = await openServer();
  server.refuseWith = 'Invalid';
  const options = { server: server.url, tags: [], workspaceDir: await openFolder() };
  await expect(runAgent(options)).rejects.toMatchObject({ reason: 'Invalid' });
});

test('an agent waits for a server that is not there yet', async () => {
  const place = createServer().listen(0, '127.0.0.1');
  const address = await present(() => place.address());
  await new Promise((resolve) => place.close(resolve));
  const port = typeof address === 'object' ? address.port : 0;
  const lines: string[] = [];
  const log = (message: string) => lines.push(message);
  const agent = createAgent({
    server: `http://127.0.0.1:${port}`,
    tags: ['linux'],
    workspaceDir: await openFolder(),
    logger: { info: log, warn: log, error: log },
  });
  const started = agent.start();
  await present(() => lines[0]);
  await agent.stop();
  await started;
  expect(lines).toEqual([
    `The server http://127.0.0.1:${port} cannot be reached; trying again. Start a server with "tutti server", or name another one with --server or TUTTI_SERVER; until then, the agent waits.`,
  ]);
});

test('a server that was away for a while finds the agent under its old id', async () => {
  const { server, agent, run, resultOf } = await openAgent();
  const before = agent.agentId;
  await present(() => server.polls[0]);
  server.refuseWith = 'ServiceUnavailable';
  server.breakConnections();
  run('j/0', 'echo back');
  server.refuseWith = null;
  expect(await resultOf('j/0')).toEqual({ exit_status: 0, variables: null });
  expect(agent.agentId).toBe(before);
  expect(server.registrations).toHaveLength(1);
});

test('an agent that the server does not know ends its command and registers again', async () => {
  const { server, agent, run, lineOf, resultOf } = await openAgent();
  run('j/0', 'echo "pid $$"; exec sleep 600');
  const pid = Number(await lineOf('j/0', 'pid '));
  const before = agent.agentId;
  server.forget();
  await eventually(() => expect(server.registrations).toHaveLength(2));
  expect(isAlive(pid)).toBe(false);
  run('k/0', 'exit 4');
  expect(await resultOf('k/0')).toMatchObject({ exit_status: 4 });
  expect(agent.agentId).not.toBe(before);
  expect(server.resultOf('j/0')).toBe(null);
});

test('an agent with a token that is no longer valid ends, and so does its command', async () => {
  const { server, agent, run, lineOf } = await openAgent({
    timing: { now: () => performance.now(), random: () => 0, wait: fastWait },
  });
  run('j/0', 'echo "pid $$"; exec sleep 600');
  const pid = Number(await lineOf('j/0', 'pid '));
  server.refuseWith = 'Unauthorized';
  server.breakConnections();
  await expect(agent.closed).rejects.toMatchObject({ reason: 'Unauthorized' });
  expect(isAlive(pid)).toBe(false);
});

test('an agent whose file has another token later goes on, and so does its command', async () => {
  let token = 'old';
  let requests = 0;
  const { server, run, lineOf, resultOf, folder } = await openAgent({
    token: () => {
      requests += 1;
      return token;
    },
    timing: { now: () => performance.now(), random: () => 0, wait: fastWait },
  });
  const gate = path.join(folder, 'gate');
  run('j/0', `echo begun; until [ -e "${gate}" ]; do sleep 0.05; done; exit 4`);
  await lineOf('j/0', 'begun');
  server.refuseWith = 'Unauthorized';
  server.breakConnections();
  const before = requests;
  await eventually(() => expect(requests).toBeGreaterThan(before + 2 * REFUSALS_MAX));
  token = 'new';
  // A request with the old token may still be on its way, and would be taken.
  const changed = requests;
  await eventually(() => expect(requests).toBeGreaterThan(changed + 2 * REFUSALS_MAX));
  server.refuseWith = null;
  await writeFile(gate, '');
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 4 });
  expect(server.polls.at(-1)?.token).toBe('Bearer new');
});

/** Waits a thousandth of the time, so that ten seconds of backoff are short. */
const fastWait = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms / 1000);
  });

test('an idle agent that is stopped takes its registration back', async () => {
  const { server, agent } = await openAgent();
  const { agentId } = agent;
  await agent.stop();
  expect(server.deregistered).toEqual([agentId]);
  expect(agent.agentId).toBe(null);
  await agent.closed;
});

test('an agent that is stopped while it registers takes the registration back, and asks for no work', async () => {
  const { server, agent, started, answer } = await openRegistering();
  const stopped = agent.stop();
  answer();
  await Promise.all([stopped, started]);
  expect(server.deregistered).toHaveLength(1);
  expect(server.polls).toEqual([]);
  await agent.closed;
});

test('a stopped agent waits for the answer to its registration as long as it may, and says so', async () => {
  const waits: number[] = [];
  const timing: Timing = {
    now: () => performance.now(),
    random: () => 0,
    wait: async (ms) => void waits.push(ms),
  };
  const { server, agent, lines, started } = await openRegistering({ timing });
  await agent.stop();
  await started;
  expect(waits[0]).toBe(5_000);
  expect(server.deregistered).toEqual([]);
  expect(lines).toEqual([
    'The agent stops while it registers: it waits for the answer, then de-registers.',
    'The server did not answer the registration, so it may keep this agent until it finds it silent.',
  ]);
});

test('a second stop does not wait for the answer to a registration', async () => {
  const { agent, started } = await openRegistering();
  const first = agent.stop();
  await agent.stop();
  await Promise.all([first, started]);
  await agent.closed;
});

/** An agent whose registration the server answers at the test's signal. */
async function openRegistering(more: Partial<AgentOptions> = {}) {
  const server = await openServer();
  const answered = Promise.withResolvers<void>();
  onTestFinished(() => answered.resolve());
  server.onRegister = () => answered.promise;
  const lines: string[] = [];
  const log = (message: string) => lines.push(message);
  const agent = createAgent({
    server: server.url,
    tags: ['linux'],
    workspaceDir: await openFolder(),
    logger: { info: log, warn: log, error: log },
    ...more,
  });
  onTestFinished(() => agent.stop({ finishWithinMs: 0 }));
  const started = agent.start();
  await eventually(() => expect(server.registrations).toHaveLength(1));
  return { server, agent, lines, started, answer: answered.resolve };
}

test('a stopped agent lets its command finish and sends the result', async () => {
  const { server, agent, folder, run, lineOf } = await openAgent();
  run('j/0', `echo started; until [ -e "${folder}/go" ]; do sleep 0.01; done; exit 7`);
  await lineOf('j/0', 'started');
  const stopped = agent.stop({ finishWithinMs: 60_000 });
  run('j/1', 'echo never');
  await writeFile(`${folder}/go`, '');
  await stopped;
  expect(server.resultOf('j/0')).toMatchObject({ exit_status: 7 });
  expect(server.deregistered).toHaveLength(1);
  expect(server.linesOf('j/1')).toEqual([]);
});

test('a command that does not finish in time is canceled and its result is sent', async () => {
  const { server, agent, run, lineOf } = await openAgent();
  run('j/0', 'echo started; exec sleep 600');
  await lineOf('j/0', 'started');
  await agent.stop({ finishWithinMs: 1 });
  expect(server.resultOf('j/0')).toMatchObject({ exit_status: 143 });
  expect(server.linesOf('j/0', 'stderr')).toEqual(['The agent stops, so it ended this command.']);
  expect(server.deregistered).toHaveLength(1);
});

test('a second stop cancels at once', async () => {
  const { server, agent, run, lineOf } = await openAgent();
  run('j/0', 'echo started; exec sleep 600');
  await lineOf('j/0', 'started');
  const first = agent.stop({ finishWithinMs: 600_000 });
  await agent.stop();
  await first;
  expect(server.resultOf('j/0')).toMatchObject({ exit_status: 143 });
});

test('an agent that never started can be stopped', async () => {
  const agent = createAgent({ server: 'http://127.0.0.1:9', tags: ['linux'] });
  await agent.stop();
  await agent.closed;
});

test('the slots of a process have names and folders of their own, and poll one by one where the server shares no polls', async () => {
  const server = await openServer();
  const folder = await openFolder();
  const slots = createSlots(
    { server: server.url, tags: ['linux'], name: 'many', workspaceDir: folder },
    2,
  );
  onTestFinished(() => slots.stop({ finishWithinMs: 0 }));
  await slots.start();
  const asking = await present(() => {
    const ids = new Set(server.polls.map(({ agentId }) => agentId));
    return ids.size === 2 ? ids : null;
  });
  const registered = server.registrations.map((each) => {
    const { metadata, spec } = Object(each);
    return [metadata.name, spec.script_path, spec.workspace_dir];
  });
  const placeOf = (number: number) => path.join(folder, `slot-${number}`);
  expect(registered.sort()).toEqual(
    [1, 2].map((number) => [`many-${number}`, placeOf(number), placeOf(number)]),
  );
  await slots.stop();
  expect(new Set(server.deregistered)).toEqual(asking);
});

test('a refused token ends all slots', async () => {
  const server = await openServer();
  server.refuseWith = 'Unauthorized';
  const slots = createSlots(
    { server: server.url, tags: ['linux'], workspaceDir: await openFolder() },
    3,
  );
  await expect(slots.start()).rejects.toThrow('refuses the token');
  await expect(slots.closed).rejects.toThrow('refuses the token');
});

test.each([0, -1, 1.5, 257])('an agent with %s slots is refused', (count) => {
  expect(() => createSlots({ server: 'http://localhost', tags: ['linux'] }, count)).toThrow(
    'An agent has 1 to 256 slots.',
  );
});
