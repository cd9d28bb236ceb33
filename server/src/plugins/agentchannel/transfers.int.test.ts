/** Files that steps ask for by `::put`, `::upload` and `::download`, with agents of each kind (wire facts 4.6, part 5). */
import type { WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { LIMITS } from './jobs/limits.ts';
import { ExistingAgent, OwnAgent } from './testing/scripted-agents.ts';
import {
  dataFolder,
  ended,
  eventsOfKind,
  type Loose,
  logOf,
  resultsOf,
  startServer,
  type TestServer,
} from './testing/test-server.ts';

const FILES = { 'data.csv': 'a;b' };
const jobIdOf = (order: Loose): string => String(order.command_id ?? order.filename).slice(0, 36);

async function readBlob(server: TestServer, workflowId: WorkflowId, name: unknown) {
  const blob = await server.blobs.get(`${workflowId}/${name}`);
  const chunks: Buffer[] = [];
  for await (const chunk of blob?.content ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('our own agent', () => {
  // Language 5: `put` of a resource file.
  test('takes a resource file into its workspace before the result is published', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make', 'test'], FILES);
    const order = await agent.run({ lines: ['::put file=data.csv::in/my data.csv', 'made'] });
    const put = await agent.work();
    expect(put).toEqual({
      kind: 'put',
      file_id: expect.any(String),
      path: `${jobIdOf(order)}/in/my data.csv`,
      root: 'workspace',
    });
    expect(await agent.getFile(put.file_id)).toMatchObject({ code: 200, text: 'a;b' });
    expect(await resultsOf(server, workflowId)).toEqual([]);
    await agent.post({ received: put.file_id });
    await agent.post({ received: put.file_id });
    expect((await agent.work()).content).toContain('test');
    expect(await resultsOf(server, workflowId)).toEqual([[0, 0]]);
  });

  test('takes a resource file into a directory, under its name', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    await server.start(['make'], FILES);
    const order = await agent.run({ lines: ['::put file=data.csv::in/'] });
    expect(await agent.work()).toMatchObject({ path: `${jobIdOf(order)}/in/data.csv` });
  });

  // Language 5: `upload`, with the parameters of `attach`; the run gets the file.
  // Language 5: `download`: where the files go.
  // Language 5: Commands list what was uploaded before them.
  // Language 5: The result has the parameters of each file, and its id.
  // Language 5: A `WorkflowResult` with the id of the step reports an upload; the result of the step does not.
  test('uploads files for the run, which its result does not name, and a later job downloads them', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start({
      a: { 'runs-on': 'linux', steps: [{ id: 'pack', run: 'make' }] },
      b: { 'runs-on': 'linux', needs: 'a', steps: [{ run: 'use', 'working-directory': 'w' }] },
    });
    const lines = ['::upload type=text/plain,name=my_list.txt::/tmp/x', '::upload::/tmp/b.txt'];
    await agent.run({ lines: [...lines, '::attach::/tmp/log'] });
    const gets = [await agent.work(), await agent.work(), await agent.work()];
    // Files come in as they please; they are listed as they were asked for.
    for (const { file_id, path } of gets.toReversed()) {
      await agent.sendFile(file_id, `content of ${path}`);
    }
    await agent.run();
    const use = await agent.run({
      lines: ['::download file=my_list.txt::list', '::download::all'],
    });
    for (const [path, content] of [
      ['list', '/tmp/x'],
      ['all/my_list.txt', '/tmp/x'],
      ['all/b.txt', '/tmp/b.txt'],
    ]) {
      const put = await agent.work();
      expect(put).toMatchObject({ kind: 'put', path: `${jobIdOf(use)}/w/${path}` });
      expect((await agent.getFile(put.file_id)).text).toBe(`content of ${content}`);
      await agent.post({ received: put.file_id });
    }
    await agent.run();
    expect(await ended(server, workflowId)).toBe('DONE');
    const [uploads] = await eventsOfKind(server, workflowId, 'WorkflowResult');
    const [list, b] = gets.map(({ file_id }) => file_id);
    const paths = [`/tmp/${workflowId}-${list}_WR_my_list.txt`, `/tmp/${workflowId}-${b}_WR_b.txt`];
    expect(uploads).toEqual({
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'WorkflowResult',
      metadata: {
        name: 'pack',
        namespace: 'default',
        workflow_id: workflowId,
        job_id: expect.any(String),
        creationTimestamp: expect.any(String),
        'tutti.actor': { subject: 'alice', key: expect.any(String) },
        attachments: {
          [paths[0] ?? '']: { uuid: list, type: 'text/plain', name: 'my_list.txt' },
          [paths[1] ?? '']: { uuid: b },
        },
      },
      attachments: paths,
    });
    const results = await eventsOfKind(server, workflowId, 'ExecutionResult');
    const attached = results.flatMap(({ attachments = [] }) => attachments);
    expect(attached).toEqual([expect.stringMatching(/_0_log$/)]);
    expect(results.filter(({ metadata }) => 'artifacts' in metadata)).toEqual([]);
    const commands = await eventsOfKind(server, workflowId, 'ExecutionCommand');
    const known = commands.map(({ metadata }) => metadata.artifacts ?? []);
    expect(known.filter((list) => list.length > 0)).toEqual([paths]);
    const log = await logOf(server, workflowId);
    expect(log.filter((line) => line.includes('Produced attachment'))).toEqual([]);
    expect(await server.store.attachment(workflowId, list as never)).toMatchObject({
      name: 'my_list.txt',
      type: 'text/plain',
    });
  });

  // Language 5: Relative paths of `attach` and `upload`.
  test('reads a relative path in the directory of the step, and tells the path as the step said it', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const steps = [{ run: 'make', 'working-directory': 'sub' }];
    const workflowId = await server.start({ main: { 'runs-on': 'linux', steps } });
    const variables = [String.raw`export OPENTF_WORKSPACE=/srv/my\ agent/w`];
    await agent.run({ lines: ['::attach::out.txt', '::upload::../b'], variables });
    const path = '/srv/my agent/w/sub/out.txt';
    expect(await agent.work()).toMatchObject({ kind: 'get', path });
    const upload = await agent.work();
    expect(upload).toMatchObject({ kind: 'get', path: '/srv/my agent/w/sub/../b' });
    await agent.post({ details: { error: `Failed to fetch file ${path}: it is gone` } });
    await agent.sendFile(upload.file_id, 'B');
    await agent.run();
    expect(await ended(server, workflowId)).toBe('FAILED');
    expect(await logOf(server, workflowId)).toContain(
      `ERROR,Could not read out.txt: Failed to fetch file ${path}: it is gone.`,
    );
    const [uploaded] = await eventsOfKind(server, workflowId, 'WorkflowResult');
    expect(uploaded?.attachments).toEqual([expect.stringMatching(/_WR_b$/)]);
  });

  // Language 5: On Windows paths have backslashes, and the name is what follows the last one.
  test('on Windows reads a relative path there as well', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server, { tags: ['windows'] });
    const steps = [{ run: 'make', 'working-directory': 'a/b' }];
    await server.start({ main: { 'runs-on': 'windows', steps } });
    const variables = [String.raw`set "OPENTF_WORKSPACE=C:\my agent\w"`];
    await agent.run({ lines: ['::attach::c/d.txt', '::attach::D:/e.txt'], variables });
    expect(await agent.work()).toMatchObject({ path: String.raw`C:\my agent\w\a\b\c\d.txt` });
    expect(await agent.work()).toMatchObject({ path: String.raw`D:\e.txt` });
  });

  test('moves files in the order in which they were asked for', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    await server.start(['make'], FILES);
    const lines = ['::attach::/tmp/1', '::put file=data.csv::/tmp/1', '::attach::/tmp/1'];
    await agent.run({ lines });
    const first = await agent.work();
    expect(first).toMatchObject({ kind: 'get', path: '/tmp/1' });
    expect((await agent.poll()).code).toBe(204);
    await agent.sendFile(first.file_id, 'before');
    const put = await agent.work();
    expect(put).toMatchObject({ kind: 'put', path: '/tmp/1' });
    await agent.getFile(put.file_id);
    expect((await agent.poll()).code).toBe(204);
    await agent.post({ received: put.file_id });
    expect(await agent.work()).toMatchObject({ kind: 'get', path: '/tmp/1' });
  });

  test.each<[line: string, log: string]>([
    ['::put file=none::x', 'ERROR,Invalid "resources.files" reference "none".'],
    ['::put file=__proto__::x', 'ERROR,Invalid "resources.files" reference "__proto__".'],
    ['::put::x', 'ERROR,Invalid "resources.files" reference "".'],
    ['::download::x', 'ERROR,No artifact matching requested name/pattern found.'],
    ['::download file=a::x', 'ERROR,No artifact matching requested name/pattern found.'],
    ['::download file=a,pattern=b::x', 'ERROR,Cannot specify both "file" and "pattern".'],
    // Language 3.8: A command for a file that fails makes it 2, which none that succeeds undoes.
    // Language 5: `put`: an unknown file is told.
    // Language 5: `download`: nothing that matches, and what cannot be sent, is told.
  ])('the step that says %s fails, and says why', async (line, message) => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make'], FILES);
    await agent.run({ lines: [line, 'made'] });
    await agent.run();
    expect(await ended(server, workflowId)).toBe('FAILED');
    const log = await logOf(server, workflowId);
    expect(log.filter((each) => each === message)).toHaveLength(1);
    expect(await resultsOf(server, workflowId)).toContainEqual([0, 2]);
  });

  test('says so where readers look for errors, also if its group is still open', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make'], FILES);
    await agent.run({ lines: ['::group::Files', 'within', '::download file=a::x'] });
    await agent.run();
    expect(await ended(server, workflowId)).toBe('FAILED');
    const results = await eventsOfKind(server, workflowId, 'ExecutionResult');
    expect(results.map(({ logs }) => logs)).toContainEqual([
      'Files',
      '  within',
      'ERROR,No artifact matching requested name/pattern found.',
    ]);
  });

  // Language 5: `put`: a file that cannot be sent is told.
  test('tells why it could not write a file', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make'], FILES);
    const order = await agent.run({ lines: ['::put file=data.csv::x', '::put file=data.csv::y'] });
    const path = `${jobIdOf(order)}/x`;
    await agent.work();
    const other = await agent.work();
    await agent.post({ details: { error: `Failed to download file ${path}: EACCES` } });
    await agent.post({ received: other.file_id });
    await agent.run();
    expect(await ended(server, workflowId)).toBe('FAILED');
    const why = `Failed to download file ${path}: EACCES.`;
    expect(await logOf(server, workflowId)).toContain(
      `ERROR,Could not send file "data.csv" to remote path "x": ${why}`,
    );
  });

  // Language 3.8: A file that cannot reach the environment ends the step with 2.
  test('that never takes a file fails its step', async () => {
    const server = await startServer();
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make'], FILES);
    await agent.run({ lines: ['::put file=data.csv::x'] });
    for (let sends = 1; sends <= LIMITS.transferSends; sends += 1) {
      expect(await agent.work()).toMatchObject({ kind: 'put' });
      server.clock.advance(LIMITS.transferStartMs + 1);
      const now = server.clock.now();
      Object.assign(agent.known, { lastContactMs: now, disconnectedAtMs: now });
      server.channel.sweep();
    }
    await agent.run();
    expect(await ended(server, workflowId)).toBe('FAILED');
    expect(await logOf(server, workflowId)).toContain(
      'ERROR,Could not send file "data.csv" to remote path "x": the agent did not take it in time.',
    );
  });

  test('is asked again after a crash of the server, and nothing is told twice', async () => {
    const folder = await dataFolder();
    const server = await startServer({ folder });
    const agent = await OwnAgent.register(server);
    const workflowId = await server.start(['make', 'test'], FILES);
    await agent.run({ lines: ['::upload::/tmp/x', '::put file=data.csv::y', '::put::z', 'made'] });
    await agent.sendFile((await agent.work()).file_id, 'X');
    const put = await agent.work();
    await agent.getFile(put.file_id);
    server.faults.fail('WorkflowResult');
    await agent.post({ received: put.file_id });
    expect(await resultsOf(server, workflowId)).toEqual([]);
    expect(await eventsOfKind(server, workflowId, 'WorkflowResult')).toEqual([]);
    await server.crash();
    agent.server = await startServer({ folder, clock: server.clock });
    const again = await agent.work();
    expect(again).toMatchObject({ kind: 'get', path: '/tmp/x' });
    await agent.sendFile(again.file_id, 'X2');
    const last = await agent.work();
    expect((await agent.getFile(last.file_id)).text).toBe('a;b');
    await agent.post({ received: last.file_id });
    expect(await agent.work()).toMatchObject({ filename: expect.stringContaining('_-2') });
    const uploads = await eventsOfKind(agent.server, workflowId, 'WorkflowResult');
    expect(uploads).toHaveLength(1);
    expect(await readBlob(agent.server, workflowId, again.file_id)).toBe('X2');
    expect(await resultsOf(agent.server, workflowId)).toEqual([[0, 2]]);
    const log = await logOf(agent.server, workflowId);
    for (const line of ['made', 'ERROR,Invalid "resources.files" reference "".']) {
      expect(log.filter((each) => each === line)).toEqual([line]);
    }
  });
});

