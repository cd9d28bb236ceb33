/** Jobs that stand for other jobs, on a real server with real agents. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allEvents, datasource, ended, logOf, only, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux', 'node'], name: 'one' });
  await bench.agent(server, { tags: ['linux', 'chrome'], name: 'two' });
});

afterAll(() => bench.close());

/** What the steps printed, in the order in which they ended. */
const outputOf = async (id: string): Promise<readonly string[]> =>
  only(await allEvents(server, id), 'ExecutionResult').flatMap(({ logs }) => logs ?? []);

test('jobs in jobs run like jobs, and are shown as jobs of their own', async () => {
  const id = await start(server, {
    metadata: { name: 'nested' },
    variables: { WHERE: 'workflow' },
    jobs: {
      checks: {
        'runs-on': 'linux',
        variables: { WHERE: 'bundle' },
        jobs: {
          unit: {
            'runs-on': 'node',
            steps: [
              sh('echo "unit in $WHERE"'),
              sh('echo "::set-output name=report::unit.xml"', { id: 'r' }),
            ],
            // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
            outputs: { report: '${{ steps.r.outputs.report }}' },
          },
          browser: { needs: 'unit', 'runs-on': 'chrome', steps: [sh('echo browser')] },
        },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
        outputs: { report: '${{ jobs.unit.outputs.report }}' },
      },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
      after: { needs: 'checks', steps: [sh('echo "got ${{ needs.checks.outputs.report }}"')] },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  expect(await outputOf(id)).toEqual(['unit in bundle', 'browser', 'got unit.xml']);

  const [expansion] = only(await allEvents(server, id), 'GeneratorResult');
  expect(Object.keys(expansion?.jobs ?? {})).toEqual(['unit', 'browser']);
  const jobs = await datasource(server, id, 'jobs', { count: 3 });
  expect(jobs.map(({ uuid, spec }) => [uuid, spec])).toEqual([
    ['unit', { 'runs-on': ['node', 'linux'], variables: { WHERE: 'bundle' } }],
    ['browser', { 'runs-on': ['chrome', 'linux'], variables: { WHERE: 'bundle' } }],
    ['after', { 'runs-on': [], variables: { WHERE: 'workflow' } }],
  ]);
  const tags = await datasource(server, id, 'tags', { count: 3 });
  expect(tags.map(({ metadata, status }) => [metadata, status])).toEqual(
    [
      ['node', 1],
      ['linux', 2],
      ['chrome', 1],
    ].map(([name, jobCount]) => [
      expect.objectContaining({ name }),
      expect.objectContaining({ jobCount }),
    ]),
  );
  const log = await logOf(server, id);
  expect(log).toContain('Running job bundle: "checks"');
  expect(log).toContain('Job "checks" succeeded.');
  expect(log).not.toContain('for job "unit"');
});

test('a failure in a bundle fails it, and the run', async () => {
  const id = await start(server, {
    metadata: { name: 'nested failure', labels: { 'live-executionlog/job-depth': '0' } },
    jobs: {
      checks: {
        'runs-on': 'linux',
        jobs: { bad: { steps: [sh('exit 3')] }, good: { steps: [sh('echo good')] } },
      },
      after: { needs: 'checks', 'runs-on': 'linux', steps: [sh('echo never')] },
    },
  });
  expect(await ended(server, id)).toBe('FAILED');
  expect(await outputOf(id)).toEqual(['good']);
  const log = await logOf(server, id);
  expect(log).toContain('Job "checks" failed: job "bad" failed.');
  expect(log).toContain('for job "good"');
  expect(log).toContain('Job "after" skipped.');
});
