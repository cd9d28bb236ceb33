/** Quality gates over runs that really were (specification 2.9, 3.2 and 4.10; clients facts 3.6). */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/expect-status.ts';
import { providePlugin } from '../support/provider-plugin.ts';
import { ended, oneJob, sh, start, startedId, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const definitions = (threshold: string): string => `qualitygates:
- name: nightly
  scope: test.technology == 'junit'
  rules:
  - name: all
    rule:
      threshold: ${threshold}
  - name: slow ones
    rule:
      scope: contains(test.testCaseName, 'slow')
      threshold: 100%
`;

let bench: Workbench;
let server: ServerChild;
let definitionFile: string;
/** Ids of runs: all tests passed, a failed test, no tests, a failed run, a waiting run. */
let runs: Readonly<Record<'good' | 'mixed' | 'empty' | 'failed' | 'waiting', string>>;

beforeAll(async () => {
  bench = await Workbench.open();
  definitionFile = `${bench.folder}/gates.yaml`;
  await writeFile(definitionFile, definitions('60%'));
  server = await bench.server({ config: { qualityGates: { definitions: [definitionFile] } } });
  await bench.agent(server, { tags: ['linux'] });
  const good = { name: 'good', seconds: 0.1 };
  const bad = { name: 'bad', seconds: 1, outcome: '<failure message="broke"/>' };
  const skipped = { name: 'left out', seconds: 0, outcome: '<skipped/>' };
  runs = {
    waiting: await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' })),
    good: await start(server, oneJob('good', [reportStep([good, skipped])])),
    mixed: await start(server, oneJob('mixed', [reportStep([good, bad, skipped])])),
    empty: await start(server, oneJob('empty', [sh('true')])),
    failed: await start(server, oneJob('failed', [reportStep([good]), sh('false')])),
  };
  const { waiting: _, ...over } = runs;
  for (const id of Object.values(over)) await ended(server, id);
});

afterAll(() => bench.close());

const gate = (id: string, query?: string) =>
  server.call('GET', `/workflows/${id}/qualitygate`, query === undefined ? {} : { query });

/** As an existing client does it. */
const gateBy = (id: string, query: string, definition: string) => {
  const body = new FormData();
  body.append('qualitygates', new Blob([definition]), 'gates.yaml');
  return server.call('POST', `/workflows/${id}/qualitygate`, { query, body });
};

describe('4.10: GET', () => {
  test.each([
    ['waiting', 'strict', 'RUNNING'],
    ['good', 'strict', 'SUCCESS'],
    ['good', 'passing', 'SUCCESS'],
    ['mixed', 'strict', 'FAILURE'],
    ['mixed', 'passing', 'SUCCESS'],
    ['empty', 'strict', 'NOTEST'],
    ['empty', 'passing', 'NOTEST'],
    ['failed', 'strict', 'FAILURE'],
    ['failed', 'passing', 'FAILURE'],
  ] as const)('of the run "%s" by %s is %s', async (run, mode, expected) => {
    const answer = await gate(runs[run], `mode=${mode}&timeout=20`);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 200, reason: 'OK', message: '' });
    expect(detailsOf(answer).status).toBe(expected);
  });

  // HTTP 4.10: GET: modes of the configuration, `strict` without one; the two that always exist.
  // HTTP 4.10: 200 with an empty message and the status; results of rules.
  test('is strict unless it says otherwise', async () => {
    expect(detailsOf(await gate(runs.mixed))).toEqual({
      status: 'FAILURE',
      rules: {
        strict: {
          result: 'FAILURE',
          scope: 'true',
          success_ratio: '66.66%',
          tests_failed: 1,
          tests_in_scope: 3,
          tests_passed: 2,
          threshold: '100%',
        },
      },
    });
  });

  // HTTP 2.9: The result of a rule of a quality gate.
  // HTTP 4.10: 200 with an empty message and the status; results of rules.
  test('of a configured gate has the results of its rules, and follows its file', async () => {
    const first = detailsOf(await gate(runs.mixed, 'mode=nightly'));
    expect(first).toMatchObject({
      status: 'SUCCESS',
      rules: {
        all: { result: 'SUCCESS', scope: "test.technology == 'junit'", threshold: '60%' },
        'slow ones': {
          result: 'NOTEST',
          scope: "(test.technology == 'junit') && (contains(test.testCaseName, 'slow'))",
          tests_in_scope: 0,
        },
      },
    });
    await writeFile(definitionFile, definitions('70%'));
    expect(detailsOf(await gate(runs.mixed, 'mode=nightly')).status).toBe('FAILURE');
    await writeFile(definitionFile, 'qualitygates: wrong');
    expect(detailsOf(await gate(runs.mixed, 'mode=nightly')).status).toBe('FAILURE');
    await writeFile(definitionFile, definitions('60%'));
    expect(detailsOf(await gate(runs.mixed, 'mode=nightly')).status).toBe('SUCCESS');
  });

  test.each([
    ['mode=weekly', 422, 'Invalid', 'Quality gate weekly not found in definition file.'],
    ['timeout=x', 422, 'Invalid', 'Parameter "timeout" must be an integer of 0 or more, not "x".'],
    // HTTP 4.10: 422 for an unknown mode and wrong parameters.
    // HTTP 7: Message for a mode of a quality gate that is unknown.
  ])('with ?%s is %d', async (query, code, reason, message) => {
    const answer = await gate(runs.good, query);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code, reason, message, details: null });
  });

  // HTTP 4.10: 404 for what is unknown, and after the retention.
  test('of an unknown workflow is 404', async () => {
    const answer = await gate(UNKNOWN, 'mode=strict&timeout=8');
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: `Workflow ${UNKNOWN} not found.`,
      details: null,
    });
  });
});

