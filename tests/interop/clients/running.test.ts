/** Starting workflows with existing clients. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createGate } from '../../support/gate.ts';
import { allEvents, ended, logTexts, oneJob, only, sh } from '../../support/runs.ts';
import { reportStep } from '../../support/sample-run.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { printed, useClientServers } from './client-servers.ts';
import { cellsOf, idOf } from './ctl.ts';
import { FIRST } from './subjects.ts';

const servers = useClientServers();
const feature = featuresOf(CLIENT_AREA);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const GREETING = {
  ...oneJob('greeting', [
    { uses: 'actions/put-file@v1', with: { file: 'data.txt', path: 'got.txt' } },
    sh('echo "$A and $B"; cat got.txt'),
  ]),
  variables: { A: 'of the manifest', B: 'of the manifest' },
  resources: { files: ['data.txt'] },
};

feature('runs a workflow with variables and files, and waits for its end', async (run) => {
  const { ctl } = await servers.open(run);
  await ctl.write('greeting.yaml', GREETING);
  await ctl.write('variables', 'B=of a file\n');
  await ctl.write('local', 'content of a file\n');
  const words = ['-e', 'A=of an option', '-e', 'variables', '-f', 'data.txt=local', '--wait'];
  const { code, stdout } = await ctl.run('run', 'workflow', 'greeting.yaml', ...words);
  expect(stdout).toContain('of an option and of a file');
  expect(stdout).toContain('content of a file');
  expect(stdout).toContain('Workflow completed successfully.');
  expect(code).toBe(0);
});

feature('gives inputs to a workflow', async (run) => {
  const { ctl } = await servers.open(run);
  const inputs = {
    place: { description: 'Where.', default: 'here' },
    other: { description: 'Other.', default: 'none' },
  };
  const step = sh(`echo "\${{ inputs.place }}, \${{ inputs.other }}"`);
  await ctl.write('inputs.yaml', { ...oneJob('inputs', [step]), inputs });
  await ctl.write('given', 'other=of a file\n');
  const words = ['-i', 'place=over there', '-i', 'given', '--wait'];
  const { code, stdout, stderr } = await ctl.run('run', 'workflow', 'inputs.yaml', ...words);
  expect(stderr).toBe('');
  expect(stdout).toContain('over there, of a file');
  expect(code).toBe(0);
});

feature('says once what is wrong with inputs, and ends with 1', async (run) => {
  const { ctl } = await servers.open(run);
  const inputs = {
    place: { description: 'Where.', required: true },
    count: { description: 'How many.', type: 'number' },
  };
  await ctl.write('strict.yaml', { ...oneJob('strict', [sh('true')]), inputs });
  const refusedWith = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await ctl.run('run', 'workflow', 'strict.yaml', ...words);
    expect(code).toBe(1);
    return `${stdout}${stderr}`;
  };
  const missing = 'Mandatory input "place" not provided.';
  const wrong = 'Input "count": Invalid value "few".  Expected a number.';
  const one = await refusedWith('-i', 'count=3');
  expect(one.split(missing)).toHaveLength(2);
  expect(one).not.toContain('None');
  const both = await refusedWith('-i', 'count=few');
  for (const text of [missing, wrong]) expect(both.split(text)).toHaveLength(2);
});

feature('takes variables of its environment, if no option has them', async (run) => {
  const env = { OPENTF_RUN_A: 'of the environment', OPENTF_RUN_B: 'of the environment' };
  const { ctl } = await servers.open(run, { env });
  await ctl.write('greeting.yaml', oneJob('greeting', [sh('echo "$A, $B"')]));
  const words = ['-e', 'A=of an option', '--wait'];
  const { stdout } = await ctl.run('run', 'workflow', 'greeting.yaml', ...words);
  expect(stdout).toContain('of an option, of the environment');
});

feature('tells the id of a run as the second word', async (run) => {
  const { ctl, server } = await servers.open(run);
  await ctl.write('quick.yaml', oneJob('quick', [sh('true')]));
  const answer = await ctl.run('run', 'workflow', 'quick.yaml');
  expect(answer.lines).toHaveLength(1);
  expect(answer.code).toBe(0);
  expect(idOf(answer)).toMatch(UUID);
  expect(await ended(server, idOf(answer))).toBe('DONE');
});

feature('says why a workflow is refused, and ends with 1', async (run) => {
  const { ctl } = await servers.open(run);
  await ctl.write('wrong.yaml', { metadata: { name: 'wrong' }, jobs: { a: { steps: 3 } } });
  const { code, stdout, stderr } = await ctl.run('run', 'workflow', 'wrong.yaml');
  expect(stdout + stderr).toContain('jobs.a.steps: must be a list, not 3');
  expect(code).toBe(1);
});

feature('ends with 0 when the workflow that it waited for has failed', async (run) => {
  const { ctl } = await servers.open(run);
  await ctl.write('failing.yaml', oneJob('failing', [sh('exit 3')]));
  const { code, stdout } = await ctl.run('run', 'workflow', 'failing.yaml', '--wait');
  // The first one tells no codes of steps.
  if (run.subject !== FIRST) expect(stdout).toMatch(/status code was: 3/i);
  expect(stdout).toMatch(/^Workflow failed\.$/m);
  expect(code).toBe(0);
});

feature('checks a workflow without starting it', async (run) => {
  const { ctl, server } = await servers.open(run);
  await ctl.write('quick.yaml', oneJob('quick', [sh('true')]));
  const checked = await ctl.run('run', 'workflow', 'quick.yaml', '--dry-run');
  expect(checked.code).toBe(0);
  const { code } = await server.call('GET', `/workflows/${idOf(checked)}/status`);
  expect(code).toBe(404);
  await ctl.write('wrong.yaml', { metadata: { name: 'wrong' }, jobs: {} });
  expect((await ctl.run('run', 'workflow', 'wrong.yaml', '--dry-run')).code).toBe(1);
});

feature('adds tags to the jobs of a workflow', async (run) => {
  const { ctl, server } = await servers.open(run);
  await ctl.write('tags.yaml', oneJob('tags', [sh('true')], { 'runs-on': 'windows' }));
  const answer = await ctl.run('run', 'workflow', 'tags.yaml', '--tags', 'linux,shell');
  expect(await ended(server, idOf(answer))).toBe('DONE');
  const [workflow] = only(await allEvents(server, idOf(answer)), 'Workflow');
  expect([workflow?.jobs.main?.['runs-on']].flat().toSorted()).toEqual(['linux', 'shell']);
});

feature('starts a workflow in the namespace of the option, or of the context', async (run) => {
  const { ctl, server } = await servers.open(run, { context: { namespace: 'of-context' } });
  await ctl.write('placed.yaml', oneJob('placed', [sh('true')], { 'runs-on': 'nowhere' }));
  for (const [words, namespace] of [
    [[], 'of-context'],
    [['--namespace', 'of-option'], 'of-option'],
    [['-n=short'], 'short'],
  ] as const) {
    const id = idOf(await ctl.run('run', 'workflow', 'placed.yaml', ...words));
    const [workflow] = only(await allEvents(server, id), 'Workflow');
    expect(workflow?.metadata.namespace).toBe(namespace);
    await server.call('DELETE', `/workflows/${id}`);
  }
});

const TESTS = reportStep([
  { name: 'good', seconds: 1 },
  { name: 'bad', seconds: 1, outcome: '<failure message="broke" type="E">there</failure>' },
]);
const UPLOAD = sh('echo left > left.txt; echo "::upload::$PWD/left.txt"');

feature('waits, applies a quality gate and copies reports in one command', async (run) => {
  const { ctl } = await servers.open(run);
  await ctl.write('tested.yaml', oneJob('tested', [TESTS, UPLOAD]));
  const words = ['--wait', '--mode', 'strict', '--report', 'left.txt:reports/copy.txt'];
  const { code, stdout, stderr } = await ctl.run('run', 'workflow', 'tested.yaml', ...words);
  expect(stdout).toContain('Workflow completed successfully.');
  expect(stdout + stderr).toContain('failed the quality gate using mode strict');
  expect(await readFile(join(ctl.home, 'reports/copy.txt'), 'utf8')).toBe('left\n');
  expect(code).toBe(102);
});

feature('applies a quality gate once a workflow is over, unless it failed', async (run) => {
  const { ctl } = await servers.open(run);
  await ctl.write('tested.yaml', oneJob('tested', [TESTS]));
  const passed = await ctl.run('run', 'workflow', 'tested.yaml', '--mode', 'passing');
  expect(passed.stdout).toContain('passed the quality gate using mode passing');
  const rows = passed.lines.map(cellsOf);
  expect(rows).toContainEqual(['passing', 'SUCCESS', '2', '1', '1', '50%']);
  expect(passed.code).toBe(0);
  await ctl.write('failing.yaml', oneJob('failing', [sh('exit 1')]));
  const failed = await ctl.run('run', 'workflow', 'failing.yaml', '--mode', 'passing');
  expect(failed.stderr).toContain('quality gate not applied');
  expect(failed.code).toBe(1);
});

feature('watches a workflow to its end', async (run) => {
  const { ctl, server } = await servers.open(run);
  const gate = createGate(servers.bench);
  await ctl.write('held.yaml', oneJob('held', [gate.step]));
  const id = idOf(await ctl.run('run', 'workflow', 'held.yaml'));
  const watching = ctl.start(['get', 'workflow', id, '--watch']);
  await printed(watching, run.subject === FIRST ? 'Running' : 'Running command');
  await gate.open();
  const { code, stdout } = await watching.whenEnded;
  expect(stdout).toMatch(/\] free$|\bfree$/m);
  expect(stdout).toContain('Workflow completed successfully.');
  expect(code).toBe(0);
  expect(await logTexts(server, id)).toContain('free');
});
