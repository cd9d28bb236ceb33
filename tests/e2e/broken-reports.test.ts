/** Reports that are cut off, empty, of another format, or malicious. Each place that shows results shows this, too. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  allEvents,
  ended,
  logOf,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
  workersEnded,
} from '../support/runs.ts';
import { JUNIT_TYPE, reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { type CliResult, runCli } from './cli-process.ts';

const TAP_TYPE = 'application/vnd.opentestfactory.prove-tap';
const ADVICE = 'Look into the log of the step, correct what writes the report, and run it again.';
const READ = 'None of its test cases were read.';

/** A step that attaches a file of that content. */
const attachStep = (name: string, file: string, content: string, type = JUNIT_TYPE): Manifest =>
  sh(`cat > ${file} <<'END'\n${content}\nEND\necho "::attach type=${type}::$PWD/${file}"`, {
    name,
  });

const BOMB = [
  '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
  '<testsuite name="bomb"><testcase name="&b;"/></testsuite>',
].join('\n');
const CUT = '<testsuite name="cut">\n<testcase name="one"/>\n<testcase name="two"/>\n<testcase na';

const STEPS: readonly Manifest[] = [
  reportStep([{ name: 'good', seconds: 0.1 }], { name: 'Whole' }),
  attachStep('Cut off', 'cut.xml', CUT),
  sh(`: > empty.xml; echo "::attach type=${JUNIT_TYPE}::$PWD/empty.xml"`, { name: 'Nothing' }),
  attachStep('Explodes', 'bomb.xml', BOMB),
  attachStep('A page', 'page.xml', '<html><body>Not found</body></html>'),
  attachStep('No plan', 'report.tap', 'ok 1 - a', TAP_TYPE),
  attachStep('No tests', 'none.xml', '<testsuites/>'),
];

const WARNINGS = [
  [
    'cut.xml',
    'Cut off',
    'It cannot be read to its end: line 4, column 10: unclosed tag: testcase. 2 test cases were read, those after them are missing.',
  ],
  ['empty.xml', 'Nothing', `It cannot be read: the file is empty. ${READ}`],
  ['bomb.xml', 'Explodes', `It cannot be read: line 2, column 43: undefined entity. ${READ}`],
  [
    'page.xml',
    'A page',
    `It cannot be read: line 1, column 6: the document begins with <html>, expected <testsuites> or <testsuite>. ${READ}`,
  ],
  [
    'report.tap',
    'No plan',
    'The report has no plan: it may have been cut off. 1 test case was read, others may be missing.',
  ],
].map(([file, step, what]) => `Report "${file}" of job "main", step "${step}": ${what} ${ADVICE}`);
const LINES = WARNINGS.map((warning) => `tutti: ${warning}\n`).join('');

let bench: Workbench;
let server: ServerChild;
let id: string;
let run: CliResult;

const tutti = (...args: string[]): Promise<CliResult> =>
  runCli([...args, '--server', server.url], {
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token },
  });

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
  const file = join(bench.folder, 'workflow.json');
  await writeFile(file, JSON.stringify(oneJob('broken', STEPS)));
  run = await tutti('run', file, '--wait');
  id = run.stdout.split(' ')[1] ?? '';
});

afterAll(() => bench.close());

const gateAnswer = (query: string) => server.call('GET', `/workflows/${id}/qualitygate`, { query });

const gateOf = async (mode = 'strict') => detailsOf(await gateAnswer(`mode=${mode}`));

test('a run that is followed tells them on standard error, and in its result', () => {
  expect([run.code, run.stderr]).toEqual([0, LINES]);
  expect(run.stdout).toContain(
    '\nResult: SUCCESS, 4 of 4 test cases passed (100 %); others may be missing.\n',
  );
});

test('4.10: a quality gate has the verdict of what was read, and the warnings', async () => {
  for (const mode of ['strict', 'passing']) {
    expect(await gateOf(mode)).toMatchObject({ status: 'SUCCESS', warnings: WARNINGS });
  }
});

