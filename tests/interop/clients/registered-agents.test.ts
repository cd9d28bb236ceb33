/** Requirements of agents and operators on a server, by requests as they send them. The numbers are those of the checklist of clients. */
import { expect, test } from 'vitest';
import { type Api, bodyOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { listed, phaseOf, registerExisting } from '../../support/existing-agent.ts';
import { expectStatus } from '../../support/expect-status.ts';
import { allEvents, ended, logTexts, oneJob, only, sh, start } from '../../support/runs.ts';
import { OK, usePlayedAgents, V2 } from './played-agents.ts';
import { inItsManner } from './recorded-client.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const agents = usePlayedAgents();

// HTTP 9: An agent tells its version, and is told that of the server.
test.concurrent('8.72: a registration is 201 with an id, a version and a message', async () => {
  const { registered } = await registerExisting(agents.api, ['linux']);
  expect(registered.code).toBe(201);
  expect(bodyOf(registered)).toMatchObject({
    message: expect.any(String),
    details: {
      uuid: expect.stringMatching(UUID),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    },
  });
});

// HTTP 9: An agent tells its version, and is told that of the server.
test.concurrent('8.73: registrations of all ages are taken', async () => {
  for (const registration of [
    {},
    { metadata: { namespaces: '' }, spec: { script_path: undefined } },
    { metadata: { namespaces: '', version: '1.9' }, spec: { liveness_probe: 300 } },
    { spec: { liveness_probe: 300, workspace_dir: '/tmp' } },
  ]) {
    const { id, registered } = await registerExisting(agents.api, ['linux'], registration);
    expect(registered.code).toBe(201);
    expect(await listed(agents.api, id)).toMatchObject({ metadata: { namespaces: 'default' } });
  }
});

// HTTP 2.1: Listings of agents and subscriptions, files and logs are documents of their own.
// HTTP 2.2: A listing adds id, time of registration, counts of contacts, time of the last one.
// HTTP 2.2: A list of agents is an AgentRegistrationList of version v1.
// HTTP 4.3: GET /agents: a list, no Status; wrong selectors are Invalid.
// HTTP 9: Manifests and events have theirs.
test.concurrent('8.74: the listing of agents has all that is read of it', async () => {
  const { id } = await registerExisting(agents.api, ['linux', 'listed'], V2);
  expect(await listed(agents.api, id)).toMatchObject({
    ...{ apiVersion: 'opentestfactory.org/v1alpha1', kind: 'AgentRegistration' },
    metadata: {
      ...{ agent_id: id, name: 'test agent', namespaces: 'default' },
      creationTimestamp: expect.stringMatching(TIME),
    },
    spec: { tags: ['linux', 'listed'] },
    status: {
      ...{ phase: 'IDLE', currentJobID: null, communicationCount: expect.any(Number) },
      lastCommunicationTimestamp: expect.any(String),
    },
  });
});

// HTTP 7: 204 where there is nothing to say.
// HTTP 7: Messages for what is unknown: agents, subscriptions, workflows.
test.concurrent('8.75: nothing to do is 204 without a body', async () => {
  const agent = await registerExisting(agents.api, ['linux']);
  expect(await agent.poll()).toMatchObject({ code: 204, text: '' });
});

test.concurrent('8.76: work is 200 with its kind, once', async () => {
  const { agent } = await agents.assigned(['true']);
  expect(await agent.work()).toMatchObject({ kind: 'run', command: expect.any(String) });
  expect((await agent.poll()).code).toBe(204);
});

// HTTP 7: 204 where there is nothing to say.
// HTTP 7: Messages for what is unknown: agents, subscriptions, workflows.
test.concurrent('8.77: an unknown agent is 404 with details null', async () => {
  const answer = await agents.api.call('GET', `/agents/${UNKNOWN}`);
  expectStatus(answer);
  expect(bodyOf(answer)).toMatchObject({
    ...{ message: `Agent ${UNKNOWN} not known.`, reason: 'NotFound', code: 404, details: null },
  });
});

test.concurrent('8.78: all forms of results are 200', async () => {
  const { agent, id } = await agents.assigned(['one', 'two']);
  await agent.work();
  for (const body of [
    { stdout: ['first'] },
    { stderr: ['second'] },
    { stdout: 'third', exit_status: 0, variables: null },
  ]) {
    const answer = await agent.post(body);
    expectStatus(answer);
    expect(answer.code).toBe(200);
  }
  await agent.work();
  expect((await agent.post({ ...OK, variables: ['A=1'] })).code).toBe(200);
  await agent.work();
  expect((await agent.post(OK)).code).toBe(200);
  expect(await ended(agents.api, id)).toBe('DONE');
  const texts = await logTexts(agents.api, id);
  expect(texts).toEqual(expect.arrayContaining(['first', 'second', 'third']));
  const asked = await agents.askedForFile();
  expect((await asked.agent.post({ details: { error: 'none' } })).code).toBe(200);
});

test.concurrent('8.79: a result without exit_status ends nothing', async () => {
  const { agent } = await agents.assigned(['one', 'two']);
  await agent.work();
  await agent.post({ stdout: ['a part'] });
  expect((await agent.poll()).code).toBe(204);
  await agent.post(OK);
  expect(await agent.work()).toMatchObject({ kind: 'run' });
});

test.concurrent('8.83: a job is there without a look of its agent', async () => {
  const { agent } = await agents.assigned(['true']);
  await eventually(
    'an agent at work',
    async () => (await phaseOf(agents.api, agent.id)) === 'BUSY',
  );
  expect(await listed(agents.api, agent.id)).toMatchObject({
    status: { currentJobID: expect.stringMatching(UUID) },
  });
  expect((await agent.poll()).code).toBe(200);
});

// HTTP 3.2: PATCH keeps agents from becoming unreachable and changes nothing else.
test.concurrent('8.84: PATCH counts as contact, and unknown agents do not matter', async () => {
  const probe = { spec: { liveness_probe: 1 } };
  const patched = await registerExisting(agents.api, ['linux'], probe);
  const silent = await registerExisting(agents.api, ['linux'], probe);
  await eventually('an unreachable agent', async () => {
    const body = { [patched.id]: {}, [UNKNOWN]: {} };
    expect((await agents.api.call('PATCH', '/agents', { body })).code).toBe(200);
    return (await phaseOf(agents.api, silent.id)) === 'UNREACHABLE';
  });
  expect(await phaseOf(agents.api, patched.id)).toBe('IDLE');
  await silent.poll();
  expect(await phaseOf(agents.api, silent.id)).toBe('IDLE');
});

// HTTP 3.2: PATCH keeps agents from becoming unreachable and changes nothing else.
test.concurrent('8.85: an agent says how long it may be silent', async () => {
  const short = await registerExisting(agents.api, ['linux'], { spec: { liveness_probe: 1 } });
  const usual = await registerExisting(agents.api, ['linux']);
  const phase = async () => (await phaseOf(agents.api, short.id)) === 'UNREACHABLE';
  await eventually('an unreachable agent', phase);
  expect(await phaseOf(agents.api, usual.id)).toBe('IDLE');
  // A longer time than the usual one, where that is short enough to be waited for.
  const hasty = await agents.bench.server({ config: { agents: { livenessSeconds: 1 } } });
  const long = await registerExisting(hasty, ['linux'], { spec: { liveness_probe: 900 } });
  const other = await registerExisting(hasty, ['linux']);
  const lost = async () => (await phaseOf(hasty, other.id)) === 'UNREACHABLE';
  await eventually('an unreachable agent of the usual time', lost);
  expect(await listed(hasty, long.id)).toMatchObject({
    spec: { liveness_probe: 900 },
    status: { phase: 'IDLE' },
  });
});

test.concurrent.each([
  ['linux', '.sh'],
  ['windows', '.cmd'],
])('8.86: on %s the last script of a job, and no other, has _-2%s in its name', async (os, end) => {
  const tag = `named-${os}`;
  const agent = await registerExisting(agents.api, [os, tag], V2);
  const steps = [sh('one'), sh('two')];
  const id = await start(agents.api, oneJob(tag, steps, { 'runs-on': tag }));
  const names: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    names.push(String((await agent.work()).filename));
    await agent.post(OK);
  }
  expect((await agent.poll()).code).toBe(204);
  expect(await ended(agents.api, id)).toBe('DONE');
  expect(new Set(names).size).toBe(3);
  expect(names.map((name) => name.includes(`_-2${end}`))).toEqual([false, false, true]);
});

