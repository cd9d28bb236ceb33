/** `tutti run --wait` with all that a build server wants of it (clients facts 3.1). */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GITLAB_TOKEN, type Gitlab, openGitlab } from '../../cli/src/testing/gitlab.ts';
import { createGate } from '../support/gate.ts';
import {
  allEvents,
  ended,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
  statusOf,
} from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const INSIGHTS =
  'insights: [{name: log, kind: ExecutionLog}, {name: results, kind: SurefireXmlReport}, {name: faults, kind: ExecutionLog, if: failure()}, {name: page, kind: SummaryReport}]';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  const definitions = bench.path('insights.yaml');
  await writeFile(definitions, INSIGHTS);
  server = await bench.server({ config: { insights: { definitions: [definitions] } } });
  await bench.agent(server, { tags: ['linux'] });
});

afterAll(() => bench.close());

/** Runs the workflow with `--wait`. */
async function wait(manifest: Manifest, args: readonly string[], env: Record<string, string> = {}) {
  const file = bench.path('workflow.json');
  await writeFile(file, JSON.stringify(manifest));
  const result = await runCli(['run', file, '--wait', '--progress', 'none', ...args], {
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url, ...env },
  });
  return { ...result, id: /^Workflow (\S+) started/.exec(result.stdout)?.[1] ?? '' };
}

const good = oneJob('good', [reportStep([{ name: 'adds', seconds: 1 }])]);
const failing = oneJob('failing', [
  reportStep([{ name: 'adds', seconds: 1, outcome: '<failure message="no"/>' }]),
]);

describe('a gate', () => {
  test.each([
    ['is passed', good, 'strict', 0, 'SUCCESS'],
    ['is not passed', failing, 'strict', 102, 'FAILURE'],
    ['does not look at failures of tests', failing, 'passing', 0, 'SUCCESS'],
    ['judges a run that failed', oneJob('broken', [sh('false')]), 'passing', 102, 'FAILURE'],
  ])('%s', async (_case, manifest, gate, code, verdict) => {
    const result = await wait(manifest, ['--gate', gate]);
    expect([result.code, result.stderr]).toEqual([code, '']);
    expect(result.stdout).toContain(`Quality gate "${gate}" of workflow ${result.id}: ${verdict},`);
  });

  test('or a report that the server does not know is refused before the run starts', async () => {
    const refusals = [
      ['--gate', 'strickt', 'quality gate "strickt", did you mean "strict"? Nothing was started.'],
      ['--report', 'result', 'report "result", did you mean "results"? Nothing was started.'],
      ['--report', 'page.htm', 'report "page.htm", did you mean "page.html"? Nothing was started.'],
    ] as const;
    for (const [option, name, message] of refusals) {
      const { code, stdout, stderr } = await wait(good, [option, name]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`tutti: There is no ${message}\nWhat to do: take one of: `);
    }
  });

  test('of a local run is refused before it starts, too', async () => {
    const file = bench.path('local.json');
    await writeFile(file, JSON.stringify(good));
    const args = ['run', file, '--local', '--data-dir', bench.path('local'), '--gate', 'pasing'];
    const { code, stdout, stderr } = await runCli(args, { cwd: bench.folder, env: {} });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('did you mean "passing"? Nothing was started.\n');
  });
});

test('the run, its gate and its report show one success rate', async () => {
  const outcomes = [
    '',
    '',
    '',
    '',
    '<failure message="no"/>',
    '<error message="no"/>',
    '<skipped/>',
  ];
  const cases = outcomes.map((outcome, index) => ({ name: `case ${index}`, seconds: 1, outcome }));
  const file = bench.path('rates.json');
  await writeFile(file, JSON.stringify(oneJob('rates', [reportStep(cases)])));
  const args = ['run', file, '--wait', '--gate', 'strict', '--report', 'page:rates/'];
  const { stdout } = await runCli(args, {
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url },
  });
  expect(stdout).toContain('4 of 7 test cases passed, 2 failed, 1 skipped, success rate 71.42 %.');
  expect(stdout).toMatch(/^strict +FAILURE +7 +2 +5 +71\.42% /m);
  const page = await readFile(`${bench.folder}/rates/page.html`, 'utf8');
  expect(page).toMatch(/<dt>success rate<\/dt><dd class="">71\.42 %<\/dd>/);
});