describe.each(['1.0', '2.0'])('an existing agent of version %s', (version) => {
  /** Fetches its script first, if it is so old, and posts the result of the step. */
  async function step(agent: ExistingAgent, stdout: readonly string[]): Promise<Loose> {
    let order = await agent.work();
    if (order.kind === 'put') {
      await agent.getFile(order.file_id);
      order = await agent.order();
    }
    await agent.result(stdout);
    return order;
  }

  test('takes a file, and has written it when it asks what to do next', async () => {
    const server = await startServer();
    const agent = await ExistingAgent.register(server, version);
    const workflowId = await server.start(['make', 'test'], FILES);
    await step(agent, ['::put file=data.csv::in.csv', '::upload::/tmp/x']);
    const put = await agent.order();
    expect(put).toMatchObject({
      kind: 'put',
      path: expect.stringMatching(/^[0-9a-f-]{36}\/in\.csv$/),
      root: 'workspace',
    });
    expect(await agent.getFile(put.file_id)).toMatchObject({ code: 200, text: 'a;b' });
    const get = await agent.order();
    expect(get).toMatchObject({ kind: 'get', path: '/tmp/x' });
    await agent.sendFile(get.file_id, 'X');
    await step(agent, ['::download::back']);
    const back = await agent.order();
    expect((await agent.getFile(back.file_id)).text).toBe('X');
    expect(await resultsOf(server, workflowId)).toEqual([[0, 0]]);
    await step(agent, []);
    expect(await ended(server, workflowId)).toBe('DONE');
  });

  // Language 5: `download`: nothing that matches, and what cannot be sent, is told.
  test('that did not fetch a file is told again, and fails its step in the end', async () => {
    const server = await startServer();
    const agent = await ExistingAgent.register(server, version);
    const workflowId = await server.start(['make'], FILES);
    await step(agent, ['::put file=data.csv::in.csv']);
    const put = await agent.order();
    expect((await agent.poll()).code).toBe(204);
    for (let sends = 2; sends <= LIMITS.transferSends; sends += 1) {
      server.clock.advance(LIMITS.transferResendMs);
      expect(await agent.order()).toEqual(put);
    }
    server.clock.advance(LIMITS.transferStartMs + 1);
    server.channel.sweep();
    await step(agent, []);
    expect(await ended(server, workflowId)).toBe('FAILED');
    expect(await logOf(server, workflowId)).toContain(
      'ERROR,Could not send file "data.csv" to remote path "in.csv": the agent did not take it in time.',
    );
  });

  // Language 5: `put`: a file that cannot be sent is told.
  test('tells that it could not write a file before it asks for more', async () => {
    const server = await startServer();
    const agent = await ExistingAgent.register(server, version);
    const workflowId = await server.start(['make'], FILES);
    await step(agent, ['::put file=data.csv::no/in.csv']);
    const put = await agent.order();
    await agent.getFile(put.file_id);
    await agent.post({ details: { error: 'Failed to download file no/in.csv.' } });
    await step(agent, []);
    expect(await ended(server, workflowId)).toBe('FAILED');
    expect(await logOf(server, workflowId)).toContain(
      'ERROR,Could not send file "data.csv" to remote path "no/in.csv": Failed to download file no/in.csv.',
    );
  });
});

