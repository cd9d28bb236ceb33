/** `tutti logs`, `tutti jobs`, `tutti workers` and `tutti tags`, over runs that really were. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { ended, logged, sh, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

let bench: Workbench;
let server: ServerChild;
let gate: Gate;
/** Ids of runs: one that is over, one that goes on until the gate is open. */
let runs: Readonly<Record<'over' | 'going', string>>;

const job = (steps: readonly object[], more: object = {}) => ({
  'runs-on': 'linux',
  steps,
  ...more,
});
const linux = { 'runs-on': 'linux' };

beforeAll(async () => {
  bench = await Workbench.open();
  gate = createGate(bench, 'held', 'let go');
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'] });
  const over = await start(server, {
    metadata: { name: 'over' },
    jobs: {
      unit: job([sh('echo Alpha; echo beta; echo gamma', { name: 'greet' }), sh('seq 1 5')]),
      browsers: { ...linux, needs: 'unit', strategy: { matrix: { browser: ['firefox', 'chrome'] } }, steps: [sh('printf "\\033[2Jopened\\n"')] },
      tests: job([reportStep([{ name: 'adds', seconds: 1 }, { name: 'ships', seconds: 1, outcome: '<failure/>' }])], { needs: 'browsers' }),
      never: job([sh('true')], { needs: 'tests', if: "variables.X == 'y'", variables: { X: 'n' } }),
    },
  });
  await ended(server, over);
  await workersEnded(server, over);
  const going = await start(server, {
    metadata: { name: 'going' },
    jobs: { held: job([gate.step]), lost: job([sh('true')], { 'runs-on': ['linux', 'mainframe'] }), later: job([sh('true')], { needs: 'held' }) },
  });
  await logged(server, going, '"lost" waits');
  await logged(server, going, 'held');
  runs = { over, going };
}); // biome-ignore format: one line for each job

afterAll(() => bench.close());

const context = () => ({
  cwd: bench.folder,
  env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url },
});
const tutti = (...args: string[]) => runCli(args, context());
const logs = async (...args: string[]) => (await tutti('logs', runs.over, ...args)).stdout;

