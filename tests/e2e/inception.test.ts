/** Rehearsals: jobs on the inception environment, with a real server, which is also killed meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf } from '../structure/document-blocks.ts';
import { itemsOf } from '../support/api.ts';
import {
  allEvents,
  datasource,
  ended,
  logTexts,
  type Manifest,
  only,
  sh,
  startedId,
} from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const REPORT = (name: string): string =>
  `<testsuite name="s" tests="1"><testcase classname="c" name="${name}" time="1"/></testsuite>`;

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const prepare = (files: Readonly<Record<string, string>>): Manifest => ({
  uses: 'actions/prepare-inception@v1',
  with: Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, `\${{ resources.files['${file}'] }}`]),
  ),
});

async function start(
  jobs: Manifest,
  files: Readonly<Record<string, string>> = {},
  namespace = 'default',
): Promise<string> {
  const resources =
    Object.keys(files).length === 0 ? {} : { resources: { files: Object.keys(files) } };
  const form = new FormData();
  const manifest = { metadata: { name: 'rehearsal', namespace }, ...resources, jobs };
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  for (const [name, content] of Object.entries(files)) form.set(name, new Blob([content]), name);
  return startedId(await server.call('POST', '/workflows', { body: form }));
}

/** Job and name of each test case, with its technology. */
async function casesOf(id: string, count: number): Promise<readonly string[]> {
  const cases = await datasource(server, id, 'testcases', { count });
  const shownBy = cases.map(({ metadata, test: of }) => {
    const { job, technology } = of as Manifest;
    return `${job} ${technology}: ${String((metadata as Manifest).name).replace(/^.*#/, '')}`;
  });
  return shownBy.sort();
}

const nameIn = (path: string): string => path.replace(/^\/tmp\/[^_]*_[^_]*_/, '');

const on = (steps: readonly Manifest[], more: Manifest = {}): Manifest => ({
  'runs-on': ['linux', 'inception', 'special'],
  steps,
  ...more,
});

const ATTACH =
  'echo "::attach type=application/vnd.opentestfactory.x-surefire+xml::$PWD/out/report.xml"';

// Language 3.2: The inception environment.
test('a rehearsal runs nothing, shows its scripts, and reads the reports that were prepared', async () => {
  const id = await start(
    {
      main: on([
        prepare({ 'report.xml': 'mine.xml', 'TEST-a.xml': 'junit.xml' }),
        sh(`exit 1\n${ATTACH}`),
        { uses: 'junit/mvntest@v1', with: { test: 'a.B#c' } },
        { uses: 'actions/get-files@v1', with: { pattern: 'out/TEST*.xml' } },
        sh('echo "::attach::none.txt"'),
      ]),
    },
    { 'mine.xml': REPORT('mine'), 'junit.xml': REPORT('junit') },
    'team',
  );
  expect(await ended(server, id)).toBe('DONE');
  expect(await casesOf(id, 2)).toEqual(['main x: mine', 'main junit: junit'].sort());
  const log = (await logTexts(server, id)).join('\n');
  expect(log).toContain('exit 1');
  expect(log).toContain('No file was prepared for none.txt.');
  const results = only(await allEvents(server, id), 'ExecutionResult');
  expect(results.map(({ status }) => status)).toEqual(results.map(() => 0));
  const [path = ''] = results.flatMap(({ attachments = [] }) => attachments as readonly string[]);
  expect(path).toMatch(/_report\.xml$/);
  const uuid = path.slice(5 + 37, 5 + 73);
  const file = await server.call('GET', `/workflows/${id}/files/${uuid}`);
  expect(file).toMatchObject({ code: 200, text: REPORT('mine') });
});

test('a pattern finds no report of another technology, of another step or of another job', async () => {
  const files = Object.fromEntries(
    ['maven', 'robot', 'python', 'again', 'other', 'own'].map((name) => [name, REPORT(name)]),
  );
  const junit: Manifest = { uses: 'junit/mvntest@v1', with: { test: 'a.B' } };
  const main = on([
    prepare({ 'TEST-a.xml': 'maven', 'output.xml': 'robot', 'pytest-report.xml': 'python' }),
    { ...prepare({ 'own.xml': 'own' }) },
    junit,
    { uses: 'robotframework/execute@v1', with: { test: 'a.robot' } },
    { uses: 'pytest/execute@v1', with: { test: 'test_a.py' } },
    { uses: 'actions/get-file@v1', with: { path: 'out/own.xml' } },
    prepare({ 'TEST-b.xml': 'again' }),
    junit,
  ]);
  const other = on([prepare({ 'TEST-c.xml': 'other' }), junit]);
  const id = await start({ main, other }, files);
  expect(await ended(server, id)).toBe('DONE');
  const attached = only(await allEvents(server, id), 'ExecutionResult').flatMap(
    ({ attachments = [] }) => (attachments as readonly string[]).map((path) => nameIn(path)),
  );
  expect(attached.sort()).toEqual(
    ['TEST-a.xml', 'TEST-b.xml', 'TEST-c.xml', 'output.xml', 'own.xml', 'report.xml'].sort(),
  );
});

