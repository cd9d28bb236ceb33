/** The functions that every server has, and the test cases found in reports. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { datasource, ended, logTexts, type Manifest, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const TESTS = `
import test from 'node:test';
import assert from 'node:assert';
test('adds', () => assert.equal(1 + 1, 2));
test('subtracts', () => assert.equal(2 - 1, 0, 'two less one is one'));
test('divides', { skip: true }, () => {});
`;

let bench: Workbench;
let server: ServerChild;
let repository: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
  repository = await createRepository(bench.path('sums'));
});

afterAll(() => bench.close());

async function createRepository(folder: string): Promise<string> {
  await mkdir(join(folder, 'test'), { recursive: true });
  await writeFile(join(folder, 'test', 'sums.test.mjs'), TESTS);
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  for (const words of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    [...author, 'commit', '--quiet', '--message=sums'],
  ]) {
    execFileSync('git', words, { cwd: folder });
  }
  return folder;
}

const outcomesOf = (cases: readonly Manifest[]) =>
  cases
    .map(({ metadata, status }) => `${(metadata as Manifest).name} ${status}`)
    .map((text) => text.replace(/^.*#/, ''))
    .sort();

// HTTP 2.6: `test` tells environment, function, technology, job, reference and outcome.
test('a repository is checked out, its tests run, and its test cases are told', async () => {
  const checkout = {
    uses: 'actions/checkout@v2',
    with: { repository: `file://${repository}`, path: 'sums' },
  };
  const tests = {
    uses: 'node-test/execute@v1',
    with: { test: 'test/sums.test.mjs' },
    'working-directory': 'sums',
    'continue-on-error': true,
  };
  const id = await start(server, oneJob('sums', [checkout, tests]));
  expect(await ended(server, id)).toBe('DONE');
  const cases = await datasource(server, id, 'testcases', { count: 3 });
  expect(outcomesOf(cases)).toEqual(['adds SUCCESS', 'divides SKIPPED', 'subtracts FAILURE']);
  expect(cases.find(({ status }) => status === 'FAILURE')).toMatchObject({
    apiVersion: 'testing.opentestfactory.org/v1alpha1',
    kind: 'TestCase',
    metadata: { workflow_id: id, namespace: 'default' },
    test: {
      uses: 'node-test/execute@v1',
      technology: 'node-test',
      job: 'main',
      'runs-on': ['linux'],
      test: 'test/sums.test.mjs',
      outcome: 'failure',
      managed: false,
    },
    execution: { failureDetails: { message: expect.stringContaining('two less one is one') } },
  });

  const scope = `scope=${encodeURIComponent("test.outcome == 'failure'")}`;
  const failed = await datasource(server, id, 'testcases', { count: 1, query: scope });
  expect(outcomesOf(failed)).toEqual(['subtracts FAILURE']);
  const [job] = await datasource(server, id, 'jobs', { count: 1, query: scope });
  expect(job).toMatchObject({
    kind: 'Job',
    metadata: { name: 'main' },
    status: { testCaseCount: 1, testCaseStatusSummary: { failure: 1, success: 0 } },
  });
  const [tag] = await datasource(server, id, 'tags', { count: 1 });
  expect(tag).toMatchObject({ metadata: { name: 'linux' }, status: { testCaseCount: 3 } });
});

test('a report that a script attaches gives test cases too', async () => {
  const report = `<testsuites><testsuite name="suite" tests="2">
    <testcase classname="suite" name="good" time="0.25"/>
    <testcase classname="suite" name="bad"><error message="broke" type="E">there</error></testcase>
  </testsuite></testsuites>`;
  const type = 'application/vnd.opentestfactory.junit-surefire+xml';
  const steps = [
    { uses: 'actions/create-file@v1', with: { data: report, format: 'txt', path: 'report.xml' } },
    sh(`echo "::attach type=${type}::$PWD/report.xml"`),
  ];
  const id = await start(server, oneJob('attached', steps));
  expect(await ended(server, id)).toBe('DONE');
  const cases = await datasource(server, id, 'testcases', { count: 2 });
  expect(outcomesOf(cases)).toEqual(['bad ERROR', 'good SUCCESS']);
  expect(cases.find(({ status }) => status === 'SUCCESS')).toMatchObject({
    test: { technology: 'junit' },
    execution: { duration: 250 },
  });
  const answer = await eventually('the end of the workers', async () => {
    const workers = await server.call('GET', `/workflows/${id}/workers`);
    return detailsOf(workers).status === 'IDLE' ? workers : null;
  });
  expect(detailsOf(answer)).toEqual({ items: [], status: 'IDLE' });
});

test('files are created from data in the workflow', async () => {
  const create = (format: string, path: string, data: unknown) => ({
    uses: 'actions/create-file@v1',
    with: { format, path, data },
  });
  const steps = [
    create('json', 'a.json', { say: `it's "\${{ variables.WHO }}"`, list: [1, true] }),
    create('ini', 'b.ini', { global: { KEY: 'value $HOME' } }),
    sh('cat a.json b.ini'),
  ];
  const id = await start(server, { ...oneJob('files', steps), variables: { WHO: 'Ada' } });
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts.slice(texts.indexOf('{'), texts.indexOf('}') + 1).join('')).toContain(
    `"say": "it's \\"Ada\\""`,
  );
  expect(texts).toEqual(expect.arrayContaining(['[global]', 'KEY = value $HOME']));
});

test('a wrong input ends the workflow with a sentence that names it', async () => {
  const step = { uses: 'actions/create-file@v1', with: { format: 'docx', path: 'x', data: 'y' } };
  const id = await start(server, oneJob('wrong', [step]));
  expect(await ended(server, id)).toBe('FAILED');
  expect((await logTexts(server, id)).join('\n')).toMatch(/Input "format": Invalid value "docx"/);
});
