/** Cancelling, time limits, and failures that do not count. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { allEvents, ended, logged, logTexts, oneJob, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(() => bench.close());

/** A process that ended may stay in the table until its parent asks how; that is not alive. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout.trim());
}

/** The processes that a step wrote down. */
async function pidsIn(file: string, count: number): Promise<readonly number[]> {
  return eventually(`${count} process ids`, async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    const pids = text.split('\n').filter(Boolean).map(Number);
    return pids.length >= count ? pids : null;
  });
}

// HTTP 3.2: Cancelling takes its time, and is possible after the end.
test('cancelling ends the whole process group, and the workflow is FAILED as cancelled', async () => {
  const file = bench.path('pids');
  const run = `sleep 300 & echo $! >> '${file}'; (sleep 300 & echo $! >> '${file}'; wait); wait`;
  const steps = [sh(run), sh('echo unreached'), sh('echo clean up', { if: 'always()' })];
  const id = await start(server, oneJob('canceled', steps));
  const pids = await pidsIn(file, 2);
  expect(pids.every(isAlive)).toBe(true);

  const query = 'reason=no+longer+wanted&source=a%20test';
  const answer = await server.call('DELETE', `/workflows/${id}`, { query });
  expect(answer.code).toBe(200);
  expect(bodyOf(answer)).toMatchObject({ message: `Workflow ${id} canceled.`, details: null });

  await eventually('the end of the processes', () => !pids.some(isAlive), { withinMs: 5_000 });
  expect(await ended(server, id)).toBe('FAILED');
  const [end] = only(await allEvents(server, id), 'WorkflowCanceled');
  expect(end?.details).toMatchObject({
    status: 'cancelled',
    reason: 'no longer wanted',
    source: 'a test',
  });
  const texts = await logTexts(server, id);
  expect(texts).toContain('clean up');
  expect(texts).not.toContain('unreached');
});

test('a process that ignores SIGTERM is killed', async () => {
  const file = bench.path('pids');
  const run = `trap '' TERM; echo $$ >> '${file}'; while true; do sleep 0.05; done`;
  const id = await start(server, oneJob('stubborn', [sh(run)]));
  const pids = await pidsIn(file, 1);
  await server.call('DELETE', `/workflows/${id}`);
  expect(await ended(server, id)).toBe('FAILED');
  await eventually('the end of the process', () => !pids.some(isAlive));
});

test('a workflow that waits for an environment is cancelled at once', async () => {
  const id = await start(server, oneJob('absent', [sh('true')], { 'runs-on': 'nowhere' }));
  await server.call('DELETE', `/workflows/${id}`);
  expect(await ended(server, id)).toBe('FAILED');
});

// HTTP 3.2: Cancelling takes its time, and is possible after the end.
test('cancelling a finished workflow changes nothing', async () => {
  const id = await start(server, oneJob('finished', [sh('true')]));
  expect(await ended(server, id)).toBe('DONE');
  const before = await allEvents(server, id);
  expect((await server.call('DELETE', `/workflows/${id}`)).code).toBe(200);
  expect(await allEvents(server, id)).toEqual(before);
});

// HTTP 4.7: A dry run stops nothing: 200 while it runs, else 404.
test('a dry run of a cancellation stops nothing', async () => {
  const gate = bench.path('gate');
  const id = await start(
    server,
    oneJob('kept', [sh(`until [ -e '${gate}' ]; do sleep 0.02; done`)]),
  );
  await logged(server, id, 'Running command');
  expect((await server.call('DELETE', `/workflows/${id}`, { query: 'dryRun=' })).code).toBe(200);
  const opener = await bench.agent(server, { tags: ['linux', 'opener'], name: 'opener' });
  const open = await start(
    server,
    oneJob('open', [sh(`touch '${gate}'`)], { 'runs-on': 'opener' }),
  );
  expect(await ended(server, open)).toBe('DONE');
  expect(await ended(server, id)).toBe('DONE');
  await opener.child.kill('SIGTERM');
  expect((await server.call('DELETE', `/workflows/${id}`, { query: 'dryRun' })).code).toBe(404);
});

test.each([
  [
    'step',
    [sh('sleep 300', { 'timeout-minutes': 0.005 })],
    {},
    'Step 1 of job "main" stopped: it ran longer than 300 milliseconds.',
  ],
  ['job', [sh('sleep 300')], { 'timeout-minutes': 0.005 }, 'it ran longer than'],
  // Language 1.7: A step that takes too long is killed.
])('a %s that takes longer than it may fails the workflow', async (what, steps, job, expected) => {
  const id = await start(server, oneJob(`late ${what}`, steps, job));
  expect(await ended(server, id)).toBe('FAILED');
  const [end] = only(await allEvents(server, id), 'WorkflowCanceled');
  expect(end?.details).not.toHaveProperty('status');
  expect((await logTexts(server, id)).join('\n')).toContain(expected);
});

test('a workflow that takes longer than it may is FAILED', async () => {
  const manifest = { ...oneJob('late workflow', [sh('sleep 300')]), 'timeout-minutes': 0.005 };
  const id = await start(server, manifest);
  expect(await ended(server, id)).toBe('FAILED');
});

test('under continue-on-error a failure does not count', async () => {
  const id = await start(server, {
    metadata: { name: 'tolerant' },
    jobs: {
      tolerant: {
        'runs-on': 'linux',
        steps: [
          sh('exit 1', { id: 'flaky', 'continue-on-error': true }),
          sh(`echo \${{ steps.flaky.outcome }}, \${{ steps.flaky.conclusion }}`),
        ],
      },
      unimportant: { 'runs-on': 'linux', 'continue-on-error': true, steps: [sh('exit 1')] },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toContain('failure, success');
});
