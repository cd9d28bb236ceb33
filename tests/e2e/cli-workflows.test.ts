/** `tutti workflows` (clients facts 3.2 to 3.4), over runs that really were. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createGate, type Gate } from '../support/gate.ts';
import { ended, logged, oneJob, sh, start, statusOf, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';
import { startOnTerminal } from './terminal-process.ts';

let bench: Workbench;
let server: ServerChild;
let gate: Gate;
/** Ids of runs: one that succeeded, one that failed, one that goes on until the gate is open. */
let runs: Readonly<Record<'good' | 'bad' | 'going', string>>;

const CASES = [
  { name: 'adds', seconds: 0 },
  { name: 'pays', seconds: 0, outcome: '<failure message="broke"/>' },
];
const LABELS = { labels: { team: 'web' } };

beforeAll(async () => {
  bench = await Workbench.open();
  gate = createGate(bench);
  server = await bench.server();
  // One is held by the run that goes on.
  await bench.agent(server, { tags: ['linux'], name: 'one' });
  await bench.agent(server, { tags: ['linux'], name: 'two' });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a workflow.
  const greet = sh('echo ${{ inputs.who }}', { name: 'greet' });
  const good = await start(server, {
    ...oneJob('good', [greet]),
    metadata: { name: 'good', ...LABELS },
    inputs: { who: { description: 'whom to greet', default: 'you' } },
  });
  const bad = await start(server, oneJob('bad', [reportStep(CASES), sh('echo before; exit 3')]));
  for (const id of [good, bad]) {
    await ended(server, id);
    await workersEnded(server, id);
  }
  const going = await start(server, oneJob('going', [gate.step]));
  await logged(server, going, 'held');
  runs = { good, bad, going };
});

afterAll(() => bench.close());

const context = () => ({
  cwd: bench.folder,
  env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url },
});
const tutti = (...args: string[]) => runCli(args, context());

/** As much of an id as is unique among the runs. */
function beginningOf(id: string): string {
  const others = Object.values(runs).filter((other) => other !== id);
  return (
    Array.from(id, (_, index) => id.slice(0, index + 1)).find(
      (part) => part.length > 1 && !others.some((other) => other.startsWith(part)),
    ) ?? id
  );
}

test.each(['workflows', 'status'])('%s alone lists, newest first', async (command) => {
  const { code, stdout, stderr } = await tutti(command);
  expect([code, stderr]).toEqual([0, '']);
  const [titles = '', ...rows] = stdout.trimEnd().split('\n');
  expect(titles.split(/ {2,}/)).toEqual(
    'WORKFLOW_ID STATUS TESTS DURATION AGE ACTOR NAME'.split(' '),
  );
  const time = expect.stringMatching(/^\d+(?:\.\d)? (?:s|min)/);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    [runs.going, 'RUNNING', '<none>', time, time, 'admin', 'going'],
    [runs.bad, 'FAILED', '2, 1 failed', time, time, 'admin', 'bad'],
    [runs.good, 'DONE', '<none>', time, time, 'admin', 'good'],
  ]);
});

test('statuses have colours on a terminal, and none with --no-color or in a pipe', async () => {
  const raw = async (...args: string[]) => {
    const shown = startOnTerminal(args, { ...context(), columns: 200 });
    expect(await shown.ended).toBe(0);
    return shown.raw();
  };
  expect(await raw('status')).toContain(' \u001b[31mFAILED\u001b[39m ');
  expect(await raw('workflows', '-o', 'wide')).toContain(' \u001b[32mDONE\u001b[39m ');
  const plain = [await raw('status', '--no-color'), (await tutti('status')).stdout];
  for (const text of plain) expect(text).not.toContain('\u001b[3');
});

test('each form of one list is that of the other', async () => {
  for (const form of ['name', 'json', 'yaml', 'custom-columns=ID:metadata.workflow_id']) {
    const [listed, shown] = await Promise.all([
      tutti('workflows', '-o', form),
      tutti('status', '-o', form),
    ]);
    expect(shown).toEqual(listed);
  }
  const { code, stderr } = await tutti('status', runs.good, '-o', 'wide');
  expect([code, stderr]).toEqual([2, expect.stringContaining('not as "wide"')]);
});