test('a gate that is asked by the command tells them beside the verdict, and exits as ever', async () => {
  const people = await tutti('gate', id);
  expect([people.code, people.stderr]).toEqual([0, LINES]);
  expect(people.stdout).toContain('SUCCESS');
  const programs = await tutti('gate', id, '-o', 'json');
  expect([programs.code, programs.stderr]).toEqual([0, LINES]);
  expect(JSON.parse(programs.stdout).details.warnings).toEqual(WARNINGS);
});

test('4.5: data sources have the warnings', async () => {
  for (const kind of ['testcases', 'jobs', 'tags']) {
    const answer = await server.call('GET', `/workflows/${id}/datasources/${kind}`);
    expect(detailsOf(answer)).toMatchObject({ status: 'COMPLETE', warnings: WARNINGS });
  }
});

test.each([
  ['status', []],
  ['testcases', []],
  ['testcases', ['-o', 'ctrf']],
  ['testcases', ['-o', 'yaml']],
])('tutti %s %j tells them on standard error alone', async (command, options) => {
  const { code, stderr, stdout } = await tutti(command, id, ...options);
  expect([code, stderr]).toEqual([0, LINES]);
  expect(stdout).not.toContain('tutti: ');
});

/** Attributes of suites, and what stands in `system-err`. Throws where it is no XML. */
function suitesOf(xml: string) {
  const suites: Record<string, string>[] = [];
  let shownBy = '';
  let isReported = false;
  let cases = 0;
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testsuite') suites.push(attributes as Record<string, string>);
    if (name === 'testcase') cases += 1;
    isReported = name === 'system-err';
  });
  parser.on('text', (text) => {
    if (isReported) shownBy += text;
  });
  parser.on('closetag', () => {
    isReported = false;
  });
  parser.write(xml).close();
  return { suites, shownBy, cases };
}

function expectWarnedXml(xml: string): void {
  const { suites, shownBy, cases } = suitesOf(xml);
  expect(suites[0]).toMatchObject({ name: 'Test results may be missing', tests: '0' });
  expect(shownBy).toBe(WARNINGS.join('\n'));
  expect(cases).toBe(4);
  expect(suites.reduce((sum, { tests }) => sum + Number(tests), 0)).toBe(4);
}

test('JUnit XML of the command has them in a suite without test cases', async () => {
  const { stderr, stdout } = await tutti('testcases', id, '-o', 'junit');
  expect(stderr).toBe(LINES);
  expectWarnedXml(stdout);
});

test('reports have them: HTML in front, JUnit XML in a suite without test cases', async () => {
  const definition = join(bench.folder, 'insights.yaml');
  await writeFile(
    definition,
    'insights:\n- name: page\n  kind: SummaryReport\n- name: results\n  kind: SurefireXmlReport\n',
  );
  const { code, stderr } = await tutti('report', id, '--using', definition);
  expect([code, stderr]).toEqual([0, LINES]);
  const html = await readFile(join(bench.folder, 'page.html'), 'utf8');
  const [, notice = ''] = /<aside class="notice".*?>(.*?)<\/aside>/s.exec(html) ?? [];
  expect(notice.match(/<li>/g)).toHaveLength(WARNINGS.length);
  expect(notice).toContain('It cannot be read: the file is empty.');
  expect(html.indexOf('<aside')).toBeLessThan(html.indexOf('<main'));
  expect(html).toContain('All 4 test cases passed; others may be missing.');
  expectWarnedXml(await readFile(join(bench.folder, 'results.xml'), 'utf8'));
});

test('a run with nothing but a report without test cases has no tests, and no warning', async () => {
  const none = await start(server, oneJob('none', STEPS.slice(-1)));
  await ended(server, none);
  await workersEnded(server, none);
  const { code, stderr, stdout } = await tutti('gate', none);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('NOTEST');
  expect(await logOf(server, none)).toContain('WARNING,No test results in none.xml.');
});

const WRITE_MANY = `mkdir r; for i in $(seq 1001 2030); do
  echo "<testsuite name='s'><testcase classname='c' name='t$i'/></testsuite>" > r/$i.xml
done`;