describe('the log', () => {
  test('has the names of jobs in front of their lines', async () => {
    const { code, stdout, stderr } = await tutti('logs', runs.over);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 2)).toEqual(['Workflow over', '(running in namespace "default")']);
    expect(lines).toContain('unit | beta');
    expect(lines).toContain('browsers (firefox) | \u001b[2Jopened');
    expect(lines).toContain('Workflow completed successfully.');
  });

  test.each([
    [['--job', 'unit', '--grep', '^[12]$'], '1\n2\n'],
    [['--job', 'browsers*', '--grep', 'opened'], 'browsers (firefox) | \u001b[2Jopened\nbrowsers (chrome) | \u001b[2Jopened\n'],
    [['--grep', '^alpha$'], ''],
    [['--grep', '^alpha$', '-i'], 'unit | Alpha\n'],
    [['--grep', '^beta$', '-C', '1'], 'unit | Alpha\nunit | beta\nunit | gamma\n'],
    [['--grep', '^(Alpha|[15])$', '-C', '1', '--job', 'unit'], expect.stringMatching(/^Running command: echo.*\nAlpha\nbeta\n--\n.*\n1\n2\n--\n4\n5\n/)],
    [['--grep', '^[1-5]$', '--tail', '2'], 'unit | 4\nunit | 5\n'],
    [['--step', 'greet', '--job', 'unit'], 'Running command: echo Alpha; echo beta; echo gamma\nAlpha\nbeta\ngamma\n'],
    [['--step', 'seq*', '--job', 'unit', '--grep', '^3'], '3\n'],
    [['--tail', '1'], 'Workflow completed successfully.\n'],
    [['--tail', '1', '-f'], 'Workflow completed successfully.\n'],
    [['--tail', '1', '-f', '--timeout', '0'], 'Workflow completed successfully.\n'],
    [['--since', '2999-01-01'], ''],
  ])('%j: %s', async (args, expected) => {
    expect(await logs(...args)).toEqual(expected);
  }); // biome-ignore format: one line for each choice

  test.each([
    ['logs', '--tail', '1', '-f'],
    ['status', '--log', '--follow'],
    ['workflows', 'events', '-f', '--kind', 'WorkflowCompleted'],
    ['jobs', '--watch'],
  ])('of a run that is over is shown, however short the time is: %j', async (...args) => {
    const { code, stdout, stderr } = await tutti(...args, '--timeout', '0', runs.over);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toBe('');
  });

  test.each([
    ['logs', '--tail', '1', '-f'],
    ['status', '--log', '--follow'],
  ])('of a run that goes on is told to be not over: %j', async (...args) => {
    const { code, stderr } = await tutti(...args, '--timeout', '0', runs.going);
    expect([code, stderr.split('\n')[0]]).toEqual([
      101,
      `tutti: Workflow ${runs.going} is not over after 0.0 s, and goes on.`,
    ]);
  });

  test('since a time has what was said from then on, and times where they are asked for', async () => {
    const timed = await logs('--timestamps', '--job', 'tests');
    const [first = '', second = ''] = timed
      .split('\n')
      .filter((line) => /Running|Releasing/.test(line));
    expect(second).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6} Releasing/);
    expect(timed).toContain(first);
    const since = await logs(
      '--timestamps',
      '--job',
      'tests',
      '--since',
      second.split(' ')[0] ?? '',
    );
    expect(since.split('\n')[0]).toMatch(/Job "tests" succeeded|Releasing/);
    expect(since).not.toContain(first);
  });

  test('is told as documents, too', async () => {
    const [line] = (await logs('-o', 'json', '--grep', '^beta$')).split('\n');
    expect(JSON.parse(line ?? '')).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-/),
      job: 'unit',
      job_id: expect.stringMatching(/^[\da-f-]{36}$/),
      text: 'beta',
    });
  });

  test('of jobs that are not there is empty, and it is said which there are', async () => {
    const { code, stdout, stderr } = await tutti('logs', runs.over, '--job', 'unti');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      'No job of the workflow is called so; there are: unit, browsers (firefox), browsers (chrome), tests, browsers.\n',
    );
  });

  test.each([
    [['-C', '1'], '-i and -C go with --grep.'],
    [
      ['--step', 'x', '--tail', '1'],
      '--step and --tail do not go together: the log of a step is made from its beginning.',
    ],
    [
      ['--grep', '(a'],
      'Invalid pattern "(a": the group that begins here has no end at position 1.',
    ],
    [['--since', 'noon'], 'Not a time: "noon".'],
    [['--tail', 'many'], 'Not a number of things: "many".'],
  ])('wrong use is told: %j', async (args, message) => {
    const { code, stderr } = await tutti('logs', runs.over, ...args);
    expect([code, stderr.split('\n')[0]]).toEqual([2, `tutti: ${message}`]);
  });
});