test.each([
  [
    ['--status', 'failed,running'],
    ['bad', 'going'],
  ],
  [
    ['--name', 'go*'],
    ['good', 'going'],
  ],
  [['-l', 'team=web'], ['good']],
  [
    ['--field-selector', 'metadata.name!=bad'],
    ['good', 'going'],
  ],
  [['--having', 'kind=ExecutionResult,status=3'], ['bad']],
  [
    ['--since', '1h', '--limit', '2'],
    ['bad', 'going'],
  ],
  [['--namespace', 'elsewhere'], []],
])('%j chooses %j', async (options, names) => {
  const { code, stdout } = await tutti('workflow', 'list', '-o', 'name', ...options);
  const ids = Object.entries(runs).flatMap(([name, id]) =>
    names.some((one) => one === name) ? [id] : [],
  );
  const newest = ids.toReversed();
  expect([code, stdout]).toEqual([0, newest.map((id) => `${id}\n`).join('')]);
});

test('columns of one’s own, JSON and YAML have the manifests', async () => {
  const own = await tutti(
    'workflows',
    '-o',
    'custom-columns=NAME:.metadata.name,JOBS:jobs.*~,TEAM:metadata.labels.team',
  );
  expect(own.stdout).toBe(
    'NAME   JOBS  TEAM\ngoing  main  <none>\nbad    main  <none>\ngood   main  web\n',
  );
  const [json, yaml] = await Promise.all(
    ['json', 'yaml'].map((form) => tutti('workflows', '--limit', '1', '-o', form)),
  );
  expect(JSON.parse(json?.stdout ?? '')).toMatchObject([
    { metadata: { name: 'going' }, status: { phase: 'RUNNING' } },
  ]);
  expect(parse(yaml?.stdout ?? '')).toEqual(JSON.parse(json?.stdout ?? ''));
});

test('where none fits, it is said, and what to do', async () => {
  const { code, stdout, stderr } = await tutti('workflows', '--name', 'nothing');
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(/^No workflow fits\. See all of them with: .*tutti\S* workflows\n$/);
});

describe('one run', () => {
  test('is shown by a part of its id, as a table and as the document of the server', async () => {
    const id = beginningOf(runs.bad);
    const { code, stdout } = await tutti('workflows', 'show', id);
    expect(code).toBe(0);
    expect(stdout).toContain(`Workflow "bad" (${runs.bad}) in namespace default: FAILED`);
    const json = await tutti('status', id, '-o', 'json');
    expect(JSON.parse(json.stdout).details.status).toBe('FAILED');
    expect(parse((await tutti('workflows', 'show', id, '-o', 'yaml')).stdout)).toEqual(
      JSON.parse(json.stdout),
    );
  });

  test('that is named by too little of its id is refused', async () => {
    const { code, stderr } = await tutti('workflows', 'show', runs.bad.slice(0, 1));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tutti: 3 ids begin with "0": /);
    expect(stderr).toContain('What to do: write more of the one that is meant.');
  });

  test('has its events as a table, those that are chosen with the names of their jobs and steps', async () => {
    const { stdout } = await tutti(
      'workflows',
      'events',
      runs.good,
      '--kind',
      'ExecutionCommand,WorkflowCompleted',
    );
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1));
    expect(rows).toEqual([
      ['KIND', 'JOB', 'STEP', 'WHAT'],
      ['ExecutionCommand', 'main', '(request)', 'runs-on: linux'],
      ['ExecutionCommand', 'main', 'greet', 'echo you'],
      ['ExecutionCommand', 'main', '(release)', 'success'],
      ['WorkflowCompleted', 'good'].flatMap((cell, index) =>
        index === 1 ? [expect.anything()] : [cell],
      ),
      [],
    ]);
  });

  test('has its events as JSON', async () => {
    const { stdout } = await tutti(
      'workflows',
      'events',
      runs.bad,
      '-o',
      'json',
      '--field-selector',
      'status=3',
    );
    expect(JSON.parse(stdout)).toMatchObject([{ kind: 'ExecutionResult', status: 3 }]);
  });

  test('has a manifest that runs again with the inputs that it had', async () => {
    const { code, stdout, stderr } = await tutti('workflows', 'manifest', runs.good);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain(runs.good);
    const again = await start(server, parse(stdout));
    expect(await ended(server, again)).toBe('DONE');
    await logged(server, again, 'you');
  });
});