// HTTP 3.2: An agent that goes takes the workflow of its job with it. With `force` it goes in any state.
// HTTP 4.3: DELETE of an agent: 200 and message; 404 if unknown.
test.concurrent('8.87: agents go, busy ones with their workflow', async () => {
  const idle = await registerExisting(agents.api, ['linux']);
  expect((await agents.api.call('DELETE', `/agents/${idle.id}`)).code).toBe(200);
  const gone = await agents.api.call('DELETE', `/agents/${idle.id}`, { query: 'force=' });
  expectStatus(gone);
  expect(bodyOf(gone)).toMatchObject({ reason: 'NotFound', code: 404, details: null });
  for (const more of [{}, { query: 'force=' }]) {
    const { agent, id } = await agents.assigned(['true']);
    await agent.work();
    const answer = await agents.api.call('DELETE', `/agents/${agent.id}`, more);
    expectStatus(answer);
    const message = `Agent ${agent.id} de-registered.`;
    expect(bodyOf(answer)).toMatchObject({ code: 200, message, details: null });
    expect(await ended(agents.api, id)).toBe('FAILED');
    const [end] = only(await allEvents(agents.api, id), 'WorkflowCanceled');
    expect(end?.details?.reason).toBe('Agent "test agent" was de-registered.');
    expect((await agent.poll()).code).toBe(404);
  }
});

