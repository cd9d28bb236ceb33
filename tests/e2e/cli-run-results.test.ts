/** `tutti run --wait` with all that a build server wants of it (clients facts 3.1). */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { allEvents, ended, type Manifest, oneJob, only, sh, statusOf } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const INSIGHTS =
  'insights: [{name: log, kind: ExecutionLog}, {name: results, kind: SurefireXmlReport}]';

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

  test('that the server does not know is refused', async () => {
    const { code, stderr } = await wait(oneJob('quick', [sh('true')]), ['--gate', 'none such']);
    expect(code).toBe(2);
    expect(stderr).toContain('none such');
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
    const wanted = ['--report', 'nothing', '--report', 'log:saved/', '--gate', 'strict'];
    const { code, stdout, stderr } = await wait(good, wanted);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^tutti: The server made no report "nothing" on this run; there are: \S+, \S+\.\n$/,
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
