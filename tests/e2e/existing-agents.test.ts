/**
 * Agents that others have written work unmodified. The numbers are those of the checklist of what existing clients require of
 * a server.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { listed, phaseOf, registerExisting } from '../support/existing-agent.ts';
import { allEvents, ended, logged, logTexts, oneJob, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const V2 = { metadata: { namespaces: 'default', version: '2.0' } };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bench: Workbench;
let server: ServerChild;
let tags = 0;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

/** Every test has an environment of its own. */
const newTag = () => {
  tags += 1;
  return `own${tags}`;
};

test('72, 73, 90: agents of all ages can register', async () => {
  const old = await registerExisting(server, ['linux'], { spec: { workspace_dir: '/tmp' } });
  expect(old.registered.code).toBe(201);
  expect(bodyOf(old.registered)).toMatchObject({
    message: expect.any(String),
    details: {
      uuid: expect.stringMatching(UUID),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    },
  });
  const operators = await registerExisting(server, ['linux'], {
    metadata: { namespaces: '', version: '1.9' },
    spec: { script_path: undefined, liveness_probe: 300 },
  });
  expect(operators.registered.code).toBe(201);
  for (const { id } of [old, operators]) {
    expect(await listed(server, id)).toMatchObject({ metadata: { namespaces: 'default' } });
    await server.call('DELETE', `/agents/${id}`);
  }
});

test('74: the listing has all that clients read', async () => {
  const agent = await registerExisting(server, ['linux', 'listed'], V2);
  expect(await listed(server, agent.id)).toMatchObject({
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: {
      agent_id: agent.id,
      name: 'test agent',
      namespaces: 'default',
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
    },
    spec: { tags: ['linux', 'listed'] },
    status: {
      phase: 'IDLE',
      currentJobID: null,
      communicationCount: expect.any(Number),
      lastCommunicationTimestamp: expect.any(String),
    },
  });
});

test('75, 77: nothing to do is 204 at once, an unknown agent is 404 with details null', async () => {
  const agent = await registerExisting(server, ['linux']);
  expect(await agent.poll()).toMatchObject({ code: 204, text: '' });
  const answer = await server.call('GET', `/agents/${UNKNOWN}`);
  expect(answer.code).toBe(404);
  expect(bodyOf(answer)).toEqual({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    message: `Agent ${UNKNOWN} not known.`,
    status: 'Failure',
    reason: 'NotFound',
    code: 404,
    details: null,
  });
});

test('76, 80, 82, 86, 89: an agent of the first version gets its scripts as files', async () => {
  const tag = newTag();
  const agent = await registerExisting(server, ['linux', tag]);
  const id = await start(
    server,
    oneJob('old', [sh('echo one'), sh('echo two')], { 'runs-on': tag }),
  );
  const names: string[] = [];
  for (const text of ['one', 'two', null]) {
    const put = await agent.work();
    expect(put).toMatchObject({ kind: 'put', file_id: expect.stringMatching(UUID), root: '' });
    names.push(String(put.path));
    const file = await agent.getFile(put.file_id);
    expect(file.code).toBe(200);
    if (text !== null) expect(file.text).toContain(`echo ${text}`);
    const exec = await agent.work();
    expect(exec).toMatchObject({
      kind: 'exec',
      command: expect.stringContaining(String(put.path)),
    });
    const stdout = text === null ? [] : [text];
    expect((await agent.post({ stdout, stderr: [], exit_status: 0 })).code).toBe(200);
    // This agent does not send the variables by itself.
    if (text === null) continue;
    const get = await agent.work();
    expect(get).toMatchObject({ kind: 'get', path: expect.stringContaining('_dynamic_env.sh') });
    expect((await agent.sendFile(get.file_id, `export LAST=${text}\n`)).code).toBe(200);
  }
  expect(await ended(server, id)).toBe('DONE');
  expect(await agent.poll()).toMatchObject({ code: 204 });
  expect(names.map((name) => name.includes('_-2.sh'))).toEqual([false, false, true]);
  expect(new Set(names).size).toBe(3);
  const variables = only(await allEvents(server, id), 'ExecutionResult').map(
    (result) => result.variables?.LAST,
  );
  expect(variables).toEqual([undefined, 'one', 'two', undefined]);
});