test('a file that there is not, and what was not prepared, are told where they are named', async () => {
  const id = await start(
    {
      main: {
        'runs-on': ['inception', 'windows'],
        steps: [
          { uses: 'actions/prepare-inception@v1', with: { 'a.xml': 'a.xlm' } },
          { uses: 'junit/execute@v1', with: { test: 'shop/a.B' } },
          sh('@echo ::attach type=application/vnd.opentestfactory.shop-surefire-xml::%CD%\\b.xml'),
        ],
      },
    },
    { 'a.xml': REPORT('a') },
  );
  expect(await ended(server, id)).toBe('DONE');
  const log = await logTexts(server, id);
  expect(log.filter((line) => /ERROR,|WARNING,/.test(line))).toEqual([
    expect.stringContaining('Invalid "resources.files" reference "a.xlm".'),
    expect.stringContaining('Invalid "resources.files" reference "a.xlm".'),
    expect.stringContaining('No test results are read of %CD%\\b.xml, as nothing reads the type'),
    expect.stringContaining('No file was prepared for %CD%\\b.xml.'),
  ]);
});

test('on Windows the path of reports that were not prepared is told as the function has it', async () => {
  const id = await start({
    main: {
      'runs-on': ['inception', 'windows'],
      steps: [{ uses: 'junit/execute@v1', with: { test: 'shop/a.B' } }],
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  const log = (await logTexts(server, id)).join('\n');
  expect(log).toContain('No file was prepared for shop/**/target/*surefire-reports/*.xml.');
});

test('several jobs and runs rehearse at a time, each with its own files', async () => {
  const files = { a: REPORT('of a'), b: REPORT('of b') };
  const job = (file: string) => on([prepare({ 'report.xml': file }), sh('true'), sh(ATTACH)]);
  const later = on([sh(ATTACH)], { needs: ['one', 'two'] });
  const jobs = { one: job('a'), two: job('b'), later };
  const ids = await Promise.all([start(jobs, files), start(jobs, files), start(jobs, files)]);
  for (const id of ids) {
    expect(await ended(server, id)).toBe('DONE');
    const cases = await datasource(server, id, 'testcases', { count: 3 });
    const byJob = cases.map(({ metadata, test: what }) => [
      (what as Manifest).job,
      String((metadata as Manifest).name).replace(/^.*#/, ''),
    ]);
    expect(byJob).toEqual(
      expect.arrayContaining([
        ['one', 'of a'],
        ['two', 'of b'],
      ]),
    );
  }
});

test('the example of the document works as it stands there', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/guides/inception.md'), 'utf8');
  const [workflow = ''] = blocksOf(text, 'yaml');
  const [report = ''] = blocksOf(text, 'xml');
  const form = new FormData();
  form.set('workflow', new Blob([workflow], { type: 'application/yaml' }), 'rehearsal.yaml');
  form.set('report.xml', new Blob([report]), 'report.xml');
  const id = startedId(await server.call('POST', '/workflows', { body: form }));
  expect(await ended(server, id)).toBe('DONE');
  const cases = await datasource(server, id, 'testcases', { count: 2 });
  expect(cases.map(({ status }) => status).sort()).toEqual(['FAILURE', 'SUCCESS']);
});

test('the environment is listed, for all namespaces, and always free', async () => {
  const query = 'fieldSelector=metadata.name==inception';
  const [channel, ...others] = itemsOf(await server.call('GET', '/channels', { query }));
  expect(others).toEqual([]);
  expect(channel).toMatchObject({
    metadata: { namespaces: '*' },
    spec: { tags: ['inception'] },
    status: { phase: 'IDLE', currentJobID: null },
  });
  const { metadata } = channel as { readonly metadata: Manifest };
  expect(itemsOf(await server.call('GET', '/channelhandlers'))).toContain(
    metadata.channelhandler_id,
  );
});

test('nothing says that there is no environment, and jobs without the tag wait for agents', async () => {
  const id = await start({
    main: on([sh('x')]),
    other: { 'runs-on': 'linux', steps: [sh('true')] },
  });
  await bench.agent(server, { tags: ['linux', 'inception', 'special'], name: 'both' });
  expect(await ended(server, id)).toBe('DONE');
  const notices = only(await allEvents(server, id), 'Notification');
  const waiting = notices.filter(({ spec }) => 'tutti.waiting' in (spec as object));
  expect(waiting.filter(({ spec }) => JSON.stringify(spec).includes('main'))).toEqual([]);
});

test('a server that is killed goes on with its rehearsals', async () => {
  const jobs = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `job${index}`,
      on([prepare({ 'report.xml': 'a' }), ...Array(10).fill(sh('step')), sh(ATTACH)]),
    ]),
  );
  const id = await start(jobs, { a: REPORT('late') });
  for (let kills = 0; kills < 3; kills += 1) {
    await server.child.kill('SIGKILL');
    server = await bench.server({ dataDir: server.dataDir });
  }
  expect(await ended(server, id)).toBe('DONE');
  const events = await allEvents(server, id);
  expect(only(events, 'ExecutionResult').filter(({ attachments }) => attachments)).toHaveLength(8);
  await datasource(server, id, 'testcases', { count: 8 });
});
