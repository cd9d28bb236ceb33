/** Tests over several runs, as the interface and the command line show them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { detailsOf, itemsOf, type Loose, nextLinkOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, type Manifest, oneJob, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { sharedServer } from '../support/shared-server.ts';

const { server } = await sharedServer({ tags: ['linux'], name: 'build-7' });

const FAILED = '<failure message="1 != 2"/>';
const RUNS = 9;
/** Runs in which `adds` fails and then passes, and the run since which `removes` fails. */
const SHAKY = [3, 7];
const BROKEN_SINCE = 6;

const reported = (name: string, outcome: string) => reportStep([{ name, seconds: 0.25, outcome }]);

/** The last name is `shows <b>markup</b>` in XML. */
function shop(run: number): Manifest {
  const isShaky = SHAKY.includes(run);
  return oneJob('shop', [
    reported('adds', isShaky ? FAILED : ''),
    ...(isShaky ? [reported('adds', '')] : []),
    reported('removes', run >= BROKEN_SINCE ? FAILED : ''),
    reported('shows &lt;b&gt;markup&lt;/b&gt;', ''),
  ]);
}

const runs: string[] = [];

const list = (query: string) => server.call('GET', '/tests', { query });

beforeAll(async () => {
  for (let run = 0; run < RUNS; run++) {
    const id = await start(server, shop(run), `version=v${run}&branch=main`);
    await ended(server, id);
    await workersEnded(server, id);
    await eventually(`the history of run ${run}`, async () => {
      const [item] = itemsOf(await list('search=adds'));
      return Object(item).metadata?.lastVersion === `v${run}`;
    });
    runs.push(id);
  }
}, 120_000);

const nameOf = (item: unknown): string => Object(item).spec.testCaseName;

async function idOf(name: string): Promise<string> {
  const [item] = itemsOf(await list(`search=${name}`));
  return String(Object(item).metadata.id);
}

describe('GET /tests', () => {
  test('tells flaky and broken tests apart', async () => {
    const answer = await list('sort=name');
    expect(itemsOf(answer).map((item) => [nameOf(item), Object(item).status.state])).toEqual([
      ['adds', 'flaky'],
      ['removes', 'broken'],
      ['shows <b>markup</b>', 'stable'],
    ]);
    expect(detailsOf(answer)).not.toHaveProperty('warnings');
    const [first] = itemsOf(await list(''));
    expect(first).toMatchObject({
      kind: 'Test',
      metadata: { namespace: 'default', project: 'shop', name: 'suite#removes' },
      spec: { technology: 'junit', suiteName: 'suite' },
      status: { failures: { count: 3, of: 9 }, impact: { runs: 3 }, duration: { p50: 250 } },
    });
  });

  test('has pages', async () => {
    const first = await list('sort=name&per_page=2');
    expect(itemsOf(first).map(nameOf)).toEqual(['adds', 'removes']);
    const next = new URL(nextLinkOf(first) ?? '');
    expect(itemsOf(await list(next.search.slice(1))).map(nameOf)).toEqual(['shows <b>markup</b>']);
    expect(detailsOf(first).total).toBe(3);
  });
});

test('GET /tests/{test_id} has the evidence: versions, and the runs on them', async () => {
  const shown = async (name: string): Promise<Loose> =>
    detailsOf(await server.call('GET', `/tests/${await idOf(name)}`));
  const adds = Object(await shown('adds'));
  const [variant] = adds.status.variants;
  expect(adds.spec.variants).toEqual([{ id: variant.id, job: 'main', uses: null }]);
  expect(variant).toMatchObject({ state: 'flaky', strip: 'SSSFSSSSFSS' });
  expect(variant.contradictions).toMatchObject([
    { version: 'v7', workflow_ids: [runs[7]] },
    { version: 'v3', workflow_ids: [runs[3]] },
  ]);
  expect(adds.journal[0]).toMatchObject({
    kind: 'state',
    change: { to: 'flaky', version: 'v7', workflow_id: runs[7] },
  });
  const [removes] = Object(await shown('removes')).status.variants;
  expect(removes).toMatchObject({
    ...{ state: 'broken', contradictions: [] },
    brokenSince: { version: `v${BROKEN_SINCE}`, workflow_id: runs[BROKEN_SINCE] },
  });
});

test('GET /tests/{test_id}/executions lists what became of each attempt', async () => {
  const path = `/tests/${await idOf('adds')}/executions`;
  const all = await server.call('GET', path);
  expect(detailsOf(all).total).toBe(11);
  const failed = await server.call('GET', path, { query: 'outcome=failure&version=v3' });
  expect(itemsOf(failed)).toMatchObject([
    {
      ...{ workflow_id: runs[3], job: 'main', attempt: 1, outcome: 'failure', duration: 250 },
      ...{ version: 'v3', branch: 'main', isMain: true, agent: 'build-7' },
    },
  ]);
  const page = await server.call('GET', path, { query: 'per_page=4&page=3' });
  expect(itemsOf(page)).toHaveLength(3);
});