describe('an asynchronous agent', () => {
  /** Is known by a poll while its command runs, and says in parts what the step printed. */
  async function asynchronous(stdout: readonly (readonly string[])[], folder = '') {
    const options = folder === '' ? {} : { folder };
    const server = await startServer(options);
    const agent = await ExistingAgent.register(server, '2.0');
    const steps = [{ id: 'pack', run: 'make' }];
    const workflowId = await server.start({ main: { 'runs-on': 'linux', steps } }, FILES);
    await agent.work();
    expect((await agent.poll()).code).toBe(204);
    for (const lines of stdout) await agent.post({ stdout: lines });
    return { server, agent, workflowId };
  }

  const end = { stdout: [], stderr: [], exit_status: 0 };

  // Language 5: Agents that poll while a command runs move files after it.
  test('moves files once its command has ended, though it asked for them before', async () => {
    const { server, agent, workflowId } = await asynchronous([
      ['::put file=data.csv::in/data.csv', 'making'],
      ['::upload type=text/plain::out.txt', '::download file=out.txt::back'],
    ]);
    // It would carry out a transfer at once, and the step may not have written the file yet.
    expect((await agent.poll()).code).toBe(204);
    await agent.post({ ...end, stdout: ['::attach::log.txt'] });
    const variables = await agent.order();
    expect(variables).toMatchObject({ kind: 'get', path: expect.stringContaining('_dynamic_env') });
    await agent.sendFile(variables.file_id, 'export OPENTF_WORKSPACE="/srv/w 1"\nexport A=b\n');
    const put = await agent.order();
    expect(put).toMatchObject({ kind: 'put', path: '/srv/w 1/in/data.csv', root: 'workspace' });
    expect(await agent.getFile(put.file_id)).toMatchObject({ code: 200, text: 'a;b' });
    const upload = await agent.order();
    expect(upload).toMatchObject({ kind: 'get', path: '/srv/w 1/out.txt' });
    await agent.sendFile(upload.file_id, 'O');
    const attach = await agent.order();
    expect(attach).toMatchObject({ kind: 'get', path: '/srv/w 1/log.txt' });
    expect(await resultsOf(server, workflowId)).toEqual([]);
    await agent.sendFile(attach.file_id, 'L');
    // A step cannot download its own upload, so the release follows at once.
    expect(await agent.order()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
    await agent.post(end);
    expect(await ended(server, workflowId)).toBe('FAILED');
    const log = await logOf(server, workflowId);
    expect(log).toContain('making');
    expect(log).toContain('ERROR,No artifact matching requested name/pattern found.');
    const [uploaded] = await eventsOfKind(server, workflowId, 'WorkflowResult');
    expect(uploaded?.attachments).toEqual([expect.stringMatching(/_WR_out\.txt$/)]);
    expect(await readBlob(server, workflowId, upload.file_id)).toBe('O');
    const [, result] = await eventsOfKind(server, workflowId, 'ExecutionResult');
    expect(result).toMatchObject({ status: 2, variables: { A: 'b' } });
    expect(result?.attachments).toEqual([expect.stringMatching(/_0_log\.txt$/)]);
  });

  // Language 5: Agents that poll while a command runs move files after it.
  test('has files moved that it asked for before the server was killed', async () => {
    const folder = await dataFolder();
    const lines = ['::put file=data.csv::x', '::upload::/tmp/o'];
    const { server, agent, workflowId } = await asynchronous([lines], folder);
    await server.crash();
    agent.server = await startServer({ folder, clock: server.clock });
    await agent.post(end);
    const variables = await agent.order();
    await agent.sendFile(variables.file_id, '');
    const put = await agent.order();
    expect(put).toMatchObject({ kind: 'put', path: expect.stringMatching(/^[0-9a-f-]{36}\/x$/) });
    await agent.getFile(put.file_id);
    const upload = await agent.order();
    await agent.sendFile(upload.file_id, 'O');
    expect(await agent.order()).toMatchObject({ command: expect.stringContaining('_-2.sh') });
    expect(await resultsOf(agent.server, workflowId)).toEqual([[0, 0]]);
    expect(await eventsOfKind(agent.server, workflowId, 'WorkflowResult')).toHaveLength(1);
  });

  test('moves the files of a step that was told to stop, too', async () => {
    const { server, agent, workflowId } = await asynchronous([['::put file=data.csv::x']]);
    await server.cancel(workflowId);
    expect(await agent.order()).toMatchObject({ kind: 'cancel' });
    await agent.post({ ...end, exit_status: -15 });
    const orders: unknown[] = [];
    for (let order = await agent.order(); order.kind !== 'run'; order = await agent.order()) {
      orders.push(order.kind);
      if (order.kind === 'get') await agent.sendFile(order.file_id, '');
      if (order.kind === 'put') await agent.getFile(order.file_id);
    }
    expect(orders).toEqual(['get', 'put']);
    await agent.post(end);
    expect(await ended(server, workflowId)).toBe('FAILED');
  });
});

describe('an existing agent that says nothing of variables', () => {
  async function collecting(stdout: readonly string[]) {
    const server = await startServer();
    const agent = await ExistingAgent.register(server, '2.0');
    await server.start(['make'], FILES);
    await agent.work();
    await agent.result(stdout, { variables: undefined });
    const variables = await agent.order();
    expect(variables).toMatchObject({ kind: 'get', path: expect.stringContaining('_dynamic_env') });
    return { server, agent, variables };
  }

  test('sends the variables file first, since it tells where the workspace is', async () => {
    const { agent, variables } = await collecting(['::attach::out.txt', '::put file=data.csv::in']);
    await agent.sendFile(variables.file_id, 'export OPENTF_WORKSPACE=/srv/used');
    const get = await agent.order();
    expect(get).toMatchObject({ kind: 'get', path: '/srv/used/out.txt' });
    await agent.sendFile(get.file_id, 'x');
    expect(await agent.order()).toMatchObject({ kind: 'put', path: '/srv/used/in' });
  });

  test('is asked for files below the directory that commands run in if it has none', async () => {
    const { agent } = await collecting(['::attach::out.txt', '::attach::/tmp/x']);
    await agent.post({ details: { error: 'Failed to fetch file.' } });
    const get = await agent.order();
    expect(get.path).toMatch(/^[0-9a-f-]{36}\/out\.txt$/);
    await agent.sendFile(get.file_id, 'x');
    expect(await agent.order()).toMatchObject({ kind: 'get', path: '/tmp/x' });
  });
});
