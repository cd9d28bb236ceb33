/** `tutti attachments` and `tutti report` (clients facts 3.8 to 3.10), over runs that really were. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createGate, type Gate } from '../support/gate.ts';
import { ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const INSIGHTS = `insights:
  - {name: log, kind: ExecutionLog}
  - {name: results, kind: SurefireXmlReport}
  - {name: never, kind: ExecutionLog, if: failure()}
`;

const attach = (path: string, type: string) => `echo "::attach type=${type}::$PWD/${path}"`;

/** Two jobs: a report and other files, equal names and names that lead elsewhere among them. And a file of the run. */
const MANIFEST = {
  metadata: { name: 'files' },
  jobs: {
    'a-job': {
      'runs-on': 'linux',
      steps: [
        sh('true'),
        reportStep([{ name: 'adds', seconds: 1 }]),
        sh(
          `mkdir -p a b; echo one > a/x.txt; echo two > b/x.txt; printf 'a\\0b' > '..\\..\\e.bin'; ${attach('a/x.txt', 'text/plain')}; ${attach('b/x.txt', 'text/plain')}; ${attach('..\\\\..\\\\e.bin', 'application/octet-stream')}`,
        ),
      ],
    },
    second: {
      needs: 'a-job',
      'runs-on': 'linux',
      steps: [sh('echo all > whole.txt; echo "::upload type=text/plain::$PWD/whole.txt"')],
    },
  },
};

let bench: Workbench;
let server: ServerChild;
let gate: Gate;
/** Ids of runs: one with files, one without, one that goes on. */
let runs: Readonly<Record<'files' | 'none' | 'going', string>>;

beforeAll(async () => {
  bench = await Workbench.open();
  gate = createGate(bench);
  const definitions = `${bench.folder}/insights.yaml`;
  await writeFile(definitions, INSIGHTS);
  server = await bench.server({ config: { insights: { definitions: [definitions] } } });
  await bench.agent(server, { tags: ['linux'] });
  const files = await start(server, MANIFEST);
  const none = await start(server, oneJob('none', [sh('true')]));
  for (const id of [files, none]) {
    expect(await ended(server, id)).toBe('DONE');
    await workersEnded(server, id);
  }
  runs = { files, none, going: await start(server, oneJob('going', [gate.step])) };
});

afterAll(() => bench.close());

const tutti = (command: string, ...args: string[]) =>
  runCli([command, '--server', server.url, ...args], {
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token },
  });

const attachments = (...args: string[]) => tutti('attachments', ...args);

/** Paths of all files below a directory, sorted. */
async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