test('GET /workflows/{workflow_id}/tests has the newest outcomes of the tests of a run', async () => {
  const [run = ''] = runs;
  const cases = itemsOf(await server.call('GET', `/workflows/${run}/datasources/testcases`));
  const [adds, removes] = cases.map((item) => Object(item).metadata.id);
  const ask = (testcase: string) =>
    server.call('GET', `/workflows/${run}/tests`, { query: `testcase=${testcase}` });
  expect(itemsOf(await ask(`${removes},${adds}`))).toEqual([
    { testcase_id: adds, test_id: await idOf('adds'), state: 'flaky', strip: 'SSSFSSSSFSS' },
    { testcase_id: removes, test_id: await idOf('removes'), state: 'broken', strip: 'SSSSSSFFF' },
  ]);
  expect(itemsOf(await ask(''))).toEqual([]);
  expect(itemsOf(await ask(run))).toEqual([]);
  expect((await ask('x')).code).toBe(422);
  const many = Array.from({ length: 101 }, (_, at) => run.slice(0, -3) + String(100 + at));
  expect((await ask(many.join(','))).code).toBe(422);
  const [listed] = itemsOf(await list('search=adds&strip'));
  expect(Object(listed).status.strip).toBe('SSSFSSSSFSS');
});

test('a run without a version is told of', async () => {
  const manifest = oneJob('versionless', [reported('counts', '')]);
  const id = await start(server, manifest);
  await ended(server, id);
  const listed = await eventually('the history of the test', async () => {
    const answer = await list('project=versionless');
    return itemsOf(answer).length === 1 ? answer : null;
  });
  const warning = expect.stringContaining('ran without a known version');
  expect(detailsOf(listed).warnings).toEqual([warning]);
  const { stderr } = await tutti('tests', 'show', 'counts');
  expect(stderr).toEqual(warning);
});

const tutti = (...args: string[]) =>
  runCommand([...args, '--server', server.url, '--token', server.token]);