test.concurrent('8.88: cancel is for agents that look while they work', async () => {
  const asynchronous = await agents.assigned(['long']);
  await asynchronous.agent.work();
  expect((await asynchronous.agent.poll()).code).toBe(204);
  await agents.api.call('DELETE', `/workflows/${asynchronous.id}`);
  expect(await asynchronous.agent.work()).toMatchObject({ kind: 'cancel' });
  const plain = await agents.assigned(['long']);
  await plain.agent.work();
  await agents.api.call('DELETE', `/workflows/${plain.id}`);
  await plain.agent.post(OK);
  expect(await plain.agent.work()).toMatchObject({ kind: 'run' });
});

test.concurrent('8.89: run is for agents that know it', async () => {
  const old = await agents.assigned(['true'], {});
  expect(await old.agent.work()).toMatchObject({ kind: 'put' });
  const operators = await agents.assigned(['true'], { metadata: { version: '1.9' } });
  expect(await operators.agent.work()).toMatchObject({ kind: 'run' });
});

// HTTP 9: An agent tells its version, and is told that of the server.
test.concurrent('8.90: an agent without a token works where none is needed, and is told where one is', async () => {
  const headers = { authorization: '' };
  const answer = await agents.api.call('POST', '/agents', { headers, body: {} });
  expectStatus(answer);
  expect(answer.code).toBe(401);
  const open = await agents.bench.server({ config: { auth: { insecureLogin: true } } });
  const anybody: Api = {
    url: open.url,
    call: (method, path, request) =>
      inItsManner(open)(method, path, { ...request, headers: { ...request?.headers, ...headers } }),
  };
  const agent = await registerExisting(anybody, ['linux', 'free'], V2);
  const id = await start(anybody, oneJob('free', [sh('true')], { 'runs-on': 'free' }));
  expect(await agent.work()).toMatchObject({ kind: 'run' });
  await agent.post(OK);
  await agent.work();
  await agent.post(OK);
  expect(await ended(anybody, id)).toBe('DONE');
});

test('8.91: a server that begins anew has agents register again, and lists workflows', async () => {
  const first = await agents.bench.server();
  const agent = await registerExisting(first, ['linux']);
  const id = await start(first, oneJob('kept', [sh('true')], { 'runs-on': 'nowhere' }));
  await first.child.kill('SIGKILL');
  const again = await agents.bench.server({ dataDir: first.dataDir });
  expect((await again.call('GET', `/agents/${agent.id}`)).code).toBe(204);
  expect((await again.call('GET', '/workflows')).text).toContain(id);
  const empty = await agents.bench.server();
  expect((await empty.call('GET', `/agents/${agent.id}`)).code).toBe(404);
  expect((await empty.call('GET', '/workflows')).code).toBe(200);
});
