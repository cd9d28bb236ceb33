/** Which job gets which environment, and what is told of a job that waits. */
import { generateKeyPairSync } from 'node:crypto';
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  allEvents,
  ended,
  logged,
  logOf,
  logTexts,
  oneJob,
  only,
  sh,
  start,
  statusOf,
} from '../support/runs.ts';
import { signedToken } from '../support/tokens.ts';
import { type AgentChild, type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

/** Its tokens reach the namespace "ours" alone. */
const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let bench: Workbench;
let server: ServerChild;
let fast: AgentChild;
let slow: AgentChild;

beforeAll(async () => {
  bench = await Workbench.open();
  const path = bench.path('ours.pem');
  await writeFile(path, ours.publicKey.export({ type: 'spki', format: 'pem' }));
  server = await bench.server({
    config: { auth: { trustedKeys: [{ path, namespaces: 'ours' }] } },
  });
  [fast, slow] = await Promise.all([
    bench.agent(server, { tags: ['linux', 'fast'], name: 'fast' }),
    bench.agent(server, { tags: ['linux', 'slow'], name: 'slow' }),
  ]);
});

afterAll(() => bench.close());

// Language 3.2: An offering channel has all tags and serves the namespace.
test('each job runs on an agent that has all of its tags', async () => {
  const where = [sh('pwd -P')];
  const id = await start(server, {
    metadata: { name: 'tags' },
    jobs: {
      one: { 'runs-on': ['linux', 'fast'], steps: where },
      two: { 'runs-on': ['slow', 'linux'], steps: where },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  const directories = (await logTexts(server, id)).filter((text) => text.startsWith('/')).sort();
  const roots = await Promise.all([fast, slow].map(({ workspaceDir }) => realpath(workspaceDir)));
  expect(directories).toHaveLength(2);
  expect(directories[0]?.startsWith(`${roots[0]}/`)).toBe(true);
  expect(directories[1]?.startsWith(`${roots[1]}/`)).toBe(true);
});

test('a job that no environment can run says so, and runs as soon as one can', async () => {
  const id = await start(
    server,
    oneJob('rare', [sh('echo found')], { 'runs-on': ['linux', 'rare'] }),
  );
  const log = await logged(server, id, 'waits:');
  expect(log).toContain(
    'Job "main" waits: no environment with tag "rare" in namespace "default" exists.',
  );
  await bench.agent(server, { tags: ['linux', 'rare'], name: 'rare' });
  expect(await ended(server, id)).toBe('DONE');
});

test('a job that waits for one of its own workflow is told its name', async () => {
  const steps = [sh('sleep 300')];
  const id = await start(server, {
    metadata: { name: 'own' },
    jobs: { one: { 'runs-on': 'slow', steps }, two: { 'runs-on': 'slow', steps } },
  });
  expect(await logged(server, id, 'waits:')).toMatch(
    /Job "(?:one" waits: .* with job "two|two" waits: .* with job "one)" of this workflow\)\./,
  );
  await server.call('DELETE', `/workflows/${id}`);
  expect(await ended(server, id)).toBe('FAILED');
});

test('a job that waits for a busy environment names what keeps it', async () => {
  const holder = await start(server, oneJob('holder', [sh('sleep 300')], { 'runs-on': 'slow' }));
  await logged(server, holder, 'Running command');
  const id = await start(server, oneJob('waiter', [sh('echo mine')], { 'runs-on': 'slow' }));
  expect(await logged(server, id, 'waits:')).toMatch(
    new RegExp(
      `the only environment with tag "slow" in namespace "default" is busy \\(slow with job [0-9a-f-]+ of workflow ${holder}\\)`,
    ),
  );
  const [notice] = only(await allEvents(server, id), 'Notification').filter(
    ({ spec }) => Object(spec)['tutti.waiting'] !== undefined,
  );
  expect(Object(notice?.spec)['tutti.waiting']).toMatchObject({ reason: 'busy', matching: 1 });
  await server.call('DELETE', `/workflows/${holder}`);
  expect(await ended(server, id)).toBe('DONE');
});

// Language 1.8: `max-parallel` of the workflow bounds its jobs.
test('max-parallel bounds the jobs of a workflow that run at one time', async () => {
  const file = bench.path('parallel');
  const step = sh(`echo in >> '${file}'; sleep 0.1; echo out >> '${file}'`);
  const id = await start(server, {
    metadata: { name: 'bounded' },
    strategy: { 'max-parallel': 1 },
    jobs: Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, { 'runs-on': 'linux', steps: [step] }]),
    ),
  });
  expect(await ended(server, id)).toBe('DONE');
  const lines = await logTexts(server, id);
  expect(lines.filter((line) => line.startsWith('Job "'))).toContain('Job "c" succeeded.');
  const shown = await start(server, oneJob('show', [sh(`cat '${file}'`)]));
  expect(await ended(server, shown)).toBe('DONE');
  const order = (await logTexts(server, shown)).filter((line) => line === 'in' || line === 'out');
  expect(order).toEqual(['in', 'out', 'in', 'out', 'in', 'out']);
});

