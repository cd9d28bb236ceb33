/** What agents and operators require of a server, by requests as they send them. The numbers are those of the checklist of clients. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, bodyOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type ExistingRegistration,
  listed,
  phaseOf,
  registerExisting,
} from '../../support/existing-agent.ts';
import { expectStatus } from '../../support/expect-status.ts';
import {
  allEvents,
  ended,
  logTexts,
  oneJob,
  only,
  sh,
  start,
  startedId,
} from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { inItsManner } from './recorded-client.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** One that gets scripts with its commands. */
const V2 = { metadata: { version: '2.0.0', namespaces: 'default' } };
const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
const OK = { stdout: [], stderr: [], exit_status: 0, variables: null };

let bench: Workbench;
let server: ServerChild;
let api: Api;
let tags = 0;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  api = { url: server.url, call: inItsManner(server) };
});

afterAll(() => bench.close());

/** An agent with a tag of its own, and a run of these steps that it alone can have. */
async function assigned(commands: readonly string[], registration: ExistingRegistration = V2) {
  tags += 1;
  const tag = `own${tags}`;
  const agent = await registerExisting(api, ['linux', tag], registration);
  const steps = commands.map((command) => sh(command));
  const id = await start(api, oneJob(tag, steps, { 'runs-on': tag }));
  return { agent, id };
}

/** What the one file has that the steps of a run attached. */
async function attachedBytes(id: string): Promise<Uint8Array> {
  const [uuid] = only(await allEvents(api, id), 'ExecutionResult').flatMap(({ metadata }) =>
    Object.values(metadata.attachments ?? {}).map((attachment) => attachment.uuid),
  );
  const headers = { authorization: `Bearer ${server.token}` };
  const answer = await fetch(`${server.url}/workflows/${id}/files/${uuid}`, { headers });
  return new Uint8Array(await answer.arrayBuffer());
}

/** Posts chunks, without type and length, as these agents send empty files. */
async function sendPieces(path: string, pieces: readonly Uint8Array[]): Promise<number> {
  const headers = { authorization: `Bearer ${server.token}`, 'transfer-encoding': 'chunked' };
  const sent = request(`${server.url}${path}`, { method: 'POST', headers });
  const answered = once(sent, 'response');
  for (const piece of pieces) sent.write(piece);
  sent.end();
  const [answer]: IncomingMessage[] = await answered;
  answer?.resume();
  return answer?.statusCode ?? 0;
}

/** An agent that was told of a file to send. */
async function askedForFile() {
  const { agent, id } = await assigned(['attach']);
  await agent.work();
  await agent.post({ ...OK, stdout: ['::attach::/tmp/some.bin'] });
  return { agent, id, get: await agent.work() };
}

/** An agent that was told of a file to fetch, which its step asked for. */
async function toldOfFile() {
  tags += 1;
  const tag = `own${tags}`;
  const agent = await registerExisting(api, ['linux', tag], V2);
  const manifest = { ...oneJob(tag, [sh('put')], { 'runs-on': tag }), resources: { files: ['f'] } };
  const form = new FormData();
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  form.set('f', new Blob(['content']), 'f');
  const id = startedId(await server.call('POST', '/workflows', { body: form }));
  await agent.work();
  await agent.post({ ...OK, stdout: ['::put file=f::f'] });
  return { agent, id, put: await agent.work() };
}

test.concurrent('8.72: a registration is 201 with an id, a version and a message', async () => {
  const { registered } = await registerExisting(api, ['linux']);
  expect(registered.code).toBe(201);
  expect(bodyOf(registered)).toMatchObject({
    message: expect.any(String),
    details: {
      uuid: expect.stringMatching(UUID),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    },
  });
});

test.concurrent('8.73: registrations of all ages are taken', async () => {
  for (const registration of [
    {},
    { metadata: { namespaces: '' }, spec: { script_path: undefined } },
    { metadata: { namespaces: '', version: '1.9' }, spec: { liveness_probe: 300 } },
    { spec: { liveness_probe: 300, workspace_dir: '/tmp' } },
  ]) {
    const { id, registered } = await registerExisting(api, ['linux'], registration);
    expect(registered.code).toBe(201);
    expect(await listed(api, id)).toMatchObject({ metadata: { namespaces: 'default' } });
  }
});