test('76, 78, 83: a synchronous agent of the second version gets one command per step', async () => {
  const tag = newTag();
  const agent = await registerExisting(server, ['linux', tag], V2);
  const steps = [sh('echo first'), sh(`echo \${{ variables.WORD }}`)];
  const id = await start(server, oneJob('sync', steps, { 'runs-on': tag }));
  await eventually('the agent is busy', async () => (await phaseOf(server, agent.id)) === 'BUSY');

  const first = detailsOf(await agent.poll());
  expect(first).toMatchObject({
    kind: 'run',
    filename: expect.stringMatching(/_0\.sh$/),
    content: expect.stringContaining('echo first'),
    command: expect.stringContaining('_0.sh'),
    variables_path: expect.stringContaining('_dynamic_env.sh'),
  });
  await agent.post({
    stdout: ['first'],
    stderr: [],
    exit_status: 0,
    variables: ['export WORD=hi'],
  });
  // Asked at once, as agents do after a command: the next step is there, without a sleep in between.
  const second = detailsOf(await agent.poll());
  expect(second).toMatchObject({ kind: 'run', content: expect.stringContaining('echo hi') });
  await agent.post({ stdout: 'hi', stderr: ['a warning'], exit_status: 0, variables: null });
  const release = detailsOf(await agent.poll());
  expect(release).toMatchObject({ kind: 'run', command: expect.stringContaining('_-2.sh') });
  expect(release).not.toHaveProperty('variables_path');
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });

  expect(await ended(server, id)).toBe('DONE');
  expect(await phaseOf(server, agent.id)).toBe('IDLE');
  expect(await logTexts(server, id)).toEqual(expect.arrayContaining(['first', 'hi', 'a warning']));
});

test('78, 79, 88: an asynchronous agent reports in parts, and can be told to stop', async () => {
  const tag = newTag();
  const agent = await registerExisting(server, ['linux', tag], V2);
  const id = await start(server, oneJob('async', [sh('make all')], { 'runs-on': tag }));
  expect(await agent.work()).toMatchObject({ kind: 'run' });
  expect((await agent.poll()).code).toBe(204);
  expect((await agent.post({ stdout: ['compiling'] })).code).toBe(200);
  expect((await agent.post({ stderr: ['a warning'] })).code).toBe(200);
  const log = await logged(server, id, 'a warning');
  expect(log).toContain('compiling');
  expect((await agent.poll()).code).toBe(204);

  await server.call('DELETE', `/workflows/${id}`);
  expect(await agent.work()).toMatchObject({ kind: 'cancel' });
  expect((await agent.poll()).code).toBe(204);
  await agent.post({ stdout: ['stopped'], stderr: [], exit_status: -15 });
  // The variables of an asynchronous agent are fetched; this one has none.
  const get = await agent.work();
  expect(get).toMatchObject({ kind: 'get' });
  await agent.post({ details: { error: 'Failed to fetch file: there is none.' } });
  expect(await agent.work()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });

  expect(await ended(server, id)).toBe('FAILED');
  const texts = await logTexts(server, id);
  expect(texts.filter((text) => text === 'compiling' || text === 'stopped')).toEqual([
    'compiling',
    'stopped',
  ]);
});

test('80, 82: files come whole, however they are sent, also empty ones', async () => {
  const tag = newTag();
  const agent = await registerExisting(server, ['linux', tag], V2);
  const id = await start(server, oneJob('files', [sh('attach')], { 'runs-on': tag }));
  await agent.work();
  const stdout = ['::attach::/tmp/some.bin', '::attach::/tmp/empty.bin', 'done'];
  await agent.post({ stdout, stderr: [], exit_status: 0, variables: null });
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
  const first = await agent.work();
  expect(first).toMatchObject({ kind: 'get', path: '/tmp/some.bin' });
  expect((await agent.sendFile(first.file_id, bytes)).code).toBe(200);
  const second = await agent.work();
  expect(second).toMatchObject({ kind: 'get', path: '/tmp/empty.bin' });
  const empty = new Uint8Array();
  expect((await agent.sendFile(second.file_id, empty, { method: 'PUT' })).code).toBe(200);
  await agent.work();
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  expect(await ended(server, id)).toBe('DONE');

  const authorization = { authorization: `Bearer ${server.token}` };
  const files = only(await allEvents(server, id), 'ExecutionResult').flatMap(({ metadata }) =>
    Object.values(metadata.attachments ?? {}),
  );
  const contents = await Promise.all(
    files.map(async ({ uuid }) => {
      const response = await fetch(`${server.url}/workflows/${id}/files/${uuid}`, {
        headers: authorization,
      });
      return new Uint8Array(await response.arrayBuffer());
    }),
  );
  expect(contents).toEqual([bytes, empty]);
});