test('workflows of one concurrency group run one after the other', async () => {
  const group = { concurrency: { group: 'the database' } };
  const first = await start(server, { ...oneJob('first', [sh('sleep 300')]), ...group });
  await logged(server, first, 'Running command');
  const second = await start(server, { ...oneJob('second', [sh('true')]), ...group });
  expect(await logged(server, second, 'waits:')).toContain(
    `concurrency group "the database" is held by workflow ${first}`,
  );
  await server.call('DELETE', `/workflows/${first}`);
  expect(await ended(server, second)).toBe('DONE');
});

test('a workflow that takes a group over ends the one that holds it, also across a server that is killed', async () => {
  const other = await bench.server();
  const alone = await bench.agent(other, { tags: ['linux'], name: 'alone' });
  const group = { concurrency: { group: 'staging', 'cancel-in-progress': true } };
  const cleaning = oneJob('old', [
    sh('sleep 300'),
    sh('echo cleaning; touch begun; while [ ! -e ../go ]; do sleep 0.1; done', { if: 'always()' }),
  ]);
  const old = await start(other, { ...cleaning, ...group });
  await logged(other, old, 'Running command: sleep');
  const waiting = await start(other, { ...oneJob('waiting', [sh('true')]), ...group });
  await logged(other, old, '] cleaning');
  const newest = await start(other, { ...oneJob('new', [sh('echo deployed')]), ...group });
  expect(await ended(other, waiting)).toBe('FAILED');

  await other.child.kill('SIGKILL');
  const { port } = new URL(other.url);
  const again = await bench.server({ dataDir: other.dataDir, port: Number(port) });
  expect(await statusOf(again, newest)).toBe('PENDING');
  await writeFile(join(alone.workspaceDir, 'go'), '');
  expect(await ended(again, newest)).toBe('DONE');
  expect(await ended(again, old)).toBe('FAILED');
  const [end] = only(await allEvents(again, old), 'WorkflowCanceled');
  expect(end?.details).toEqual({
    reason: `Concurrency group "staging" was taken over by workflow ${waiting}.`,
    source: 'arranger',
    status: 'cancelled',
  });
  expect((await logTexts(again, waiting)).join('\n')).toContain(
    `Concurrency group "staging" was taken over by workflow ${newest}.`,
  );
});

// Language 3.2: An offering channel has all tags and serves the namespace.
// HTTP 2.2: `namespaces` is `*`, one name, or names with commas.
test('an agent of one namespace runs no job of another', async () => {
  const manifest = oneJob('private', [sh('echo ours')]);
  const id = await start(server, manifest, 'namespace=team');
  expect(await logged(server, id, 'waits:')).toContain(
    'no environment with tag "linux" in namespace "team" exists',
  );
  await bench.agent(server, {
    tags: ['linux', 'private'],
    name: 'private',
    namespaces: 'other,team',
  });
  expect(await ended(server, id)).toBe('DONE');
  const query = 'fieldSelector=metadata.namespace==team';
  expect(itemsOf(await server.call('GET', '/workflows', { query }))).toEqual([id]);
});

