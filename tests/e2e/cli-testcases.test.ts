/** `tutti testcases` (clients facts 3.7), over runs that really were. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { datasource, ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { JUNIT_TYPE, reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const CTRF_TYPE = 'application/vnd.opentestfactory.tutti-ctrf+json';

let bench: Workbench;
let server: ServerChild;
let gate: Gate;
/** Ids of runs. They have tests of each outcome, a test that failed twice, a failure, a running job, and a waiting one. */
let runs: Readonly<Record<'mixed' | 'twice' | 'failed' | 'going' | 'waiting', string>>;

const CASES = [
  { name: 'adds', seconds: 0.25 },
  { name: 'ships &lt;all&gt;', seconds: 1, outcome: '<failure message="broke" type="E">there</failure>' },
  { name: 'pays', seconds: 0, outcome: '<error message="no bank"/>' },
  { name: 'left out', seconds: 0, outcome: '<skipped/>' },
]; // biome-ignore format: one line for each case

const PLACED = [
  { name: 'sums[1-2]', seconds: 0.5, outcome: '<failure message="3 is not 4">at cart.test.ts:5:1</failure>' },
  { name: 'sums[3-4]', seconds: 0 },
]; // biome-ignore format: one line for each case

beforeAll(async () => {
  bench = await Workbench.open();
  gate = createGate(bench);
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'] });
  const mixed = await start(server, oneJob('mixed', [reportStep(CASES)]));
  const failed = await start(
    server,
    oneJob('failed', [reportStep(CASES.slice(0, 1)), sh('false')]),
  );
  const twice = await start(server, oneJob('twice', [reportStep(PLACED), reportStep(PLACED)]));
  for (const id of [mixed, twice, failed]) {
    await ended(server, id);
    await workersEnded(server, id);
  }
  const steps = [reportStep(CASES.slice(0, 1)), gate.step];
  const going = await start(server, oneJob('going', steps));
  await datasource(server, going, 'testcases', { count: 1 });
  const waiting = await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }));
  runs = { mixed, twice, failed, going, waiting };
});

afterAll(() => bench.close());

const tutti = (...args: string[]) =>
  runCli(['testcases', '--server', server.url, ...args], {
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token },
  });

test('shows them as a table', async () => {
  const { code, stdout, stderr } = await tutti(runs.mixed, '--timeout', '20');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`NAME               TECHNOLOGY  OUTCOME  DURATION
suite#adds         junit       success  250 ms
suite#ships <all>  junit       failure  1000 ms
suite#pays         junit       error    0 ms
suite#left out     junit       skipped  0 ms

4 test cases: 1 success, 1 failure, 1 error, 1 skipped.
`);
});

test('a table of failed ones has their places and messages', async () => {
  const { code, stdout } = await tutti(runs.twice, '--outcome', 'failure,error');
  expect([code, stdout]).toEqual([
    0,
    `NAME             TECHNOLOGY  OUTCOME  DURATION
suite#sums[1-2]  junit       failure  500 ms
    cart.test.ts:5
      3 is not 4

1 test case: 1 failure.
`,
  ]);
});

test.each(['suite#sums[1-2]', 'sums[1-2]', '*1-2*'])(
  'the name %s shows one in full, with its history',
  async (name) => {
    const { code, stdout, stderr } = await tutti(runs.twice, name);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^suite#sums\[1-2\]\n {2}Outcome: +failure\n {2}History: +new\n {2}Place: +cart\.test\.ts:5\n {2}Job: +main, linux\n/,
    );
    expect(stdout).toMatch(/\nMessage\n {2}3 is not 4\n\nReport\n {2}at cart\.test\.ts:5:1\n/);
    expect(stdout).toMatch(
      /\nExecutions before\n {2}OUTCOME .*\n {2}failure +500 ms .* this run\n$/,
    );
  },
);

test('a name chooses test cases in every form', async () => {
  const { stdout } = await tutti(runs.twice, 'sums[3-4]', '-o', 'json');
  expect(JSON.parse(stdout).details.items).toMatchObject([{ test: { testCaseName: 'sums[3-4]' } }]);
});

test('a name that none has is refused, with similar ones', async () => {
  const { code, stdout, stderr } = await tutti(runs.twice, 'SUMS', '-o', 'json');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(`tutti: No test case has the name "SUMS".
What to do: take one of these: "suite#sums[1-2]", "suite#sums[3-4]".
`);
});