describe('4.10: POST', () => {
  test.each([
    ['mixed', '60%', 'SUCCESS'],
    ['mixed', '67%', 'FAILURE'],
    ['empty', '60%', 'NOTEST'],
    ['failed', '60%', 'FAILURE'],
    ['waiting', '60%', 'RUNNING'],
  ] as const)('of the run "%s" by %s of its definition is %s', async (run, threshold, expected) => {
    const answer = await gateBy(runs[run], 'mode=nightly&timeout=8', definitions(threshold));
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 200, reason: 'OK', message: '' });
    expect(detailsOf(answer).status).toBe(expected);
  });

  test.each([
    ['a body', 'application/json', ''],
    ['a body', 'application/x-yaml', ''],
    ['a body that a thread reads', 'application/json', ' '.repeat(64 * 1024)],
    ['a body that a thread reads', 'application/x-yaml', ' '.repeat(64 * 1024)],
    // HTTP 4.10: POST: a definition in a body or a form; the mode must be given.
  ])('takes %s of type %s', async (_, type, blanks) => {
    const rules = [{ name: 'rule', rule: { scope: "test.outcome == 'failure'", threshold: '1%' } }];
    const body = JSON.stringify({ qualitygates: [{ name: 'own', rules }] }) + blanks;
    const answer = await server.call('POST', `/workflows/${runs.mixed}/qualitygate`, {
      query: 'mode=own',
      body,
      headers: { 'content-type': type },
    });
    expect(detailsOf(answer)).toMatchObject({
      status: 'FAILURE',
      rules: { rule: { result: 'FAILURE', tests_in_scope: 1, success_ratio: '0%' } },
    });
  });

  test.each([
    ['', definitions('60%'), 'Missing quality gate mode.'],
    ['mode=strict', definitions('60%'), 'Quality gate strict not found in definition file.'],
    ['mode=nightly', 'a: [', 'Not a valid YAML document: '],
    ['mode=nightly', definitions('much'), 'Not a valid quality gate definition: '],
    // HTTP 4.10: POST: a definition in a body or a form; the mode must be given.
  ])('with ?%s and a definition that does not fit is 422', async (query, definition, message) => {
    const answer = await gateBy(runs.good, query, definition);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(bodyOf(answer).message).toContain(message);
  });

  test('of an unknown workflow is 404', async () => {
    const answer = await gateBy(UNKNOWN, 'mode=nightly', definitions('60%'));
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 404, message: `Workflow ${UNKNOWN} not found.` });
  });
});