describe('the verdict of a gate', () => {
  let gitlab: Gitlab;
  beforeAll(async () => {
    gitlab = await openGitlab();
  });
  afterAll(() => gitlab.close());

  const ofPipeline = () => ({
    GITLAB_CI: 'true',
    CI_SERVER_URL: gitlab.url,
    CI_MERGE_REQUEST_PROJECT_ID: '7',
    CI_MERGE_REQUEST_IID: '12',
    GITLAB_TOKEN,
  });
  const judge = (id: string, args: readonly string[], env: Record<string, string> = {}) =>
    runCli(['gate', id, ...args], {
      cwd: bench.folder,
      env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url, ...env },
    });
  const target = (name: string) => gitlab.targets.get(name) ?? { notes: [], labels: [] };

  test('is told at the merge request of a pipeline, with a label', async () => {
    const args = ['--gate', 'strict', '--plugin', 'gitlab:label=default', '--debug'];
    const { code, stdout, stderr, id } = await wait(failing, args, ofPipeline());
    expect(code).toBe(102);
    expect(stdout).toContain(
      'The verdict is posted to merge request 12 of project 7 of GitLab, as note 101.\n',
    );
    expect(`${stdout}${stderr}`).not.toContain(GITLAB_TOKEN);
    expect(stderr).toMatch(
      /^debug: POST \S+\/projects\/7\/merge_requests\/12\/notes 201, \d+ ms$/m,
    );
    const { notes, labels } = target('merge_requests/12');
    expect(labels).toEqual(['QualityGate::Failed']);
    expect(notes.map(({ body }) => body)).toEqual([
      `<!-- tutti quality gate strict -->
### Quality gate \`strict\`: not passed

| Rule | Result | Tests | Failed | Passed | Success rate | Threshold | Scope |
| --- | --- | --- | --- | --- | --- | --- | --- |
| \`strict\` | \`FAILURE\` | 1 | 1 | 0 | 0% | 100% | \`true\` |

Failed test cases:

- \`suite#adds\` of job \`main\`: \`no\`

Workflow \`${id}\`
`,
    ]);
    const again = await judge((await wait(good, [])).id, args.slice(2), ofPipeline());
    expect(again.code).toBe(0);
    expect(target('merge_requests/12').notes.map(({ id: note }) => note)).toEqual([102]);
    expect(target('merge_requests/12').labels).toEqual(['QualityGate::Passed']);
  });

  test('is told at an issue, from anywhere, and programs get the document alone', async () => {
    const { id } = await wait(oneJob('untested', [sh('true')]), []);
    const parameters = [
      `server=${gitlab.url}/`,
      'project=group/shop',
      'issue=3',
      `token=${GITLAB_TOKEN}`,
      'keep-history=true',
      'cats=true',
    ];
    const args = parameters.flatMap((each) => ['--plugin', `gitlab:${each}`]);
    for (const _ of ['once', 'twice']) {
      const { code, stdout, stderr } = await judge(id, ['-o', 'json', ...args]);
      expect([code, JSON.parse(stdout).details.status]).toEqual([0, 'NOTEST']);
      expect(stderr).toContain('The verdict is posted to issue 3 of project group/shop of GitLab');
    }
    const { notes } = target('issues/3');
    expect(notes.map(({ body }) => body.split('\n')[1])).toEqual([
      '### Quality gate `strict`: no test results :cat:',
      '### Quality gate `strict`: no test results :cat:',
    ]);
  });

  test('has the exit code, whatever GitLab says', async () => {
    const refused = { ...ofPipeline(), GITLAB_TOKEN: 'wrong' };
    const plugin = ['--gate', 'strict', '--plugin', 'gitlab:keep-history=false'];
    const { code, stderr } = await wait(good, plugin, refused);
    expect(code).toBe(0);
    expect(stderr).toContain('tutti: The verdict is not posted to merge request 12 of project 7');
    const failed = await wait(failing, plugin, refused);
    expect(failed.code).toBe(102);
  });

  test('is not told where there is none, or no merge request', async () => {
    const forever = await start(server, oneJob('on', [sh('true')], { 'runs-on': 'nowhere' }));
    const open = ['--timeout', '0', '--plugin', 'gitlab:label=default'];
    const before = gitlab.requests.length;
    const { code, stderr } = await judge(forever, open, ofPipeline());
    expect([code, stderr]).toEqual([
      101,
      'tutti: There is no verdict yet, so nothing is posted to GitLab.\n',
    ]);
    const { CI_MERGE_REQUEST_IID: _, ...ofBranch } = ofPipeline();
    const plugin = ['--gate', 'strict', '--plugin', 'gitlab:label=default'];
    const branch = await wait(good, plugin, ofBranch);
    expect([branch.code, branch.stderr]).toEqual([
      0,
      'tutti: This job of GitLab CI has no merge request, so nothing is posted to GitLab.\n',
    ]);
    expect(gitlab.requests.length).toBe(before);
  });

  test.each([
    [['--plugin', 'gitlab:mr=12'], '--plugin goes with --gate.'],
    [['--gate', 'strict', '--plugin', 'gitlab:mr=12'], '--plugin does not say gitlab:server'],
    [['--gate', 'strict', '--plugin', 'gitlab:nr=12'], 'The plugin gitlab has no parameter "nr".'],
  ])('%j is refused before anything is started', async (args, problem) => {
    const { code, stdout, stderr } = await wait(good, args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
  });

  test('is in the summary of a job of GitHub, with failed test cases at the sources', async () => {
    const summary = bench.path('summary.md');
    await writeFile(`${bench.folder}/cart.py`, '');
    const env = {
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_WORKSPACE: bench.folder,
    };
    const outcome = '<failure message="2 is not 3: 50%">cart.py:7: AssertionError</failure>';
    const cases = [{ name: 'adds, always', seconds: 1, outcome }];
    const { id } = await wait(oneJob('sources', [reportStep(cases)]), []);
    const { code, stdout } = await judge(id, [], env);
    expect(code).toBe(102);
    expect(stdout).toContain(
      '::error file=cart.py,line=7,title=main ▸ suite#adds%2C always::2 is not 3: 50%25',
    );
    expect(await readFile(summary, 'utf8')).toContain(
      '- `suite#adds, always` of job `main`: `2 is not 3: 50%`\n',
    );
    const json = await judge(id, ['-o', 'json'], { ...env, TUTTI_PROGRESS: 'plain' });
    expect([JSON.parse(json.stdout).code, json.stderr]).toEqual([200, '']);
    const nowhere = { ...env, GITHUB_STEP_SUMMARY: bench.folder };
    const unwritten = await judge(id, [], nowhere);
    expect(unwritten.code).toBe(102);
    expect(unwritten.stderr).toContain('tutti: The summary of the job could not be written: ');
  });
});