test('a wide table has environments and jobs', async () => {
  const { stdout } = await tutti(runs.mixed, '-o', 'wide');
  expect(stdout).toMatch(/^NAME +TECHNOLOGY +OUTCOME +DURATION +RUNS_ON +JOB +STATE$/m);
  expect(stdout).toMatch(/^suite#adds +junit +success +250 ms +linux +main +new$/m);
});

test.each([
  [['--outcome', 'failure,error'], ['suite#ships <all>', 'suite#pays']],
  [['--scope', "test.outcome == 'skipped'"], ['suite#left out']],
  [['--field-selector', 'test.outcome=success'], ['suite#adds']],
  [['--field-selector', 'test.suiteName=suite', '--outcome', 'success,error'], ['suite#adds', 'suite#pays']],
])('%j chooses %j', async (options, expected) => {
  const { code, stdout } = await tutti(runs.mixed, '-o', 'json', ...options);
  const { items }: { items: readonly { metadata: { name: string } }[] } = JSON.parse(stdout).details;
  expect([code, items.map(({ metadata }) => metadata.name)]).toEqual([0, expected]);
}); // biome-ignore format: one row for each choice

test('JSON and YAML are the document of the server', async () => {
  const answer = await server.call('GET', `/workflows/${runs.mixed}/datasources/testcases`);
  const [json, yaml] = await Promise.all(
    ['json', 'yaml'].map((form) => tutti(runs.mixed, '-o', form)),
  );
  expect(JSON.parse(json?.stdout ?? '')).toEqual(bodyOf(answer));
  expect(parse(yaml?.stdout ?? '')).toEqual(bodyOf(answer));
});

describe('a list that is not whole is told', () => {
  test('of a run that goes on, with what there is', async () => {
    const { code, stdout, stderr } = await tutti(runs.going, '--timeout', '0');
    expect(code).toBe(101);
    expect(stdout).toContain('1 test case: 1 success.');
    expect(stderr).toContain('The test cases are not all there');
    await gate.open();
    const later = await tutti(runs.going, '--timeout', '20');
    expect([later.code, later.stderr]).toEqual([0, '']);
  });

  test('of a run that failed, which is all there will be', async () => {
    const { code, stdout, stderr } = await tutti(runs.failed, '--timeout', '20');
    expect(code).toBe(0);
    expect(stdout).toContain('1 test case: 1 success.');
    expect(stderr).toBe(
      'tutti: The run failed or was canceled: some of its tests may not have run.\n',
    );
  });

  test('of a run that waits', async () => {
    const { code, stdout, stderr } = await tutti(runs.waiting, '--timeout', '0');
    expect(code).toBe(101);
    expect(stdout).toBe('');
    expect(stderr).toContain('There are no test cases.');
    expect(stderr).toContain('The test cases are not all there');
  });
});

test.each([
  ['junit', JUNIT_TYPE, ['success', 'failure', 'error', 'skipped']],
  ['ctrf', CTRF_TYPE, ['success', 'failure', 'failure', 'skipped']],
])('what is written as %s is a report that a run can attach', async (form, type, outcomes) => {
  const { code, stdout } = await tutti(runs.mixed, '-o', form);
  expect(code).toBe(0);
  const path = `${bench.folder}/again.${form}`;
  await writeFile(path, stdout);
  const attach = sh(`cp '${path}' again; echo "::attach type=${type}::$PWD/again"`);
  const id = await start(server, oneJob(form, [attach], { 'runs-on': 'linux' }));
  await ended(server, id);
  await workersEnded(server, id);
  const cases = await datasource(server, id, 'testcases', { count: 4 });
  expect(cases).toMatchObject(
    ['adds', 'ships <all>', 'pays', 'left out'].map((name, index) => ({
      test: { suiteName: 'suite', testCaseName: name, outcome: outcomes[index] },
    })),
  );
  expect(JSON.stringify(cases)).toContain('"message":"broke"');
  expect(await readFile(path, 'utf8')).toBe(stdout);
}); // biome-ignore format: long lines

test.each([
  ['an unknown run', [UNKNOWN], `Workflow ${UNKNOWN} not found.`],
  ['a name', ['mixed'], 'Not the id of a workflow: "mixed".'],
  ['a scope that is none', ['--scope', 'test.'], '[SCOPE ERROR]'],
  ['a selector that is none', ['--field-selector', '(('], 'Invalid expression "(("'],
  ['an outcome that is none', ['--outcome', 'broken'], '--outcome takes success, failure, error'],
  ['an unknown form', ['-o', 'html'], 'html'],
])('of %s the command ends with 2', async (_what, args, problem) => {
  const { code, stdout, stderr } = await tutti(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(problem);
});

describe('causes of failures', () => {
  const causes = (...args: string[]) =>
    runCli(['causes', '--server', server.url, ...args], {
      cwd: bench.folder,
      env: { TUTTI_TOKEN: server.token },
    });

  test('are a table, the largest first', async () => {
    const rows = await eventually('the history of the run', async () => {
      const { code, stdout } = await causes(runs.mixed);
      expect(code).toBe(0);
      return stdout.includes('this run') ? stdout.split('\n') : null;
    });
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ['FAILURES', 'NEW_SINCE', 'TEST', 'CAUSE'],
      ['1', 'this run', 'suite#ships <all>', 'broke'],
      ['1', 'this run', 'suite#pays', 'no bank'],
      [''],
    ]);
  });

  test('are known over all runs, each with where it failed', async () => {
    const listed = await eventually('the history of the run', async () => {
      const { code, stdout } = await causes('--search', 'BANK', '-o', 'json');
      expect(code).toBe(0);
      const items = JSON.parse(stdout);
      return items.length === 0 ? null : items;
    });
    const [{ metadata, status }] = listed;
    expect([metadata.name, status.failures]).toEqual(['no bank', 1]);
    const table = await causes('--search', 'bank');
    expect(table.stdout).toMatch(/^FAILURES +NEW_SINCE +LAST_SEEN +CAUSE +CAUSE_ID\n1 .*no bank/);
    const none = await causes('--since', '2099-01-01', '--search', 'bank');
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/^No cause fits\. See all of them with: .* causes\n$/),
    ]);
    const shown = await runCli(['causes', 'show', metadata.id, '--server', server.url], {
      cwd: bench.folder,
      env: { TUTTI_TOKEN: server.token },
    });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^Cause: +no bank\nId: +[0-9a-f-]{36}\n/);
    expect(shown.stdout).toMatch(/^1 +suite#pays /m);
    const wrong = await causes(runs.mixed, '--search', 'bank');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('The causes of one workflow are not searched.'),
    ]);
  });

  test('of a run without any are none', async () => {
    const { code, stdout, stderr } = await causes(runs.failed);
    expect([code, stdout, stderr]).toEqual([0, '', 'No test case failed.\n']);
  });
});