test('a run that goes on is followed event by event, and the list of runs is watched, until each ends', async () => {
  const events = startCli(['workflows', 'events', '-f', '-o', 'json', runs.going], context());
  const list = startCli(['workflows', '--watch', '--name', 'going'], context());
  await events.said(/"kind":"Workflow"/);
  await list.said(new RegExp(`${runs.going} {2}RUNNING .* going`));
  await gate.open();
  expect(await events.ended).toBe(0);
  const lines = events
    .stdout()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ kind: 'WorkflowCompleted' });
  await list.said(new RegExp(`${runs.going} {2}DONE .* going`));
  list.kill('SIGINT');
  expect(await list.ended).toBe(0);
  expect(list.stderr()).toBe('');
});

describe('canceling', () => {
  const waiting = (name: string) =>
    start(server, {
      ...oneJob(name, [sh('true')], { 'runs-on': 'nowhere' }),
      metadata: { name, labels: { name } },
    });

  test('by a selector takes those that are not over, and waits for their end', async () => {
    const ids = [await waiting('many'), await waiting('many')];
    const dry = await tutti('cancel', '-l', 'name=many', '--dry-run');
    expect(dry.stdout).toBe(ids.map((id) => `Workflow ${id} would be canceled.\n`).join(''));
    expect(await statusOf(server, ids[0] ?? '')).toBe('PENDING');
    const { code, stdout } = await tutti(
      'cancel',
      '-l',
      'name=many',
      '--wait',
      '--timeout',
      '30',
      '--reason',
      'enough',
    );
    expect(code).toBe(0);
    for (const id of ids) {
      expect(stdout).toContain(`The server was asked to cancel workflow ${id}.\n`);
      expect(stdout).toContain(`Workflow ${id} is over: FAILED.\n`);
    }
    const { stdout: actual } = await tutti(
      'workflows',
      'events',
      ids[0] ?? '',
      '--kind',
      'WorkflowCanceled',
    );
    expect(actual).toContain('enough');
    const again = await tutti('cancel', '-l', 'name=many');
    expect([again.code, again.stderr]).toEqual([
      0,
      'No workflow that is not over fits: there is nothing to cancel.\n',
    ]);
  });

  test('a finished one says that it is finished', async () => {
    for (const id of [runs.good, runs.bad]) {
      expect(await tutti('cancel', id, '--wait')).toEqual({
        code: 0,
        stdout: `Workflow ${id} is finished already. There is nothing to cancel.\n`,
        stderr: '',
      });
    }
  });

  test('several goes on after one that the server does not know', async () => {
    const id = await waiting('one');
    const unknown = '00000000-0000-4000-8000-000000000000';
    const { code, stdout, stderr } = await tutti('workflows', 'cancel', unknown, id);
    expect([code, stdout]).toEqual([2, `The server was asked to cancel workflow ${id}.\n`]);
    expect(stderr).toContain(`Workflow ${unknown} not found.`);
  });

  test('all that goes on leaves nothing', async () => {
    await waiting('last');
    expect((await tutti('cancel', '--all', '--wait')).code).toBe(0);
    expect((await tutti('workflows', '--status', 'running,pending', '-o', 'name')).stdout).toBe('');
  });

  test.each([
    [[], 'No workflow is named.'],
    [
      ['01', '--all'],
      'Workflows are named by their ids, by selectors, or by --all, and not in two of these ways.',
    ],
    [['01', '--timeout', '3'], '--timeout goes with --wait.'],
    [
      ['01', '--wait', '--dry-run'],
      '--wait waits for what is canceled, and --dry-run cancels nothing.',
    ],
    [['nope'], 'Not the id of a workflow: "nope".'],
  ])('wrong use is told: %j', async (args, message) => {
    const { code, stderr } = await tutti('cancel', ...args);
    expect([code, stderr.split('\n')[0]]).toEqual([2, `tutti: ${message}`]);
    expect(stderr).toContain('What to do: ');
  });
});