describe('jobs', () => {
  test('that ended have their times and tests, and those that were left out are told', async () => {
    const { code, stdout, stderr } = await tutti('jobs', runs.over);
    expect([code, stderr]).toEqual([0, '']);
    const [titles, ...rows] = stdout.trimEnd().split('\n');
    expect(titles).toMatch(/^NAME +STATUS +STARTED +DURATION +RUNS_ON +TESTS +REASON$/);
    expect(rows).toEqual([
      expect.stringMatching(/^unit +SUCCEEDED +\d{4}-\S+ +\d+\.\d s +linux +<none> +<none>$/),
      expect.stringMatching(/^browsers \(firefox\) +SUCCEEDED .* linux +<none> +<none>$/),
      expect.stringMatching(/^browsers \(chrome\) +SUCCEEDED .* linux +<none> +<none>$/),
      expect.stringMatching(/^tests +SUCCEEDED .* linux +2, 1 failed +<none>$/),
      expect.stringMatching(/^never +SKIPPED +<none> +<none> +linux +<none> +\S/),
    ]);
    const { stdout: names } = await tutti('jobs', runs.over, '-o', 'name');
    expect(names.split('\n')[1]).toMatch(/^browsers\/./);
  });

  test('take as long as the run says of them', async () => {
    const rowsOf = (text: string) => text.split('\n').map((row) => row.trim().split(/ {2,}/));
    const actual = rowsOf((await tutti('status', runs.over)).stdout);
    const ran = rowsOf((await tutti('jobs', runs.over)).stdout).slice(1, 5);
    expect(ran.map(([name, , , time]) => [name, time])).toEqual(
      ran.map(([name]) => [name, actual.find(([first]) => first === name)?.[2]]),
    );
  });

  test('in a bundle have names of their own, whether they ran or not', async () => {
    const jobs = {
      ran: { 'runs-on': 'inception', steps: [sh('true')] },
      left: { if: 'false', 'runs-on': 'inception', steps: [sh('true')] },
    };
    const id = await start(server, { metadata: { name: 'bundle' }, jobs: { around: { jobs } } });
    expect(await ended(server, id)).toBe('DONE');
    const columns = 'custom-columns=NAME:metadata.name,PHASE:status.phase';
    expect((await tutti('jobs', id, '-o', columns)).stdout).toBe(
      'NAME  PHASE\nran   SUCCEEDED\nleft  SKIPPED\n',
    );
    expect((await tutti('jobs', id, '-o', 'name')).stdout).toBe('around/ran\naround/left\n');
  });

  test('that nobody generates say so', async () => {
    const inner = { generator: 'acme/inner@v1' };
    const jobs = { around: { jobs: { inner } }, later: job([sh('true')], { needs: 'around' }) };
    const id = await start(server, { metadata: { name: 'generated' }, jobs });
    expect(await ended(server, id)).toBe('FAILED');
    const columns = 'custom-columns=NAME:metadata.name,PHASE:status.phase,REASON:status.reason';
    expect((await tutti('jobs', id, '-o', columns)).stdout.split('\n').slice(1)).toEqual([
      'inner  CANCELLED  No plugin offers the generator "acme/inner@v1".',
      'later  CANCELLED  <none>',
      '',
    ]);
  });

  test('count the test cases in scope alone', async () => {
    const counts = ['-o', 'custom-columns=NAME:metadata.name,ALL:status.testCaseCount'];
    const scope = ['--scope', "test.outcome == 'failure'"];
    const { stdout } = await tutti('jobs', runs.over, ...scope, ...counts);
    expect(stdout).toMatch(/^tests +1$/m);
    expect((await tutti('jobs', runs.over, ...counts)).stdout).toMatch(/^tests +2$/m);
    const wrong = await tutti('jobs', runs.over, '--scope', 'test.');
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  });

  test('that go on say so, and why they wait', async () => {
    const { stdout } = await tutti('jobs', runs.going, '-o', 'wide');
    expect(stdout).toMatch(/^held +RUNNING +\d{4}-\S+ .* agent /m);
    expect(stdout).toMatch(
      /^lost +WAITING +<none> +<none> +linux,mainframe +<none> +Job "lost" waits: no environment with tags? .*mainframe/m,
    );
    expect(stdout).toMatch(
      /^later +WAITING +<none> +<none> +linux +<none> +waits for held +<none>/m,
    );
    const json = await tutti('jobs', runs.going, '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject([
      { kind: 'Job', metadata: { name: 'held' }, status: { phase: 'RUNNING', channel: 'agent' } },
      {
        metadata: { name: 'lost' },
        spec: { 'runs-on': ['linux', 'mainframe'] },
        status: { phase: 'WAITING' },
      },
      { metadata: { name: 'later' }, status: { phase: 'WAITING' } },
    ]);
  });

  test('have tags, with the test cases on them', async () => {
    const { code, stdout } = await tutti('tags', runs.over, '-o', 'wide');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +JOBS +SUCCESS +FAILURE +TOTAL +ERROR +SKIPPED$/m);
    expect(stdout).toMatch(/^linux +4 +1 +1 +2 +0 +0$/m);
    const going = await tutti('tags', runs.going, '--timeout', '0');
    expect(going.code).toBe(101);
    expect(going.stderr).toContain('tutti: These are not all: the run goes on');
  });
});

