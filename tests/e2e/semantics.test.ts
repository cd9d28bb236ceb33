// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Rows of "What happens when" (docs/reference/what-happens-when.md) with a real agent; all of them are held against the core alone. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { allEvents, ended, type Manifest, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'one' });
  await bench.agent(server, { tags: ['linux'], name: 'two' });
});

afterAll(() => bench.close());

/** Starts jobs, with their results as outputs of the workflow. */
function startJobs(jobs: Readonly<Record<string, Manifest>>, more: Manifest = {}): Promise<string> {
  const names = Object.keys(jobs);
  const outputs = Object.fromEntries(names.map((name) => [name, `\${{ jobs.${name}.result }}`]));
  return start(server, { metadata: { name: 'semantics' }, jobs, outputs, ...more });
}

/** The end of the run: results of its jobs, and their output. */
async function endOf(id: string) {
  const status = await ended(server, id);
  const events = await allEvents(server, id);
  const end = only(events, 'WorkflowCompleted')[0] ?? only(events, 'WorkflowCanceled')[0];
  const printed = only(events, 'ExecutionResult').flatMap(({ logs }) => logs ?? []);
  return { status, jobs: end?.outputs, printed };
}

const job = (steps: readonly Manifest[], more: Manifest = {}): Manifest => ({
  'runs-on': 'linux',
  steps,
  ...more,
});

// Language 1.7: `continue-on-error` of a step: the outcome is a failure, the conclusion a success.
test('A step fails that has continue-on-error', async () => {
  const steps = [
    sh('exit 3', { id: 's', 'continue-on-error': true }),
    sh('echo "${{ steps.s.outcome }} ${{ steps.s.conclusion }}"'),
    sh('echo never', { if: 'failure()' }),
  ];
  expect(await endOf(await startJobs({ a: job(steps) }))).toEqual({
    status: 'DONE',
    jobs: { a: 'success' },
    printed: ['failure success'],
  });
});

test('A needed job failed, and the if is failure() or always()', async () => {
  const jobs = {
    a: job([sh('exit 3')]),
    b: job([sh('echo b')], { needs: 'a', if: 'failure()' }),
    c: job([sh('echo c')], { needs: ['a', 'b'], if: 'always()' }),
    d: job([sh('echo d')], { needs: 'a', if: '1 == 1' }),
  };
  expect(await endOf(await startJobs(jobs))).toEqual({
    status: 'FAILED',
    jobs: { a: 'failure', b: 'success', c: 'success', d: 'skipped' },
    printed: ['b', 'c'],
  });
});

test('A job takes longer than its timeout-minutes', async () => {
  const steps = [
    sh('sleep 600'),
    sh('echo never'),
    sh('echo clean', { if: 'always()' }),
    sh('echo never', { if: 'failure()' }),
  ];
  const jobs = {
    a: job(steps, { 'timeout-minutes': 0.1 }),
    b: job([sh('echo b')], { needs: 'a' }),
  };
  expect(await endOf(await startJobs(jobs))).toEqual({
    status: 'FAILED',
    jobs: { a: 'cancelled', b: 'skipped' },
    printed: ['clean'],
  });
});

test('The run is cancelled, and the if of a job that waits is always() or cancelled()', async () => {
  const begun = bench.path('cancelled-begun');
  const jobs = {
    a: job([sh(`touch ${begun}; sleep 600`), sh('echo a', { if: 'always()' })]),
    b: job([sh('echo b')], { needs: 'a', if: 'always()' }),
    c: job([sh('echo c')], { needs: 'a' }),
  };
  const id = await startJobs(jobs);
  // A command that is stopped before it began leaves it to the next one to say where the workspace is.
  await eventually('the first command', async () => existsSync(begun));
  await server.call('DELETE', `/workflows/${id}`);
  expect(await endOf(id)).toEqual({
    status: 'FAILED',
    jobs: { a: 'cancelled', b: 'success', c: 'cancelled' },
    printed: ['a', 'b'],
  });
});

test('A bundle takes longer than its timeout-minutes', async () => {
  const inside = job([sh('sleep 600'), sh('echo clean', { if: 'always()' })]);
  const jobs = {
    a: { 'timeout-minutes': 0.1, jobs: { b: inside, c: job([sh('echo never')], { needs: 'b' }) } },
    d: job([sh('echo d')], { needs: 'a', if: 'always()' }),
  };
  expect(await endOf(await startJobs(jobs))).toEqual({
    status: 'FAILED',
    jobs: { a: 'cancelled', d: 'success' },
    printed: ['clean', 'd'],
  });
});

test('A job fails, and the workflow has fail-fast', async () => {
  const begun = bench.path('fail-fast-begun');
  const jobs = {
    a: job([sh(`until [ -e ${begun} ]; do sleep 0.05; done; exit 3`)]),
    b: job([sh(`touch ${begun}; sleep 600`), sh('echo clean', { if: 'cancelled()' })]),
    c: job([sh('echo never')], { needs: 'b' }),
  };
  expect(await endOf(await startJobs(jobs, { strategy: { 'fail-fast': true } }))).toEqual({
    status: 'FAILED',
    jobs: { a: 'failure', b: 'cancelled', c: 'cancelled' },
    printed: ['clean'],
  });
});
