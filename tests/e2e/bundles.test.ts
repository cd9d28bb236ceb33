// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
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

/** Output of the steps, in the order in which they ended. */
const outputOf = async (id: string): Promise<readonly string[]> =>
  only(await allEvents(server, id), 'ExecutionResult').flatMap(({ logs }) => logs ?? []);

// HTTP 2.7: Generated jobs are jobs, with the tags of the job they come from.
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
            outputs: { report: '${{ steps.r.outputs.report }}' },
          },
          browser: { needs: 'unit', 'runs-on': 'chrome', steps: [sh('echo browser')] },
        },
        outputs: { report: '${{ jobs.unit.outputs.report }}' },
      },
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

// Language 1.8: Expansion, with a context `matrix`.
// HTTP 2.7: Generated jobs are jobs, with the tags of the job they come from.
test('a matrix runs a job for each combination, on the environments that they name', async () => {
  const id = await start(server, {
    metadata: { name: 'matrix' },
    jobs: {
      list: {
        'runs-on': 'linux',
        steps: [sh(`echo '::set-output name=sites::["eu", "us"]'`, { id: 's' })],
        outputs: { sites: '${{ steps.s.outputs.sites }}' },
      },
      test: {
        needs: 'list',
        'runs-on': ['linux', '${{ matrix.browser.tag }}'],
        strategy: {
          'max-parallel': 1,
          matrix: {
            site: '${{ fromJSON(needs.list.outputs.sites) }}',
            browser: [{ tag: 'node' }, { tag: 'chrome' }],
            exclude: [{ site: 'us', browser: { tag: 'node' } }],
          },
        },
        variables: { SITE: '${{ matrix.site }}' },
        steps: [sh('echo "$SITE ${{ matrix.browser.tag }}"')],
        outputs: { last: '${{ matrix.site }}' },
      },
      after: { needs: 'test', steps: [sh('echo "${{ needs.test.outputs.last }}"')] },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  expect(await outputOf(id)).toEqual(['eu node', 'eu chrome', 'us chrome', 'us']);
  const jobs = await datasource(server, id, 'jobs', { count: 5 });
  expect(jobs.map(({ uuid, spec }) => [uuid, spec])).toEqual([
    ['list', { 'runs-on': ['linux'], variables: {} }],
    ['test (eu, node)', { 'runs-on': ['linux', 'node'], variables: expect.anything() }],
    ['test (eu, chrome)', { 'runs-on': ['linux', 'chrome'], variables: expect.anything() }],
    ['test (us, chrome)', { 'runs-on': ['linux', 'chrome'], variables: expect.anything() }],
    ['after', { 'runs-on': [], variables: {} }],
  ]);
});

test('jobs in a bundle with a matrix run where its values say so', async () => {
  const id = await start(server, {
    metadata: { name: 'chosen' },
    jobs: {
      systems: {
        'runs-on': 'node',
        strategy: { matrix: { os: ['linux', 'windows'] } },
        jobs: {
          some: {
            if: "matrix.os == 'linux'",
            strategy: { matrix: { version: [1] } },
            steps: [sh('echo "some on ${{ matrix.os }} ${{ matrix.version }}"')],
          },
          others: {
            needs: 'some',
            if: "always() && matrix.os != 'linux'",
            steps: [sh('echo "others on ${{ matrix.os }}"')],
          },
        },
      },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  expect([...(await outputOf(id))].sort()).toEqual(['others on windows', 'some on linux 1']);
});

test('the first job of a matrix that fails stops the others, which may clean up', async () => {
  const runs = bench.path('the-second-one-runs');
  const id = await start(server, {
    metadata: { name: 'fail fast' },
    jobs: {
      test: {
        'runs-on': '${{ matrix.tag }}',
        strategy: { matrix: { tag: ['node', 'chrome'] } },
        steps: [
          sh(`if [ \${{ matrix.tag }} = chrome ]; then touch ${runs}; sleep 600; fi`),
          sh(`until [ -e ${runs} ]; do sleep 0.05; done; exit 3`),
          sh('echo "clean ${{ matrix.tag }}"', { if: 'always()' }),
        ],
      },
    },
  });
  expect(await ended(server, id)).toBe('FAILED');
  expect([...(await outputOf(id))].sort()).toEqual(['clean chrome', 'clean node']);
  const jobs = await datasource(server, id, 'jobs', { count: 2 });
  expect(jobs.map(({ uuid, status }) => [uuid, status])).toEqual(
    expect.arrayContaining([
      ['test (node)', expect.objectContaining({ phase: 'FAILED' })],
      ['test (chrome)', expect.objectContaining({ phase: 'CANCELLED' })],
    ]),
  );
  expect(await logOf(server, id)).toContain(
    'Job "test" stops: job "test (node)" failed (fail-fast).',
  );
});