test('5: neither form is answered without a token', async () => {
  for (const method of ['GET', 'POST']) {
    const answer = await server.call(method, `/workflows/${runs.good}/qualitygate`, {
      headers: { authorization: '' },
    });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 401, reason: 'Unauthorized' });
  }
});

// HTTP 3.1: Quality gates say SUCCESS, NOTEST, FAILURE or RUNNING.
test('a gate that is asked for all the time says RUNNING until the run is over, then its result', async () => {
  const open = `${bench.folder}/open`;
  const wait = `until [ -e ${open} ]; do sleep 0.05; done`;
  const report = reportStep([{ name: 'good', seconds: 0.1 }]);
  const id = await start(server, oneJob('asked', [sh(wait), report]));
  const seen = new Set<unknown>();
  const ask = async () => {
    const { status } = detailsOf(await gate(id));
    seen.add(status);
    return status;
  };
  expect(await ask()).toBe('RUNNING');
  await writeFile(open, '');
  await eventually('a result of the gate', async () => (await ask()) === 'SUCCESS');
  expect([...seen]).toEqual(['RUNNING', 'SUCCESS']);
});

test('definitions that are wrong keep the server from starting, and are told', async () => {
  const path = `${bench.folder}/wrong.yaml`;
  await writeFile(path, definitions('much'));
  const { child } = bench.launchServer({ config: { qualityGates: { definitions: [path] } } });
  await expect(child.whenReady).rejects.toThrow();
  expect(child.stderr).toContain(`${path}: Not a valid quality gate definition: `);
});

describe('tutti gate (clients facts 3.6)', () => {
  const tutti = (...args: string[]) =>
    runCli(['gate', '--server', server.url, ...args], {
      cwd: bench.folder,
      env: { TUTTI_TOKEN: server.token },
    });

  test.each([
    ['good', 0, 'SUCCESS, the run succeeded and its test results pass'],
    ['empty', 0, 'NOTEST, the run succeeded and has no test results that a rule looks at'],
    ['mixed', 102, 'FAILURE, the run failed or its test results do not pass'],
    ['failed', 102, 'FAILURE, the run failed or its test results do not pass'],
    ['waiting', 101, 'RUNNING, the run is not over'],
  ] as const)('of the run "%s" ends with %d', async (run, code, verdict) => {
    const result = await tutti(runs[run], '--timeout', run === 'waiting' ? '1' : '20s');
    expect(result).toMatchObject({ code, stderr: '' });
    expect(result.stdout.trimEnd().split('\n').at(-1)).toBe(
      `Quality gate "strict" of workflow ${runs[run]}: ${verdict}.`,
    );
  });

  test('shows the rules of a gate as a table', async () => {
    const { code, stdout } = await tutti(runs.mixed, '--gate', 'nightly');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'RULE       RESULT   TESTS_IN_SCOPE  TESTS_FAILED  TESTS_PASSED  SUCCESS_RATIO  THRESHOLD  SCOPE',
      "all        SUCCESS  3               1             2             66.66%         60%        test.technology == 'junit'",
      "slow ones  NOTEST   0               0             0             0%             100%       (test.technology == 'junit') && (contains(test.testCaseName, 'slow'))",
    ]);
  });

  test('judges by a definition of its own, and tells wrong scopes and warnings', async () => {
    const path = `${bench.folder}/own.yaml`;
    const gateOf = (scope: string) =>
      `- {name: own, rules: [{name: r, rule: {scope: ${scope}, threshold: 1%}}]}\n`;
    await writeFile(path, `qualitygates:\n${gateOf('test.managed')}${gateOf('job.name')}`);
    const { code, stdout, stderr } = await tutti(runs.good, '--gate', 'own', '--definition', path);
    expect(code).toBe(102);
    expect(stdout).toContain('r: [SCOPE ERROR] Nonexisting context entry in expression job.name');
    expect(stderr).toBe(
      'tutti: Duplicate definitions found for quality gate "own", the last one is used.\n',
    );
  });

  test('gives the document of the server to programs', async () => {
    const { code, stdout } = await tutti(runs.mixed, '-o', 'json');
    expect(code).toBe(102);
    expect(JSON.parse(stdout)).toEqual(bodyOf(await gate(runs.mixed)));
  });

  test('is about the run that was started last, unless it names one', async () => {
    const id = await start(server, oneJob('newest', [sh('true')]));
    const { code, stdout } = await tutti('--timeout', '20');
    expect(code).toBe(0);
    expect(stdout).toContain(`Quality gate "strict" of workflow ${id}: NOTEST`);
  });

  test.each([
    ['an unknown run', () => [UNKNOWN], `Workflow ${UNKNOWN} not found.`],
    ['an unknown gate', () => [runs.good, '--gate', 'x'], 'Quality gate x not found'],
    ['a definition without a gate', () => [runs.good, '--definition', 'a'], 'needs --gate'],
    ['a definition that is not there', () => ['--gate', 'x', '--definition', 'no.yaml'], 'no.yaml'],
    ['a time that is none', () => [runs.good, '--timeout', 'soon'], 'Not a duration: "soon".'],
  ])('of %s ends with 2', async (_what, args, problem) => {
    const { code, stdout, stderr } = await tutti(...args());
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
  });
});

