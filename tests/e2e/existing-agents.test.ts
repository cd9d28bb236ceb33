/** Whole jobs on existing agents, request by request. `tests/interop` has the requirements for each request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { phaseOf, registerExisting } from '../support/existing-agent.ts';
import { allEvents, ended, logged, logTexts, oneJob, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const V2 = { metadata: { namespaces: 'default', version: '2.0' } };

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

// Language 3.7: After each step but the release the variables file is read; that it cannot be read fails nothing.
// HTTP 9: The versions decide how the server speaks to agents.
test('an agent of the first version gets its scripts as files', async () => {
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

// HTTP 4.3: Agents take their work and bring results at their own address.
test('a synchronous agent of the second version gets one command per step', async () => {
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

// Language 3.10: Where an agent cannot be interrupted, the step ends by itself.
test('an asynchronous agent reports in parts, and can be told to stop', async () => {
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

test.each([
  ['by a message', { details: { error: 'no such file' } }],
  ['by the result of an old agent', { stdout: '', stderr: ['no such file'], exit_status: 2 }],
  // Language 3.8: A command for a file that fails makes it 2, which none that succeeds undoes.
  // Language 5: A file that cannot be read fails the step and is told.
])('a file that cannot be had fails its step: told %s', async (_, message) => {
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