test('reports that a step named and that did not arrive are told as well, once for each step', {
  timeout: 120_000,
}, async () => {
  const forgiven = { 'continue-on-error': true };
  const attach = `echo "::attach type=${JUNIT_TYPE}::$PWD/none.xml"; echo "::attach::$PWD/none.txt"`;
  const getFiles = { pattern: 'r/*.xml', type: JUNIT_TYPE };
  const many = await start(
    server,
    oneJob('many', [
      sh(attach, { name: 'One', ...forgiven }),
      sh(WRITE_MANY),
      { uses: 'actions/get-files@v1', with: getFiles, ...forgiven },
      { uses: 'actions/get-files@v1', with: { pattern: 'none/*.xml', type: JUNIT_TYPE } },
      { uses: 'actions/get-files@v1', with: { pattern: 'none/*.txt' } },
      // There are no tests, so there is no report either, whether their program is there or not.
      { uses: 'robotframework/robot@v1', with: { datasource: 'none.robot' }, ...forgiven },
    ]),
  );
  await ended(server, many, { withinMs: 60_000 });
  await workersEnded(server, many);
  const { code, stdout, stderr } = await tutti('gate', many);
  expect([code, stdout]).toEqual([0, expect.stringContaining('SUCCESS')]);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(
      /^tutti: Report "\S+\/none\.xml" of job "main", step "One": It could not be read: .+\. None of its test cases were read\. /,
    ),
    expect.stringMatching(
      /^tutti: Report "\S*r\/2025\.xml" and 5 more of job "main", step "actions\/get-files@v1": They were not attached, as there were too many files\. None of their test cases were read\. /,
    ),
    `tutti: Report "none/*.xml" of job "main", step "actions/get-files@v1": There is no such file. ${READ} ${ADVICE}`,
    `tutti: Report "robot-report/output.xml" of job "main", step "robotframework/robot@v1": There is no such file. ${READ} ${ADVICE}`,
    '',
  ]);
  const log = await logOf(server, many);
  expect(log.match(/ ignored: /g)).toHaveLength(1);
});

const restart = async (): Promise<void> => {
  await server.child.kill('SIGKILL');
  const { dataDir, url } = server;
  server = await bench.server({ dataDir, port: Number(new URL(url).port) });
};

test('a server that starts anew has the same warnings', async () => {
  await restart();
  expect(await gateOf()).toMatchObject({ status: 'SUCCESS', warnings: WARNINGS });
});

test('a broken report that is read again after a crash is told once', {
  timeout: 120_000,
}, async () => {
  const write = `awk 'BEGIN {
  for (i = 0; i < 44; i++) output = output "2026-01-31 12:34:56 INFO Cart - an item was added to the cart\\n"
  print "<testsuite name=\\"big\\">"
  for (i = 1; i <= 20000; i++)
    print "<testcase classname=\\"Cart\\" name=\\"adds " i "\\"><system-out>" output "</system-out></testcase>"
}' > big.xml; echo "::attach type=${JUNIT_TYPE}::$PWD/big.xml"`;
  id = await start(server, oneJob('big', [sh(write, { name: 'Big' })]));
  const shownBy = async () => only(await allEvents(server, id), 'Notification');
  await eventually('the first results', async () =>
    (await shownBy()).some(({ spec }) => spec.testResults !== undefined),
  );
  await restart();
  await ended(server, id);
  // Asked while it is read again: what the server has until now is no verdict.
  expect(detailsOf(await gateAnswer('mode=strict&timeout=60'))).toMatchObject({
    status: 'SUCCESS',
    rules: { strict: { tests_in_scope: 20_000 } },
    warnings: [
      expect.stringMatching(
        /^Report "big\.xml" of job "main", step "Big": .* 20000 test cases were read, those after them are missing\./,
      ),
    ],
  });
  await workersEnded(server, id);
  const begins = (await shownBy()).filter(({ spec }) => spec.worker?.status === 'setup');
  expect(begins).toHaveLength(2);
  const faults = (await shownBy()).flatMap(({ spec }) => Object(spec)['tutti.broken-report'] ?? []);
  expect(faults).toHaveLength(1);
  expect((await logOf(server, id)).match(/Could not read all test results/g)).toHaveLength(1);
});
