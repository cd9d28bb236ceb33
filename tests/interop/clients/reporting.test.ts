/** Output of existing clients about the tests of a workflow, and the files they copy. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventsOf } from '../../support/api.ts';
import { ended, oneJob, sh, start, workersEnded } from '../../support/runs.ts';
import { JUNIT_TYPE, reportStep, SAMPLE, SAMPLE_CONTENT } from '../../support/sample-run.ts';
import type { ServerChild } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { useClientServers } from './client-servers.ts';
import { type Ctl, cellsOf } from './ctl.ts';
import { publish } from './sample-events.ts';
import { MIDDLE } from './subjects.ts';

const servers = useClientServers();
const feature = featuresOf(CLIENT_AREA);

const samples = new Map<ServerChild, Promise<string>>();

/** A workflow that is over and that nothing changes: the same for all tests with a server. */
function overWithReports(server: ServerChild): Promise<string> {
  const known = samples.get(server) ?? runSample(server);
  samples.set(server, known);
  return known;
}

async function runSample(server: ServerChild): Promise<string> {
  const id = await start(server, SAMPLE);
  await ended(server, id);
  await workersEnded(server, id);
  return id;
}

const tableOf = async (ctl: Ctl, ...words: readonly string[]) => {
  const { code, lines } = await ctl.run(...words);
  expect(code).toBe(0);
  return lines.map(cellsOf);
};

feature('applies a quality gate, and ends with 0, 101 or 102', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  const gate = (...words: readonly string[]) => ctl.run('get', 'qualitygate', ...words);
  expect((await gate(id, '--mode=passing')).code).toBe(0);
  const failed = await gate(id);
  expect(failed.stdout).toMatch(/failed the quality ?gate using mode strict/);
  expect(failed.code).toBe(102);
  const waiting = await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }));
  const time = run.subject === MIDDLE ? [] : ['--timeout', '1'];
  expect((await gate(waiting, ...time)).code).toBe(101);
  expect((await gate(id, '--mode=unknown')).code).toBe(2);
  const none = await start(server, oneJob('no tests', [sh('true')]));
  await ended(server, none);
  expect((await gate(none)).code).toBe(0);
});

feature('shows the numbers of the rules of a quality gate', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  const wide = await ctl.run('get', 'qualitygate', id, '-o', 'wide');
  expect(wide.lines.slice(0, 2).map(cellsOf)).toEqual([
    [
      ...['RULE', 'RESULT', 'TESTS_IN_SCOPE', 'TESTS_FAILED', 'TESTS_PASSED', 'SUCCESS_RATIO'],
      ...['THRESHOLD', 'SCOPE'],
    ],
    ['strict', 'FAILURE', '3', '1', '2', '66.66%', '100%', 'true'],
  ]);
  const actual = await ctl.run('describe', 'qualitygate', id);
  expect(actual.stdout).toMatch(/Tests in scope: 3\n +Tests failed: +1\n +Tests passed: +2\n/);
  expect(actual.code).toBe(102);
});

const GATES = {
  qualitygates: [
    {
      name: 'mine',
      rules: [
        { name: 'most', rule: { scope: 'true', threshold: '60%' } },
        { name: 'wrong', rule: { scope: 'nothing.of == the kind', threshold: '1%' } },
      ],
    },
  ],
};

feature('applies the quality gates of a file', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  await ctl.write('gates.yaml', GATES);
  const words = [id, '--using', 'gates.yaml', '--mode', 'mine'];
  const { lines, stdout, stderr } = await ctl.run('get', 'qualitygate', ...words);
  expect(lines.map(cellsOf)).toContainEqual(['most', 'SUCCESS', '3', '1', '2', '66.66%']);
  expect(stdout + stderr).toMatch(/wrong/);
  const missing = await ctl.run('get', 'qualitygate', id, '--using', 'gates.yaml', '-m', 'other');
  expect(missing.code).toBe(2);
  await ctl.write('broken.yaml', 'qualitygates: 3');
  const broken = await ctl.run('get', 'qualitygate', id, '--using', 'broken.yaml', '-m', 'other');
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringMatching(/qualitygates/)]);
});

feature('lists the attachments of a workflow', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  const [head, ...rows] = await tableOf(ctl, 'get', 'attachments', id, '-o', 'wide', '-v');
  const uuid = expect.stringMatching(/^[-0-9a-f]{36}$/);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+$/);
  expect(head?.slice(0, 5)).toEqual(['JOB_NAME', 'STEP', 'UUID', 'FILENAME', 'TESTCASE']);
  expect(rows).toEqual([
    ['first', '2', uuid, 'left.txt', '<none>', 'linux', 'text/plain', time],
    ['second', '1', uuid, 'report.xml', '<none>', 'linux', JUNIT_TYPE, time],
  ]);
  const json = await ctl.run('get', 'attachments', id, '-o', 'json');
  expect(JSON.parse(json.stdout)).toHaveLength(2);
});