describe('a run that took over jobs of an earlier one', () => {
  const bad = { name: 'bad', seconds: 1, outcome: '<failure message="broke"/>' };
  const good = { name: 'good', seconds: 1 };
  const rerun = async (id: string) => {
    await workersEnded(server, id);
    const query = 'failed';
    const again = startedId(await server.call('POST', `/workflows/${id}/rerun`, { query }));
    await ended(server, again);
    return again;
  };
  const tuttiWith = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    runCli(['gate', '--server', server.url, ...args], {
      cwd: bench.folder,
      env: { TUTTI_TOKEN: server.token, ...env },
    });
  const tutti = (...args: string[]) => tuttiWith({}, ...args);
  let mended = '';
  /** Runs in which a test of a successful job fails. A job fails, too; its tests are mended later, with another job. */
  let [first, second, third] = ['', '', ''];

  beforeAll(async () => {
    mended = `${bench.folder}/mended`;
    const broken = `cat > report.xml <<'END'\n<testsuite name="suite"><testcase name="flaky"><failure/></testcase></testsuite>\nEND`;
    const report = `echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$PWD/report.xml"`;
    const flaky = sh(`${broken}
if [ -e '${mended}' ]; then sed -i 's|<failure/>||' report.xml; fi
${report}
test -e '${mended}'`);
    const job = (step: object, more: object = {}) => ({
      'runs-on': 'linux',
      steps: [step],
      ...more,
    });
    const jobs = {
      unit: job(reportStep([good, bad])),
      api: job(reportStep([good])),
      none: job(sh('true')),
      flaky: job(flaky, { needs: 'unit' }),
    };
    first = await start(server, { metadata: { name: 'taken' }, jobs });
    await ended(server, first);
    second = await rerun(first);
    await writeFile(mended, '');
    third = await rerun(second);
  });

  test('is judged by its own test cases, as every run', async () => {
    const { status, rules, taken_over: taken } = detailsOf(await gate(third, 'timeout=20'));
    expect([status, taken]).toEqual(['SUCCESS', undefined]);
    expect(rules).toMatchObject({ strict: { tests_in_scope: 1, tests_failed: 0 } });
  });

  test('is judged with theirs where that is asked for, also over several runs', async () => {
    const answer = await gate(third, 'timeout=20&takenOver');
    expectStatus(answer);
    expect(answer.headers.get('x-processed-query')?.split(',').toSorted()).toEqual([
      'takenOver',
      'timeout',
    ]);
    expect(detailsOf(answer)).toEqual({
      status: 'FAILURE',
      rules: { strict: expect.objectContaining({ tests_in_scope: 4, tests_failed: 1 }) },
      taken_over: [
        {
          workflow_id: first,
          jobs: ['unit', 'api', 'none'],
          job_ids: [expect.any(String), expect.any(String), expect.any(String)],
        },
      ],
    });
    const query = 'mode=nightly&timeout=8&takenOver=true';
    const posted = detailsOf(await gateBy(third, query, definitions('60%')));
    expect(posted).toMatchObject({
      status: 'SUCCESS',
      rules: { all: { tests_in_scope: 4, tests_failed: 1, success_ratio: '75%' } },
    });
  });

  test('is no other than a run of all jobs, where nothing was taken over', async () => {
    expect(detailsOf(await gate(runs.mixed, 'takenOver'))).toEqual(
      detailsOf(await gate(runs.mixed)),
    );
    expect(detailsOf(await gate(runs.waiting, 'takenOver'))).toEqual({ status: 'RUNNING' });
  });

  test('is judged with theirs by the command, unless it is told otherwise', async () => {
    const { code, stdout, stderr } = await tutti(third, '--timeout', '20');
    expect([code, stderr]).toEqual([102, '']);
    expect(stdout).toContain(
      `With the test results of the jobs "unit", "api", "none", taken over from workflow ${first}.\n` +
        `Quality gate "strict" of workflow ${third}: FAILURE,`,
    );
    const alone = await tutti(third, '--timeout', '20', '--alone');
    expect([alone.code, alone.stderr]).toEqual([0, '']);
    expect(alone.stdout).not.toContain('taken over');
  });

  test('is told with the test cases that failed in them, and not with those that ran again', async () => {
    const summary = `${bench.folder}/summary.md`;
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const { code, stdout } = await tuttiWith(env, third);
    expect(code).toBe(102);
    expect(stdout.match(/^::error .*$/gm)).toEqual(['::error title=unit ▸ suite#bad::broke']);
    const actual = await readFile(summary, 'utf8');
    expect(actual).toContain(
      '- `suite#bad` of job `unit`: `broke`\n\n- With the test results of `unit`',
    );
    expect(actual).not.toContain('flaky');
  });

  test('does not pass once an earlier run has left with their test results, and says so', async () => {
    expect((await server.call('DELETE', `/workflows/${first}/history`)).code).toBe(200);
    const lost =
      `The test results of the jobs "unit", "api", "none" are no longer there, because workflow ${first}, from which they were taken over, has left. ` +
      'The gate is not passed. Run the workflow again as a whole.';
    expect(detailsOf(await gate(third, 'mode=passing&timeout=20&takenOver'))).toMatchObject({
      status: 'FAILURE',
      rules: { passing: { result: 'SUCCESS', tests_in_scope: 1 } },
      taken_over: [{ workflow_id: first, jobs: ['unit', 'api', 'none'], job_ids: [], lost: true }],
      warnings: [lost],
    });
    const { code, stdout, stderr } = await tutti(third, '--gate', 'passing');
    expect([code, stderr]).toEqual([102, `tutti: ${lost}\n`]);
    expect(stdout).not.toContain('With the test results');
  });
});