describe('tutti attachments', () => {
  test('lists them with job and step, those of the run without', async () => {
    const { code, stdout, stderr } = await attachments(runs.files);
    expect([code, stderr]).toEqual([0, '']);
    const uuid = '[0-9a-f-]{36}';
    const rows = [
      'JOB_NAME +STEP +UUID +FILENAME +TESTCASE',
      `a-job +2 +${uuid} +report.xml +<none>`,
      `a-job +3 +${uuid} +x.txt +<none>`,
      `a-job +3 +${uuid} +x.txt +<none>`,
      `a-job +3 +${uuid} +\\S*e.bin +<none>`,
      `<none> +<none> +${uuid} +whole.txt +<none>`,
      `<none> +<none> +${uuid} +log.txt +<none>`,
      `<none> +<none> +${uuid} +results.xml +<none>`,
    ];
    expect(stdout).toMatch(new RegExp(`^${rows.join('\n')}\n$`));
  });

  test('a wide table has types and times', async () => {
    const { stdout } = await attachments(runs.files, '*.xml', '-o', 'wide');
    expect(stdout).toMatch(/ CHANNEL_OS +TYPE +CREATED_AT\n/);
    expect(stdout).toMatch(
      /report.xml +<none> +linux +application\/vnd.opentestfactory.junit-surefire\+xml +\d{4}-/,
    );
  });

  test.each<[readonly string[], readonly string[]]>([
    [['x.*'], ['x.txt', 'x.txt']],
    [
      ['*', '--type', 'text/*'],
      ['x.txt', 'x.txt', 'whole.txt', 'log.txt'],
    ],
    [['[rw]*.xml', '--type', '*surefire*'], ['report.xml']],
    [['nothing'], []],
  ])('%j chooses %j', async (args, expected) => {
    const { code, stdout } = await attachments(runs.files, ...args, '-o', 'json');
    const { items }: { items: readonly { filename: string }[] } = JSON.parse(stdout);
    expect([code, items.map(({ filename }) => filename)]).toEqual([0, expected]);
    const yaml = await attachments(runs.files, ...args, '-o', 'yaml');
    expect(parse(yaml.stdout)).toEqual(JSON.parse(stdout));
  });

  test('saves them in folders of jobs and steps, equal names told apart, and nothing elsewhere', async () => {
    const directory = `${bench.folder}/saved`;
    const { code, stdout, stderr } = await attachments(runs.files, '--save-to', directory);
    expect([code, stderr]).toEqual([0, '']);
    const saved = await filesIn(directory);
    expect(saved).toEqual([
      'a-job/2/report.xml',
      'a-job/3/.._.._e.bin',
      'a-job/3/x (2).txt',
      'a-job/3/x.txt',
      'log.txt',
      'results.xml',
      'whole.txt',
    ]);
    expect(await readFile(join(directory, 'a-job/3/x.txt'), 'utf8')).toBe('one\n');
    expect(await readFile(join(directory, 'a-job/3/x (2).txt'), 'utf8')).toBe('two\n');
    expect(await readFile(join(directory, 'a-job/3/.._.._e.bin'))).toEqual(Buffer.from('a\0b'));
    for (const path of saved) expect(stdout).toContain(join(directory, path));
  }); // biome-ignore format: long lines

  test('replaces files only where that is wanted', async () => {
    const directory = `${bench.folder}/again`;
    const save = (...more: string[]) =>
      attachments(runs.files, 'whole.txt', '--save-to', directory, ...more);
    expect((await save()).code).toBe(0);
    await writeFile(join(directory, 'whole.txt'), 'mine');
    const refused = await save();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('whole.txt already. --force replaces it.');
    expect(await readFile(join(directory, 'whole.txt'), 'utf8')).toBe('mine');
    expect((await save('--force')).code).toBe(0);
    expect(await readFile(join(directory, 'whole.txt'), 'utf8')).toBe('all\n');
  });

  test('says so where there are none, and ends with 1 where some were to be saved', async () => {
    const none = await attachments(runs.none, 'x*');
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      '',
      `None of 2 attachments of workflow ${runs.none} fits.\n`,
    ]);
    const own = await attachments(runs.none, 'x*', '-o', 'custom-columns=FILE:filename');
    expect(own).toEqual(none);
    const saved = await attachments(runs.none, 'x*', '--save-to', `${bench.folder}/no`);
    expect([saved.code, saved.stderr]).toEqual([
      1,
      `tutti: None of 2 attachments of workflow ${runs.none} fits.\n`,
    ]);
  });

  test('takes a pattern alone for the run that was started last', async () => {
    await bench.agent(server, { tags: ['spare'] });
    const steps = [sh(`echo 1 > 'a b.txt'; ${attach('a b.txt', 'text/plain')}`)];
    const id = await start(server, { metadata: { name: 'last' }, jobs: { only: { 'runs-on': 'spare', steps } } });
    expect(await ended(server, id)).toBe('DONE');
    await workersEnded(server, id);
    const { code, stdout } = await attachments('a b*', '-o', 'json');
    const { items }: { items: readonly { filename: string }[] } = JSON.parse(stdout);
    expect([code, items.map(({ filename }) => filename)]).toEqual([0, ['a b.txt']]);
    const none = await attachments('nightly');
    expect([none.code, none.stderr]).toEqual([0, `None of 3 attachments of workflow ${id} fits.\n`]);
  }); // biome-ignore format: long lines

  test('says of a run that goes on that there may be more', async () => {
    const { code, stdout, stderr } = await attachments(runs.going);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      'tutti: The run goes on: there may be more attachments later.\nThere are no attachments.\n',
    );
  });
});