test.concurrent('8.74: the listing of agents has all that is read of it', async () => {
  const { id } = await registerExisting(api, ['linux', 'listed'], V2);
  expect(await listed(api, id)).toMatchObject({
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

test.concurrent('8.75: nothing to do is 204 without a body', async () => {
  const agent = await registerExisting(api, ['linux']);
  expect(await agent.poll()).toMatchObject({ code: 204, text: '' });
});

test.concurrent('8.76: work is 200 with its kind, once', async () => {
  const { agent } = await assigned(['true']);
  expect(await agent.work()).toMatchObject({ kind: 'run', command: expect.any(String) });
  expect((await agent.poll()).code).toBe(204);
});

test.concurrent('8.77: an unknown agent is 404 with details null', async () => {
  const answer = await api.call('GET', `/agents/${UNKNOWN}`);
  expectStatus(answer);
  expect(bodyOf(answer)).toMatchObject({
    ...{ message: `Agent ${UNKNOWN} not known.`, reason: 'NotFound', code: 404, details: null },
  });
});

test.concurrent('8.78: all forms of results are 200', async () => {
  const { agent, id } = await assigned(['one', 'two']);
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
  expect(await ended(api, id)).toBe('DONE');
  const texts = await logTexts(api, id);
  expect(texts).toEqual(expect.arrayContaining(['first', 'second', 'third']));
  const asked = await askedForFile();
  expect((await asked.agent.post({ details: { error: 'none' } })).code).toBe(200);
});

test.concurrent('8.79: a result without exit_status ends nothing', async () => {
  const { agent } = await assigned(['one', 'two']);
  await agent.work();
  await agent.post({ stdout: ['a part'] });
  expect((await agent.poll()).code).toBe(204);
  await agent.post(OK);
  expect(await agent.work()).toMatchObject({ kind: 'run' });
});

test.concurrent('8.80: files come and go byte for byte, also empty ones', async () => {
  for (const [content, method] of [
    [BYTES, 'POST'],
    [new Uint8Array(), 'POST'],
    [new Uint8Array(), 'PUT'],
  ] as const) {
    const { agent, id, get } = await askedForFile();
    expect((await agent.sendFile(get.file_id, content, { method })).code).toBe(200);
    await agent.work();
    await agent.post(OK);
    expect(await ended(api, id)).toBe('DONE');
    expect(await attachedBytes(id)).toEqual(content);
  }
  for (const pieces of [[BYTES.slice(0, 9), BYTES.slice(9)], []]) {
    const { agent, id, get } = await askedForFile();
    expect(await sendPieces(`/agents/${agent.id}/files/${get.file_id}`, pieces)).toBe(200);
    await agent.work();
    await agent.post(OK);
    expect(await ended(api, id)).toBe('DONE');
    expect(Buffer.from(await attachedBytes(id))).toEqual(Buffer.concat(pieces));
  }
  const { agent } = await assigned(['echo exactly'], {});
  const put = await agent.work();
  const file = await agent.getFile(put.file_id);
  expect([file.code, file.text.includes('echo exactly')]).toEqual([200, true]);
});

test.concurrent('8.81: an error at the address of a file is no content', async () => {
  const { agent, id } = await assigned(['true'], {});
  const put = await agent.work();
  const error = JSON.stringify({ details: { error: 'the disk is full' } });
  const headers = { 'content-type': 'application/json' };
  expect((await agent.sendFile(put.file_id, error, { headers })).code).toBe(200);
  const release = await agent.work();
  expect(release).toMatchObject({ kind: 'put', path: expect.stringContaining('_-2.sh') });
  await agent.getFile(release.file_id);
  await agent.work();
  await agent.post(OK);
  expect(await ended(api, id)).toBe('FAILED');
  expect((await logTexts(api, id)).join('\n')).toContain('the disk is full');
});

// That a transfer is given up in time is shown where the test has the clock: transfers.int.test.ts and liveness.int.test.ts of the
// channel of agents.
test.concurrent('8.82: a put is done with its GET, a get with its POST, and errors fail both', async () => {
  const old = await assigned(['true'], {});
  const put = await old.agent.work();
  await old.agent.getFile(put.file_id);
  expect(await old.agent.work()).toMatchObject({ kind: 'exec' });
  const { agent, get } = await askedForFile();
  await agent.sendFile(get.file_id, 'content');
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  // Who looks again without its file is told of it again.
  const late = await assigned(['true'], {});
  expect(await late.agent.work()).toEqual(await late.agent.work());
  for (const asked of [await askedForFile(), await toldOfFile()]) {
    await asked.agent.post({ details: { error: 'it is gone' } });
    await asked.agent.work();
    await asked.agent.post(OK);
    expect(await ended(api, asked.id)).toBe('FAILED');
    expect((await logTexts(api, asked.id)).join('\n')).toContain('it is gone');
  }
});

test.concurrent('8.83: a job is there without a look of its agent', async () => {
  const { agent } = await assigned(['true']);
  await eventually('an agent at work', async () => (await phaseOf(api, agent.id)) === 'BUSY');
  expect(await listed(api, agent.id)).toMatchObject({
    status: { currentJobID: expect.stringMatching(UUID) },
  });
  expect((await agent.poll()).code).toBe(200);
});

test.concurrent('8.84: PATCH counts as contact, and unknown agents do not matter', async () => {
  const probe = { spec: { liveness_probe: 1 } };
  const patched = await registerExisting(api, ['linux'], probe);
  const silent = await registerExisting(api, ['linux'], probe);
  await eventually('an unreachable agent', async () => {
    const body = { [patched.id]: {}, [UNKNOWN]: {} };
    expect((await api.call('PATCH', '/agents', { body })).code).toBe(200);
    return (await phaseOf(api, silent.id)) === 'UNREACHABLE';
  });
  expect(await phaseOf(api, patched.id)).toBe('IDLE');
  await silent.poll();
  expect(await phaseOf(api, silent.id)).toBe('IDLE');
});

test.concurrent('8.85: an agent says how long it may be silent', async () => {
  const short = await registerExisting(api, ['linux'], { spec: { liveness_probe: 1 } });
  const usual = await registerExisting(api, ['linux']);
  const phase = async () => (await phaseOf(api, short.id)) === 'UNREACHABLE';
  await eventually('an unreachable agent', phase);
  expect(await phaseOf(api, usual.id)).toBe('IDLE');
  // A longer time than the usual one, where that is short enough to be waited for.
  const hasty = await bench.server({ config: { agents: { livenessSeconds: 1 } } });
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
  const agent = await registerExisting(api, [os, tag], V2);
  const steps = [sh('one'), sh('two')];
  const id = await start(api, oneJob(tag, steps, { 'runs-on': tag }));
  const names: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    names.push(String((await agent.work()).filename));
    await agent.post(OK);
  }
  expect((await agent.poll()).code).toBe(204);
  expect(await ended(api, id)).toBe('DONE');
  expect(new Set(names).size).toBe(3);
  expect(names.map((name) => name.includes(`_-2${end}`))).toEqual([false, false, true]);
});

test.concurrent('8.87: agents go, busy ones with their workflow', async () => {
  const idle = await registerExisting(api, ['linux']);
  expect((await api.call('DELETE', `/agents/${idle.id}`)).code).toBe(200);
  const gone = await api.call('DELETE', `/agents/${idle.id}`, { query: 'force=' });
  expectStatus(gone);
  expect(bodyOf(gone)).toMatchObject({ reason: 'NotFound', code: 404, details: null });
  for (const more of [{}, { query: 'force=' }]) {
    const { agent, id } = await assigned(['true']);
    await agent.work();
    const answer = await api.call('DELETE', `/agents/${agent.id}`, more);
    expectStatus(answer);
    const message = `Agent ${agent.id} de-registered.`;
    expect(bodyOf(answer)).toMatchObject({ code: 200, message, details: null });
    expect(await ended(api, id)).toBe('FAILED');
    const [end] = only(await allEvents(api, id), 'WorkflowCanceled');
    expect(end?.details?.reason).toBe('Agent "test agent" was de-registered.');
    expect((await agent.poll()).code).toBe(404);
  }
});

test.concurrent('8.88: cancel is for agents that look while they work', async () => {
  const asynchronous = await assigned(['long']);
  await asynchronous.agent.work();
  expect((await asynchronous.agent.poll()).code).toBe(204);
  await api.call('DELETE', `/workflows/${asynchronous.id}`);
  expect(await asynchronous.agent.work()).toMatchObject({ kind: 'cancel' });
  const plain = await assigned(['long']);
  await plain.agent.work();
  await api.call('DELETE', `/workflows/${plain.id}`);
  await plain.agent.post(OK);
  expect(await plain.agent.work()).toMatchObject({ kind: 'run' });
});

test.concurrent('8.89: run is for agents that know it', async () => {
  const old = await assigned(['true'], {});
  expect(await old.agent.work()).toMatchObject({ kind: 'put' });
  const operators = await assigned(['true'], { metadata: { version: '1.9' } });
  expect(await operators.agent.work()).toMatchObject({ kind: 'run' });
});

test.concurrent('8.90: an agent without a token works where none is needed, and is told where one is', async () => {
  const headers = { authorization: '' };
  const answer = await api.call('POST', '/agents', { headers, body: {} });
  expectStatus(answer);
  expect(answer.code).toBe(401);
  const open = await bench.server({ config: { auth: { insecureLogin: true } } });
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
  const first = await bench.server();
  const agent = await registerExisting(first, ['linux']);
  const id = await start(first, oneJob('kept', [sh('true')], { 'runs-on': 'nowhere' }));
  await first.child.kill('SIGKILL');
  const again = await bench.server({ dataDir: first.dataDir });
  expect((await again.call('GET', `/agents/${agent.id}`)).code).toBe(204);
  expect((await again.call('GET', '/workflows')).text).toContain(id);
  const empty = await bench.server();
  expect((await empty.call('GET', `/agents/${agent.id}`)).code).toBe(404);
  expect((await empty.call('GET', '/workflows')).code).toBe(200);
});