describe('reports', () => {
  test('are saved where they are wanted, those of a run that failed, too', async () => {
    const steps = [reportStep([{ name: 'adds', seconds: 1 }]), sh('false')];
    const wanted = ['--report', 'log:saved/run.txt', '--report', 'results.xml'];
    const { code, stdout, stderr } = await wait(oneJob('half', steps), wanted);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('Report "log" is saved as saved/run.txt.\n');
    expect(stdout).toContain('Report "results" is saved as results.xml.\n');
    expect(await readFile(`${bench.folder}/saved/run.txt`, 'utf8')).toContain('Workflow half');
    expect(await readFile(`${bench.folder}/results.xml`, 'utf8')).toContain('name="adds"');
  });

  test('that were not made are told with those that were, and the others are saved', async () => {
    const wanted = ['--report', 'faults', '--report', 'log:saved/', '--gate', 'strict'];
    const { code, stdout, stderr } = await wait(good, wanted);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^tutti: The server made no report "faults" on this run; there are: \S+, \S+, \S+\.\n$/,
    );
    expect(stdout).toContain('Report "log" is saved as saved/log.txt.\n');
  });

  test('and gates leave the output to events where these are asked for', async () => {
    const { code, stdout, stderr } = await wait(good, [
      '-o',
      'json',
      '--gate',
      'strict',
      '--report',
      'log:as.txt',
    ]);
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split('\n')) JSON.parse(line);
    expect(stderr).toContain('Quality gate "strict"');
    expect(stderr).toContain('Report "log" is saved as as.txt.');
  });
});

describe('a run that takes too long', () => {
  test('goes on without the command', async () => {
    const gate = createGate(bench);
    const { code, stderr, id } = await wait(oneJob('long', [gate.step]), [
      '--timeout',
      '1s',
      '--gate',
      'strict',
    ]);
    expect(code).toBe(101);
    expect(stderr).toContain(`tutti: Workflow ${id} is not over after 1.0 s, and goes on.\n`);
    expect(stderr).toContain(`cancel ${id}".`);
    expect(await statusOf(server, id)).toBe('RUNNING');
    await gate.open();
    expect(await ended(server, id)).toBe('DONE');
  });

  test('is canceled where that is asked for', async () => {
    const forever = oneJob('forever', [sh('true')], { 'runs-on': 'nowhere' });
    const { code, stderr, id } = await wait(forever, ['--timeout', '1s', '--cancel-on-timeout']);
    expect(code).toBe(101);
    expect(stderr).toContain(`tutti: Workflow ${id} took longer than 1.0 s, and is canceled.\n`);
    expect(await statusOf(server, id)).toBe('FAILED');
  });

  test('or no longer than it may does what it does otherwise', async () => {
    const quick = oneJob('quick', [sh('true')]);
    expect(await wait(quick, ['--timeout', '10m'])).toMatchObject({ code: 0, stderr: '' });
  });
});

test('variables come out of the environment, and -e counts more', async () => {
  const show = oneJob('variables', [sh('echo "stage $STAGE, team $TEAM, own $OWN"')]);
  const env = { OPENTF_RUN_STAGE: 'qa', TUTTI_RUN_TEAM: 'web', TUTTI_RUN_OWN: 'x' };
  const { code, id } = await wait(show, ['-e', 'OWN=y'], env);
  expect(code).toBe(0);
  const log = await server.call('GET', `/workflows/${id}/logs`);
  expect(log.text).toContain('stage qa, team web, own y');
});

test('jobs ask for further tags, where an environment is to be chosen for a whole run', async () => {
  await bench.agent(server, { tags: ['linux', 'lab'], name: 'lab' });
  const show = oneJob('chosen', [sh('true')]);
  const { code, id } = await wait(show, ['--runs-on', 'lab']);
  const [request] = only(await allEvents(server, id), 'ExecutionCommand');
  expect([code, request?.['runs-on']]).toEqual([0, ['linux', 'lab']]);
});