describe('tutti tests', () => {
  const LIST = ['tests', 'list', '--project', 'shop', '--sort', 'name'];

  test('lists tests in each form', async () => {
    const { code, stdout, stderr } = await tutti(...LIST);
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows[0]).toMatch(/^STATE +FLAKE_RATE +FAILURES +RUNS_LOST +DURATION +NAME$/);
    expect(rows[1]).toMatch(/^flaky +\d\S* % +2 of 9 +0 +250 ms +suite#adds$/);
    expect(rows[2]).toMatch(/^broken +\S+ % +3 of 9 +3 +250 ms +suite#removes$/);
    expect(rows[3]).toMatch(/suite#shows <b>markup<\/b>$/);
    const wide = await tutti(...LIST, '-o', 'wide');
    expect(wide.stdout).toMatch(
      /PROJECT +NAMESPACE +TECHNOLOGY +LAST_FAILED +LAST_SEEN +TEST_ID\n/,
    );
    const id = await idOf('removes');
    const broken = ['tests', '--state', 'broken'];
    expect((await tutti(...broken, '-o', 'name')).stdout).toBe(`${id}\n`);
    expect(JSON.parse((await tutti(...broken, '-o', 'json')).stdout)).toMatchObject([
      { kind: 'Test', metadata: { id } },
    ]);
    expect((await tutti(...broken, '-o', 'yaml')).stdout).toContain(`id: ${id}`);
    const columns = 'custom-columns=N:spec.testCaseName';
    expect((await tutti(...broken, '-o', columns)).stdout).toBe('N\nremoves\n');
  });

  test('says how to see more, and that none fits', async () => {
    const some = await tutti(...LIST, '--limit', '1');
    expect(some.stderr).toBe('The first 1 of 3 tests; for more: tutti tests --limit 3\n');
    const none = await tutti('tests', '--search', 'no such');
    expect(none.stderr).toBe('No test fits. See all of them with: tutti tests\n');
    const wrong = await tutti('tests', '--state', 'red');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('--state takes broken, flaky, unsure, new, stable, not "red".');
  });

  test('shows a test by its id or name, with the evidence', async () => {
    const { code, stdout } = await tutti('tests', 'show', 'suite#adds');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Name: {9}suite#adds\nId: {11}\S+\nProject: {6}shop in namespace default\n/,
    );
    expect(stdout).toContain(` on version v${RUNS - 1}\n`);
    expect(stdout).toMatch(new RegExp(`State: +flaky since \\S+, version v7, workflow ${runs[7]}`));
    expect(stdout).toMatch(/Failures: +2 of 9 executions, a rate between 6.3 % and 55 %/);
    expect(stdout).toContain('Outcomes:     ...F....F..\n');
    expect(stdout).toMatch(new RegExp(`VERSION +AT +WORKFLOWS\\n +v7 +\\S+ +${runs[7]}\\n`));
    expect(stdout).toMatch(new RegExp(`unsure to flaky +v7 +${runs[7]}\\n`));
    const id = await idOf('adds');
    expect((await tutti('tests', 'show', id)).stdout).toBe(stdout);
    const { stdout: json } = await tutti('tests', 'show', 'add', '-o', 'json');
    expect(JSON.parse(json)).toMatchObject({ kind: 'Test', metadata: { id } });
    expect((await tutti('tests', 'show', id, '-o', 'yaml')).stdout).toContain('state: flaky');
    const broken = await tutti('tests', 'show', 'suite#removes');
    expect(broken.stdout).toMatch(/Broken: +since \S+, version v6, workflow /);
  });

  test.each([
    ['nothing', 'No test is named "nothing".'],
    ['suite#', '4 tests fit "suite#": suite#adds ('],
    [
      '99999999-0000-4000-8000-000000000009',
      'Test 99999999-0000-4000-8000-000000000009 not found.',
    ],
  ])('cannot show %s', async (text, message) => {
    const { code, stderr } = await tutti('tests', 'show', text);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('tests');
  });

  test('shows the executions of a test', async () => {
    const { stdout } = await tutti('tests', 'history', 'suite#adds', '--code-version', 'v3');
    const rows = stdout.trimEnd().split('\n');
    expect(rows[0]).toMatch(
      /^STARTED +OUTCOME +ATTEMPT +DURATION +VERSION +BRANCH +JOB +WORKFLOW_ID$/,
    );
    expect(rows[1]).toMatch(new RegExp(`success +2 +250 ms +v3 +main +main +${runs[3]}$`));
    expect(rows[2]).toMatch(/ failure +1 /);
    const failed = ['tests', 'history', 'suite#adds', '--outcome', 'failure'];
    expect((await tutti(...failed, '-o', 'name')).stdout).toBe(`${runs[7]}\n${runs[3]}\n`);
    expect((await tutti(...failed, '--since', '2999-01-01')).stderr).toBe('No execution fits.\n');
    const one = await tutti(...failed, '--limit', '1', '--branch', 'main');
    expect(one.stderr).toMatch(
      /^The newest 1 of 2 executions; for more: tutti tests history \S+ --limit 2\n$/,
    );
  });

  test('puts a test in quarantine, lists it and releases it', async () => {
    const adds = 'suite#adds';
    const put = ['tests', 'quarantine', adds, '--reason', 'waits for a driver'];
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const more = ['--until', until, '--link', 'https://x.example'];
    const { code, stdout, stderr } = await tutti(...put, ...more);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^suite#adds is in quarantine. Its failures do not count until \d{4}-\d\d-\d\dT[\d:]+\.\n$/,
    );
    const listed = await tutti('tests', 'quarantined', '-o', 'wide');
    expect(listed.stdout).toMatch(
      /^STATE +SPARED +UNTIL +BY +NAME +REASON +LINK +PROJECT +NAMESPACE +VARIANT_ID +TEST_ID\n/,
    );
    expect(listed.stdout).toMatch(
      /\nflaky +yes +\S+ +\S+ +suite#adds +waits for a driver +https:\/\/x.example +shop /,
    );
    const shown = (await tutti('tests', 'show', adds)).stdout;
    expect(shown).toMatch(
      /\nIn quarantine:\n {2}Until: +\S+\n {2}By: +\S+, \S+\n {2}Reason: +waits/,
    );
    expect(shown).toMatch(/\n\S+ +quarantined +\S+ +waits for a driver\n/);
    // Two percent of three tests is one.
    const full = await tutti('tests', 'quarantine', 'shows', '--reason', 'x');
    expect(full.stderr).toContain('1 of the 3 tests of the project are in quarantine');
    const { stdout: released } = await tutti('tests', 'release', adds, '--reason', 'it is there');
    expect(released).toBe('suite#adds is in no quarantine any more.\n');
    expect((await tutti('tests', 'quarantined')).stderr).toBe('No test is in quarantine.\n');
    expect((await tutti('tests', 'release', adds)).stderr).toContain('is not in quarantine');
  });

  test('a broken test needs force, and its failures count', async () => {
    const put = ['tests', 'quarantine', 'suite#removes', '--reason', 'known'];
    expect((await tutti(...put)).stderr).toContain('The test is broken');
    expect((await tutti(...put, '--force')).stderr).toBe('');
    expect((await tutti('tests', 'quarantined')).stdout).toMatch(/\nbroken +no /);
    await tutti('tests', 'release', 'suite#removes');
    const { code, stderr } = await tutti('tests', 'quarantine', 'suite#removes');
    expect([code, stderr]).toEqual([2, expect.stringContaining("'--reason <text>'")]);
    const wrong = await tutti(...put, '--until', 'soon');
    expect(wrong.stderr).toContain('write how long it lasts, as in 12h or 7d');
  });
});