test.each([
  [78, 'by a message', { details: { error: 'no such file' } }],
  [78, 'by the result of an old agent', { stdout: '', stderr: ['no such file'], exit_status: 2 }],
])('%i: a file that cannot be had fails its step: told %s', async (_, __, message) => {
  const tag = newTag();
  const agent = await registerExisting(server, ['linux', tag], V2);
  const id = await start(server, oneJob('no file', [sh('attach')], { 'runs-on': tag }));
  await agent.work();
  const stdout = ['::attach::/tmp/none.bin'];
  await agent.post({ stdout, stderr: [], exit_status: 0, variables: null });
  expect(await agent.work()).toMatchObject({ kind: 'get' });
  await agent.post(message);
  await agent.work();
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  expect(await ended(server, id)).toBe('FAILED');
  const texts = await logTexts(server, id);
  expect(texts.join('\n')).toMatch(/Could not read \/tmp\/none\.bin: no such file/);
});

test('81: an operator tells at the address of the file that it could not place it', async () => {
  const tag = newTag();
  const agent = await registerExisting(server, ['linux', tag]);
  const id = await start(server, oneJob('no script', [sh('true')], { 'runs-on': tag }));
  const put = await agent.work();
  const answer = await agent.sendFile(
    put.file_id,
    JSON.stringify({ details: { error: 'the disk is full' } }),
    { headers: { 'content-type': 'application/json' } },
  );
  expect(answer.code).toBe(200);
  const release = await agent.work();
  expect(release).toMatchObject({ kind: 'put', path: expect.stringContaining('_-2.sh') });
  await agent.getFile(release.file_id);
  await agent.work();
  await agent.post({ stdout: [], stderr: [], exit_status: 0 });
  expect(await ended(server, id)).toBe('FAILED');
  expect((await logTexts(server, id)).join('\n')).toContain('the disk is full');
});

test('84, 85: PATCH counts as contact, and an agent may choose how long its silence may be', async () => {
  const agent = await registerExisting(server, ['linux'], { spec: { liveness_probe: 1 } });
  const silent = await registerExisting(server, ['linux'], { spec: { liveness_probe: 1 } });
  await eventually('the silent agent is unreachable', async () => {
    const body = { [agent.id]: {}, [UNKNOWN]: {} };
    expect((await server.call('PATCH', '/agents', { body })).code).toBe(200);
    return (await phaseOf(server, silent.id)) === 'UNREACHABLE';
  });
  expect(await phaseOf(server, agent.id)).toBe('IDLE');
  await silent.poll();
  expect(await phaseOf(server, silent.id)).toBe('IDLE');
});

test('87: an idle agent can go, a busy one takes its workflow with it, an unknown one is told', async () => {
  const tag = newTag();
  const idle = await registerExisting(server, ['linux']);
  expect((await server.call('DELETE', `/agents/${idle.id}`)).code).toBe(200);
  const gone = await server.call('DELETE', `/agents/${idle.id}`, { query: 'force=' });
  expect(gone).toMatchObject({ code: 404 });
  expect(bodyOf(gone)).toMatchObject({ reason: 'NotFound', details: null });

  const busy = await registerExisting(server, ['linux', tag], V2);
  const id = await start(server, oneJob('abandoned', [sh('true')], { 'runs-on': tag }));
  await busy.work();
  expect((await server.call('DELETE', `/agents/${busy.id}`, { query: 'force=' })).code).toBe(200);
  expect(await ended(server, id)).toBe('FAILED');
  expect((await busy.poll()).code).toBe(404);
});

test('90, 1: an agent without a token is told so as a Status', async () => {
  const answer = await server.call('POST', '/agents', { headers: { authorization: '' }, body: {} });
  expect(answer.code).toBe(401);
  expect(bodyOf(answer)).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
});