describe('tutti attachments copy', () => {
  const context = () => ({
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url },
  });
  const copy = (...args: string[]) => runCli(['attachments', 'copy', ...args], context());
  const cp = (...args: string[]) => runCli(['attachments', 'cp', ...args], context());
  const textOf = (path: string) => readFile(join(bench.folder, path), 'utf8');

  test('copies one to a file, or into a directory, and replaces nothing', async () => {
    const { code, stdout, stderr } = await copy(runs.files, 'whole.txt', 'brought/all-of-it.txt');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^SAVED_AS +UUID\nbrought\/all-of-it\.txt +[\da-f-]{36}\n$/);
    expect(await textOf('brought/all-of-it.txt')).toBe('all\n');
    expect((await copy(`${partOf(runs.files)}:whole.txt`, 'brought', '-o', 'name')).stdout).toBe('brought/whole.txt\n');
    expect((await copy(runs.files, 'whole.txt', 'new/', '-o', 'name')).stdout).toBe('new/whole.txt\n');
    const again = await copy(runs.files, 'whole.txt', 'brought/all-of-it.txt');
    expect([again.code, again.stderr]).toEqual([1, 'tutti: There is a file brought/all-of-it.txt already. --force replaces it.\n']);
    expect((await copy(runs.files, 'whole.txt', 'brought/all-of-it.txt', '--force')).code).toBe(0);
  }); // biome-ignore format: long lines

  test('copies one of several of a name by its id', async () => {
    const { code, stderr } = await copy(runs.files, 'x.txt', 'x.txt');
    expect([code, stderr.replaceAll(/"\S+ \S*tutti\.js /g, '"tutti ')]).toEqual([2, `tutti: 2 attachments of workflow ${runs.files} are called "x.txt".\nWhat to do: name one by its id ("tutti attachments ${runs.files} x.txt" shows these), or copy them all: "tutti attachments copy ${runs.files} 'x.txt*' DIRECTORY".\n`]);
    const [, second = ''] = (await attachments(runs.files, 'x.txt', '-o', 'name')).stdout.split('\n');
    expect((await copy(`${runs.files}:${second}`, 'second.txt')).code).toBe(0);
    expect(await textOf('second.txt')).toBe('two\n');
  }); // biome-ignore format: long lines

  test('copies all that fit by name and type into folders of jobs and steps', async () => {
    expect((await copy(runs.files, '*', 'tree', '--type', 'text/*')).code).toBe(0);
    expect(await filesIn(`${bench.folder}/tree`)).toEqual(['a-job/3/x (2).txt', 'a-job/3/x.txt', 'log.txt', 'whole.txt']);
    expect((await cp(`${runs.files}:*.xml`, 'xml')).code).toBe(0);
    expect(await filesIn(`${bench.folder}/xml`)).toEqual(['a-job/2/report.xml', 'results.xml']);
  }); // biome-ignore format: long lines

  test.each([
    ['none that fits', () => [runs.files, '*.png', 'out'], 1, 'tutti: None of 7 attachments of workflow'],
    ['one word', () => ['*.xml'], 2, `tutti: Not what can be copied, and where to: '*.xml'.\nWhat to do: write ID PATTERN DESTINATION, or ID:PATTERN DESTINATION; patterns stand in quotes, as in "*.xml".\n`],
    ['too many words, of a pattern without quotes', () => [runs.files, 'a', 'b', 'c'], 2, 'Not what can be copied, and where to: '],
    ['an unknown run', () => [`${UNKNOWN}:x`, 'out'], 2, `Workflow ${UNKNOWN} not found.`],
  ])('of %s says so', async (_, args, code, message) => {
    const copied = await copy(...args());
    expect([copied.code, copied.stdout]).toEqual([code, '']);
    expect(copied.stderr).toContain(message);
  }); // biome-ignore format: one line for each
});

describe('tutti report', () => {
  const report = (...args: string[]) => tutti('report', ...args);

  test('saves those that the server made by itself', async () => {
    const directory = `${bench.folder}/own`;
    const { code, stdout, stderr } = await report(runs.files, '--save-to', directory);
    expect([code, stderr]).toEqual([0, '']);
    expect(await filesIn(directory)).toEqual(['log.txt', 'results.xml']);
    expect(stdout).toMatch(/^NAME +SAVED_AS\nlog +\S+log\.txt\nresults +\S+results\.xml\n$/);
    expect(await readFile(join(directory, 'results.xml'), 'utf8')).toContain('name="adds"');
  });

  test('saves one under another name', async () => {
    const saved = await report(runs.files, '--name', 'log', '--as', 'told.txt', '--save-to', `${bench.folder}/as`);
    expect([saved.code, await filesIn(`${bench.folder}/as`)]).toEqual([0, ['told.txt']]);
    const both = await report(runs.files, '--as', 'told.txt');
    expect([both.code, both.stdout]).toEqual([2, '']);
    expect(both.stderr).toContain('tutti: There are 2 reports, and one can be saved as told.txt: log, results.\nWhat to do: choose one with --name, or leave --as out.\n');
  }); // biome-ignore format: long lines

  test('has reports made by definitions of its own', async () => {
    const directory = `${bench.folder}/made`;
    const using = `${bench.folder}/mine.yaml`;
    await writeFile(using, INSIGHTS.replaceAll('name: ', 'name: my-'));
    const { code, stdout, stderr } = await report(runs.files, '--using', using, '--save-to', directory, '-o', 'json');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^tutti: The insight "my-never" was not made: .+\n$/);
    expect(await filesIn(directory)).toEqual(['my-log.txt', 'my-results.xml']);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ name: 'my-log', saved_as: join(directory, 'my-log.txt') }, { name: 'my-results' }] });
    const one = await report(runs.files, '--using', using, '--name', '*-log', '--save-to', directory, '--force');
    expect(one.stdout).toMatch(/^NAME +SAVED_AS\nmy-log +\S+my-log\.txt\n$/);
  }); // biome-ignore format: long lines

  test('says of those that are made while the run goes on what they lack, and ends with 101', async () => {
    const directory = `${bench.folder}/early`;
    const using = `${bench.folder}/early.yaml`;
    await writeFile(using, 'insights:\n- {name: xml, kind: SurefireXmlReport}\n- {name: log, kind: ExecutionLog}\n- {name: page, kind: SummaryReport}\n');
    const { code, stderr } = await report(runs.going, '--using', using, '--save-to', directory);
    const why = 'This was made while the workflow was running: test cases may be missing. Make it again when the workflow is over.';
    expect([code, stderr]).toEqual([101, ['xml', 'page'].map((name) => `tutti: The report "${name}" is not complete. ${why}\n`).join('')]);
    expect(await filesIn(directory)).toEqual(['log.txt', 'page.html', 'xml.xml']);
    expect(await readFile(join(directory, 'xml.xml'), 'utf8')).toContain(`<system-err>${why}</system-err>`);
    expect(await readFile(join(directory, 'page.html'), 'utf8')).toMatch(new RegExp(`<aside class="notice"[^]*${why}[^]*</aside>`));
  }); // biome-ignore format: long lines

  test('waits for those of a run that goes on, for a time', async () => {
    const early = await report(runs.going, '--timeout', '1');
    expect([early.code, early.stderr]).toEqual([101, 'tutti: Not all reports were there in time.\n']);
    const directory = `${bench.folder}/late`;
    const args = ['report', runs.going, '--name', 'log', '--save-to', directory, '--server', server.url];
    const waiting = startCli(args, { cwd: bench.folder, env: { TUTTI_TOKEN: server.token } });
    await waiting.said(/^Waiting for reports: the run goes on, or they are being made\.$/m);
    await gate.open();
    expect([await waiting.ended, await filesIn(directory)]).toEqual([0, ['log.txt']]);
  }); // biome-ignore format: long lines

  test('tells what a definition names and no item has', async () => {
    const using = `${bench.folder}/remarks.yaml`;
    await writeFile(using, 'insights:\n- name: a\n  kind: SummaryReport\n  spec:\n    template: [{name: t, kind: Table, datasource: tags, maxItems: 0}]\n');
    const { code, stderr } = await report(runs.files, '--using', using, '--save-to', `${bench.folder}/remarks`);
    expect([code, stderr]).toEqual([0, 'tutti: Insight definition: insights[0].spec.template[0].maxItems: must be a whole number from 1, not 0, which counts as 0 (line 5).\n']);
  }); // biome-ignore format: long lines

  test('ends with 1 where there is nothing to report', async () => {
    const using = `${bench.folder}/none.yaml`;
    await writeFile(using, 'insights: [{name: never, kind: ExecutionLog, if: failure()}]');
    const conditions = await report(runs.files, '--using', using);
    expect([conditions.code, conditions.stdout]).toEqual([1, '']);
    expect(conditions.stderr).toContain('the conditions of the definition do not hold');
    const names = await report(runs.files, '--using', using, '--name', 'x');
    expect(names.code).toBe(1);
    expect(names.stderr).toContain('no insight whose name fits "x"');
    const own = await report(runs.files, '--name', 'x');
    expect([own.code, own.stderr]).toEqual([1, 'tutti: The server made no such reports on this run.\n']);
  }); // biome-ignore format: long lines
});