/** A provider whose function fails the test "login" of the reference `bad.robot`, and passes it for all others. */
const provideRobots = () =>
  providePlugin(server, 'robotframework', ({ test: reference }) => {
    const outcome = reference === 'bad.robot' ? '<failure message="broke"/>' : '';
    return [reportStep([{ name: 'login', seconds: 1, outcome }])];
  });

// HTTP 2.6: Earlier executions, also of earlier runs, are the history of the newest.
test('2.6: tests of one name in two test references are two test cases, and a failure of one is none of the other', async () => {
  await provideRobots();
  const references = ['bad.robot', 'good.robot', 'good.robot'];
  const steps = references.map((reference) => ({
    uses: 'robotframework/execute@v1',
    with: { test: reference },
  }));
  const id = await start(server, oneJob('references', steps));
  expect(await ended(server, id)).toBe('DONE');
  await workersEnded(server, id);
  const cases = itemsOf(await server.call('GET', `/workflows/${id}/datasources/testcases`));
  expect(cases).toMatchObject([
    {
      metadata: { name: 'suite#login', executions: 1 },
      test: { test: 'bad.robot', outcome: 'failure' },
    },
    {
      metadata: { name: 'suite#login', executions: 2 },
      test: { test: 'good.robot', outcome: 'success' },
      executionHistory: [{ status: 'SUCCESS' }],
    },
  ]);
  expect(detailsOf(await gate(id))).toMatchObject({
    status: 'FAILURE',
    rules: { strict: { tests_in_scope: 2, tests_failed: 1 } },
  });
});