// Language 3.2: A channel runs one job at a time. Its phases are `IDLE`, `PENDING`, `BUSY`, `IDLE` and `UNREACHABLE`.
// HTTP 2.3: The job of a channel is an id or null.
// HTTP 3.1: Channels are IDLE, PENDING, BUSY or UNREACHABLE.
test('channels are listed with what they do', async () => {
  const holder = await start(server, oneJob('holder', [sh('sleep 300')], { 'runs-on': 'fast' }));
  await logged(server, holder, 'Running command');
  const query = `fieldSelector=${encodeURIComponent('(fast) in spec.tags,status.phase!=IDLE')}`;
  const [channel, ...others] = itemsOf(await server.call('GET', '/channels', { query }));
  expect(others).toEqual([]);
  expect(channel).toMatchObject({
    kind: 'Channel',
    metadata: { name: 'fast', namespaces: 'default' },
    status: { phase: 'BUSY', currentJobID: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  await server.call('DELETE', `/workflows/${holder}`);
  await ended(server, holder);
});

test.each(['theirs,ours', '*'])(
  // HTTP 1: A token of one namespace sees nothing of others.
  '5: a token of one namespace is not told which job of others keeps the environment of "%s" that its own job waits for',
  async (namespaces) => {
    const tags = ['linux', 'shared'];
    const agent = await bench.agent(server, { tags, name: 'shared', namespaces });
    const work = oneJob('work', [sh('sleep 300')], { 'runs-on': 'shared' });
    const theirs = await start(server, work, 'namespace=theirs');
    const [begun] = await eventually('the job of others has its environment', async () => {
      const results = only(await allEvents(server, theirs), 'ExecutionResult');
      return results.length > 0 && results;
    });
    const claims = { iss: 'an authority', sub: 'somebody' };
    const token = signedToken(ours.privateKey, { header: { alg: 'ES256' }, claims });
    const reader = createApi(server.url, token);
    const id = await start(reader, work, 'namespace=ours');
    expect(await logged(reader, id, 'waits:')).toContain(
      'Job "main" waits: the only environment with tag "shared" in namespace "ours" is busy (shared).',
    );
    const events = await allEvents(reader, id);
    expect(
      only(events, 'Notification').flatMap(({ spec }) => Object(spec)['tutti.waiting'] ?? []),
    ).toMatchObject([
      { reason: 'busy', environments: [{ name: 'shared', workflow_id: null, job_id: null }] },
    ]);
    const shown = `${JSON.stringify(events)}${await logOf(reader, id)}`;
    for (const secret of [theirs, begun?.metadata.job_id]) expect(shown).not.toContain(secret);
    for (const run of [id, theirs]) await server.call('DELETE', `/workflows/${run}`);
    await ended(server, theirs);
    await server.call('DELETE', `/agents/${agent.id}`);
    await agent.child.kill('SIGTERM');
  },
);

test('a follower who may see an environment of another namespace learns of it, and nobody else', async () => {
  await bench.agent(server, { tags: ['gpu'], name: 'graphics', namespaces: 'lab' });
  const file = bench.path('gpu.json');
  const manifest = oneJob('gpu', [sh('true')], { 'runs-on': 'gpu' });
  await writeFile(file, JSON.stringify(manifest));
  const follow = (token: string) =>
    startCli(['run', file, '--wait', '--namespace', 'ours', '--server', server.url], {
      cwd: bench.folder,
      env: { TUTTI_TOKEN: token },
    });
  const admin = follow(server.token);
  await admin.said(
    /^Environment "graphics" has this tag, in namespace "lab": run the workflow there with --namespace lab, or start that agent with --namespaces ours, too\.$/m,
  );
  const jobs = await runCli(['jobs', '--server', server.url], {
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token },
  });
  expect(jobs.stdout).toContain('exists. Environment "graphics" has this tag, in namespace "lab"');
  admin.kill('SIGINT');
  expect(await admin.ended).toBe(1);
  const claims = { iss: 'an authority', sub: 'somebody' };
  const other = follow(signedToken(ours.privateKey, { header: { alg: 'ES256' }, claims }));
  await other.said(/no environment with tag "gpu" in namespace "ours" exists/);
  other.kill('SIGINT');
  expect(await other.ended).toBe(1);
  expect(other.stdout()).not.toContain('lab');
});