/** Ids begin alike: two runs can be told apart by their ends. */
const partOf = (id: string): string => id.slice(0, -2);

test('runs are named by parts of their ids, and lists have columns of one’s own, or names alone', async () => {
  const id = partOf(runs.files);
  const files = await attachments(id, 'report.xml', '-o', 'custom-columns=FILE:filename,JOB:job_name');
  expect(files.stdout).toBe('FILE        JOB\nreport.xml  a-job\n');
  const ids = (await attachments(id, 'report.xml', '-o', 'name')).stdout;
  expect(ids).toMatch(/^[\da-f-]{36}\n$/);
  const one = await attachments(runs.files, ids.trim(), '-o', 'custom-columns=N:filename');
  expect(one.stdout).toBe('N\nreport.xml\n');
  const saved = await tutti('report', id, '--name', 'log', '--save-to', 'named', '-o', 'name');
  expect(saved.stdout).toMatch(/^\S*named\/log\.txt\n$/);
  const gate = await tutti('gate', id, '-o', 'custom-columns=RULE:name,FAILED:tests_failed');
  expect([gate.code, gate.stdout]).toEqual([0, 'RULE    FAILED\nstrict  0\n']);
  expect((await tutti('testcases', id, '-o', 'name')).stdout).toBe('suite#adds\n');
}); // biome-ignore format: one line for each list

test.each([
  ['attachments', 'an unknown run', [UNKNOWN], `Workflow ${UNKNOWN} not found.`],
  ['attachments', 'a part of no id', ['cafe'], " attachments 'cafe*'; or see which there are with"],
  ['attachments', 'a name and a pattern', ['files', '*'], 'Not the id of a workflow: "files".'],
  ['report', 'a name of reports', ['my log'], " report --name 'my log'; or see which"],
  ['gate', 'a name of a gate', ['release'], ' gate --gate release; or see which'],
  ['testcases', 'a pattern', ['login*'], ' testcases --scope '],
  ['attachments', 'an unknown form', ['-o', 'junit'], 'junit'],
  ['report', 'an unknown run', [UNKNOWN], `Workflow ${UNKNOWN} not found.`],
  ['report', 'a definition that is not there', ['--using', 'no.yaml'], 'no.yaml'],
  ['report', 'a definition that is none', ['--using', 'insights.yaml.bad'], 'insight'],
])('%s of %s ends with 2', async (command, _what, args, problem) => {
  await writeFile(`${bench.folder}/insights.yaml.bad`, 'insights: wrong');
  const { code, stdout, stderr } = await tutti(command, ...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(problem);
});