const FOLLOWING: readonly (readonly string[])[] = [
  ['logs', '-f'],
  ['logs', '-f', '--step', 'x'],
  ['status', '--log', '--follow'],
  ['jobs', '--watch'],
  ['workflows', 'events', '-f'],
  ['workflows', 'watch'],
];

describe('a run that goes on is waited for', () => {
  test.each(FOLLOWING.map((words) => ({ words })))('by $words no longer than it may be', async ({ words }) => {
    const { code, stderr } = await runCommand([...words, runs.going, '--timeout', '0'], context());
    expect(stderr).toContain(`tutti: Workflow ${runs.going} is not over after 0.0 s, and goes on.\n`);
    expect(code).toBe(101);
  }); // biome-ignore format: one line each

  test.each([
    [['logs', '-f'], /^held \| held$/m, 'SIGINT', 130],
    [['jobs', '--watch'], /^held +RUNNING/m, 'SIGINT', 130],
    [['workflows', 'events', '-f'], /ExecutionCommand/, 'SIGTERM', 143],
  ] as const)('by %j until somebody stops that', async (words, shown, signal, code) => {
    const child = startCli([...words, runs.going], context());
    await child.said(shown);
    child.kill(signal);
    expect([await child.ended, child.stderr()]).toEqual([code, '']);
  });
});

test('workers are listed while they work, and watched until the run is over and none does', async () => {
  const worker = (status: 'setup' | 'teardown') =>
    server.call('POST', '/publications', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Notification',
        metadata: { name: 'worker', workflow_id: runs.over },
        spec: { worker: { worker_id: 'my-worker', status } },
      },
    });
  const none = await tutti('workers', runs.over);
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'No worker is active.\n']);
  await worker('setup');
  expect((await tutti('workers', runs.over)).stdout).toBe('WORKER_ID\nmy-worker\n');
  expect((await tutti('workers', runs.over, '-o', 'json')).stdout).toContain('"my-worker"');
  const late = await tutti('workers', runs.over, '--watch', '--timeout', '1');
  expect([late.code, late.stdout]).toEqual([101, 'WORKER_ID\nmy-worker\n']);
  expect(late.stderr).toContain(
    `tutti: After 1.0 s workflow ${runs.over} still goes on, or workers are active.\nWhat to do: wait longer, or see how it stands with "`,
  );
  const watching = startCli(['workers', runs.over, '--watch', '-o', 'name'], context());
  await watching.said(/^my-worker$/m);
  await worker('teardown');
  expect(await watching.ended).toBe(0);
});

test('a log is followed from its end on, and jobs are watched, until the run is over', async () => {
  const log = startCli(['logs', runs.going, '-f', '--tail', '1', '--job', 'held'], context());
  const jobs = startCli(['jobs', runs.going, '--watch'], context());
  await log.said(/^held$/m);
  await jobs.said(/^held +RUNNING/m);
  await gate.open();
  await log.said(/^let go$/m);
  await jobs.said(/^later +SUCCEEDED/m);
  await tutti('cancel', runs.going);
  expect([await log.ended, await jobs.ended]).toEqual([0, 0]);
  expect(log.stdout()).toMatch(/^held\nlet go\n/);
  expect(jobs.stdout()).toMatch(/^lost +CANCELLED/m);
  // A time that goes on is no news.
  expect(jobs.stdout().match(/^held +RUNNING/gm)).toHaveLength(1);
});