feature('lists the attachments of a workflow of which a result has none', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await runSample(server);
  // A plugin says nothing of attachments; what an insight that is left out gives has none.
  await publish(server, 'WorkflowResult', id);
  const insights = [{ name: 'never', kind: 'ExecutionLog', if: 'failure()' }];
  await ctl.write('insights.yaml', { insights });
  const made = await ctl.run('generate', 'report', id, 'using', 'insights.yaml');
  expect([made.code, made.stdout]).toEqual([0, expect.not.stringContaining('downloaded')]);
  const rows = await tableOf(ctl, 'get', 'attachments', id);
  expect(rows.map((cells) => cells[3])).toEqual(['FILENAME', 'left.txt', 'report.xml']);
  const query = 'fieldSelector=kind==WorkflowResult';
  const results = eventsOf(await server.call('GET', `/workflows/${id}/status`, { query }));
  expect(results.map(({ metadata }) => metadata.name).sort()).toEqual([
    'No insights published',
    'from a plugin',
  ]);
});

feature('copies an attachment by its id', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  const [, row] = await tableOf(ctl, 'get', 'attachments', id);
  const copied = await ctl.run('cp', `${id}:${row?.[2]}`, '.');
  expect(copied.code).toBe(0);
  expect(await readFile(join(ctl.home, 'left.txt'), 'utf8')).toBe(`${SAMPLE_CONTENT}\n`);
  expect((await ctl.run('cp', `${id}:${row?.[2]?.slice(0, 8)}`, 'other')).code).toBe(0);
  expect(await readFile(join(ctl.home, 'other'), 'utf8')).toBe(`${SAMPLE_CONTENT}\n`);
  const none = await ctl.run('cp', `${id}:00000000-0000-4000-8000-000000000000`, '.');
  expect(none.stderr).toContain('not found');
  expect(none.code).toBe(2);
});

feature('copies attachments by pattern and type, by job and step', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  expect((await ctl.run('cp', `${id}:*.txt`, 'texts')).lines).toHaveLength(1);
  expect(await readFile(join(ctl.home, 'texts/first/2/left.txt'), 'utf8')).toContain(
    SAMPLE_CONTENT,
  );
  expect((await ctl.run('cp', `${id}:*`, 'typed', '--type', '*surefire+xml')).lines).toHaveLength(
    1,
  );
  expect(await readFile(join(ctl.home, 'typed/second/1/report.xml'), 'utf8')).toContain(
    '<testcase',
  );
  expect((await ctl.run('cp', `${id}:*.pdf`, 'none')).code).toBe(1);
});

feature('makes reports of definitions of its own', async (run) => {
  const { ctl, server } = await servers.open(run);
  // Its own: who looks at data is told of those who still work on a report.
  const id = await runSample(server);
  const insights = [
    { name: 'summary', kind: 'SummaryReport' },
    { name: 'log', kind: 'ExecutionLog' },
    { name: 'cases', kind: 'SurefireXmlReport' },
  ];
  await ctl.write('insights.yaml', { insights });
  const make = (...words: readonly string[]) =>
    ctl.run('generate', 'report', id, 'using', 'insights.yaml', ...words);
  const all = await make('--save-to', 'reports');
  expect(all.lines.filter((line) => line.includes('is downloaded at'))).toHaveLength(3);
  expect(await readFile(join(ctl.home, 'reports/summary.html'), 'utf8')).toContain('<html');
  expect((await make('--name', 'log', '--as', 'own.txt')).code).toBe(0);
  expect(await readFile(join(ctl.home, 'own.txt'), 'utf8')).toContain('shown');
  const none = await make('--name', 'other');
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('No expected reports')]);
  await ctl.write('insights.yaml', { insights: [{ name: 'x', kind: 'Other' }] });
  expect((await make()).code).toBe(2);
});

feature('shows the test cases, jobs and tags of a workflow', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  const data = (kind: string, ...words: readonly string[]) =>
    tableOf(ctl, 'get', 'datasource', id, '--kind', kind, '-o', 'wide', ...words);
  const runsOn = '["linux", "shell"]';
  expect(await data('testcases', '--field-selector', 'test.outcome!=skipped')).toEqual([
    ['NAME', 'TECHNOLOGY', 'OUTCOME', 'EXECUTION TIME', 'RUNS-ON', 'JOB'],
    ['suite#good', 'junit', 'success', '250', runsOn, 'second'],
    ['suite#bad', 'junit', 'failure', '1000', runsOn, 'second'],
    ['Workflow completed.'],
  ]);
  expect(await data('jobs')).toContainEqual(['second', '1', '1', '0', '1', '3', runsOn]);
  expect(await data('tags')).toContainEqual(['shell', '1', '1', '0', '1', '3']);
  expect((await ctl.run('get', 'datasource', id, '--kind', 'colours')).code).not.toBe(0);
});

feature('shows and counts test cases that were skipped', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await overWithReports(server);
  const data = (kind: string) =>
    tableOf(ctl, 'get', 'datasource', id, '--kind', kind, '-o', 'wide');
  const cells = (await data('testcases')).map(([name, , outcome]) => [name, outcome]);
  expect(cells).toContainEqual(['suite#left out', 'skipped']);
  const jobs = await data('jobs');
  const column = jobs[0]?.indexOf('SKIPPED') ?? -1;
  expect(jobs.find(([name]) => name === 'second')?.[column]).toBe('1');
});

feature('ends with 101 when data are not there in time', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, oneJob('waiting', [reportStep([])], { 'runs-on': 'nowhere' }));
  const words = ['--kind', 'jobs', '--timeout', '1'];
  expect((await ctl.run('get', 'datasource', id, ...words)).code).toBe(101);
  const unknown = '00000000-0000-4000-8000-000000000000';
  const none = await ctl.run('get', 'datasource', unknown, '--kind', 'jobs');
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining(unknown)]);
});
