/** The history of tests: runs that are over are folded, each once, whatever happens to the server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Ledger } from '../../packages/test-history/src/index.ts';
import { createGitRepository } from '../../server/src/plugins/providers/git-repository.fixture.ts';
import { databaseOf } from '../../server/src/runtime/data-directory.ts';
import { openReadingStore } from '../../server/src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../server/src/store/store.ts';
import type { ListedTest, TestQuery } from '../../server/src/store/test-history.ts';
import { detailsOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  allEvents,
  ended,
  type Manifest,
  oneJob,
  sh,
  start,
  workersEnded,
} from '../support/runs.ts';
import { JUNIT_TYPE, type ReportedCase, reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const FAILED = '<failure message="1 != 2"/>';
const ALL: TestQuery = { order: 'name', isDescending: false, offset: 0, limit: 10_000 };

const repository = createGitRepository('ledger origin ');

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], namespaces: '*' });
});

afterAll(() => bench.close());

async function reading<Result>(
  { dataDir }: Pick<ServerChild, 'dataDir'>,
  read: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = openReadingStore(databaseOf(dataDir));
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

const folded = (of: Pick<ServerChild, 'dataDir'>) =>
  eventually('all runs to be folded', () =>
    reading(of, async (store) => (await store.unfoldedRuns(1)).length === 0),
  );

/** A run whose tests had these outcomes; answers its id once it is folded. */
async function ran(manifest: Manifest, query?: string): Promise<string> {
  const id = await start(server, manifest, query);
  await ended(server, id);
  await workersEnded(server, id);
  await folded(server);
  return id;
}

const reported = (name: string, outcomes: readonly string[]) =>
  oneJob(
    name,
    outcomes.map((outcome) => reportStep([{ name: 'adds', seconds: 0.25, outcome }])),
  );

const testsOf = (project: string): Promise<readonly ListedTest[]> =>
  reading(server, (store) => store.tests({ ...ALL, project }));

async function ledgersOf(store: Store, testId: string) {
  const variants = await store.testVariants({ testId, limit: 100 });
  return {
    variants,
    ledgers: variants.map(({ ledger }) => (ledger === null ? null : Ledger.read(ledger))),
  };
}

async function onlyTestOf(project: string) {
  const [listed] = await testsOf(project);
  if (listed === undefined) throw new Error('The project has no test.');
  return await reading(server, async (store) => {
    const page = { testId: listed.id, offset: 0, limit: 100 };
    const found = await ledgersOf(store, listed.id);
    const executions = await store.testExecutions(page);
    return { ...listed, ...found, executions, journal: await store.testJournal(page) };
  });
}

test('has each execution, with its version, branch, place and attempt', async () => {
  const first = await ran(reported('kept', [FAILED, '']), 'version=abc&branch=main');
  const second = await ran(reported('kept', ['']), 'version=def&branch=refs/heads/main');
  const { executions, ...found } = await onlyTestOf('kept');
  expect(found).toMatchObject({
    ...{ namespace: 'default', project: 'kept', technology: 'junit', suite: 'suite', name: 'adds' },
    ...{ state: 'new', failures: 1, durationMs: expect.closeTo(250, 0) },
    variants: [{ job: 'main', function: '' }],
  });
  expect(
    executions.items.map(({ run, attempt, outcome, durationMs }) => [
      ...[run.workflowId, run.version, run.branch, attempt, outcome, durationMs],
    ]),
  ).toEqual([
    [second, 'def', 'main', 1, 'success', 250],
    [first, 'abc', 'main', 2, 'success', 250],
    [first, 'abc', 'main', 1, 'failure', 250],
  ]);
  expect(executions.items[0]?.place).toEqual({ agent: expect.any(String), tags: ['linux'] });
  const [ledger] = found.ledgers;
  expect(ledger?.letters).toBe('FSS');
  expect(ledger?.judgement.contradictions).toHaveLength(1);
});

test('counts other branches for their own run only, and takes the version over to a rerun', async () => {
  await ran(reported('branched', ['']), 'branch=main&version=v1');
  const id = await ran(reported('branched', [FAILED]), 'branch=change&version=v2');
  const before = await onlyTestOf('branched');
  expect([before.ledgers[0]?.letters, before.executions.total]).toEqual(['S', 2]);
  const answer = await server.call('POST', `/workflows/${id}/rerun`);
  const again = String(detailsOf(answer).workflow_id);
  await ended(server, again);
  await workersEnded(server, again);
  await folded(server);
  const { executions, ledgers } = await onlyTestOf('branched');
  expect(executions.items[0]?.run).toMatchObject({ branch: 'change', version: 'v2' });
  expect(ledgers[0]?.letters).toBe('S');
});

test('takes the version from checkouts and steps, and for a rerun of other jobs from its run', async () => {
  repository.commit('file.txt', 'first');
  const checkout = {
    uses: 'actions/checkout@v3',
    with: { repository: `file://${repository.path}` },
  };
  const workflow: Manifest = {
    metadata: { name: 'checked out' },
    jobs: {
      first: { 'runs-on': 'linux', steps: [checkout, sh('echo ::version::api 7')] },
      second: {
        ...{ 'runs-on': 'linux', needs: 'first' },
        steps: [reportStep([{ name: 'adds', seconds: 1 }]), sh('exit 1')],
      },
    },
  };
  const first = await ran(workflow);
  const answer = await server.call('POST', `/workflows/${first}/rerun`, { query: 'failed' });
  const again = String(detailsOf(answer).workflow_id);
  await ended(server, again);
  await workersEnded(server, again);
  await folded(server);
  repository.commit('file.txt', 'second');
  await ran(workflow);
  const { executions } = await onlyTestOf('checked out');
  const [newest, rerun, oldest] = executions.items.map(({ run }) => [run.version, run.branch]);
  expect(oldest).toEqual([expect.stringMatching(/^[0-9a-f]{64} \+ api 7$/), 'main']);
  expect(rerun).toEqual(oldest);
  expect(newest?.[0]).not.toBe(oldest?.[0]);
});

test('shares tests by a label, and adds the version of a service', async () => {
  const labelled = (name: string): Manifest => ({
    ...reported(name, ['']),
    metadata: { name, labels: { 'tutti/project': 'shop' } },
    variables: { TUTTI_VERSION: 'api 7' },
  });
  await ran(labelled('changes'), 'version=abc');
  await ran(labelled('nightly'));
  const { executions } = await onlyTestOf('shop');
  expect(executions.items.map(({ run }) => [run.name, run.version])).toEqual([
    ['nightly', 'api 7'],
    ['changes', 'abc + api 7'],
  ]);
});

test('masks the version that a step names, and keeps it for a rerun', async () => {
  const masked = oneJob('masked version', [
    sh('echo ::add-mask::s3cr3t-build; echo ::version::s3cr3t-build'),
    reportStep([{ name: 'adds', seconds: 1 }]),
  ]);
  const first = await ran(masked);
  const answer = await server.call('POST', `/workflows/${first}/rerun`);
  const again = String(detailsOf(answer).workflow_id);
  await ended(server, again);
  await workersEnded(server, again);
  await folded(server);
  const { executions } = await onlyTestOf('masked version');
  expect(executions.items.map(({ run }) => run.version)).toEqual(['***', '***']);
  expect(JSON.stringify(await allEvents(server, first))).not.toContain('s3cr3t-build');
});

test('a test becomes flaky, which its journal says with the run', async () => {
  const ids: string[] = [];
  for (const [index, outcomes] of Array.from({ length: 9 }, (_, at) =>
    at % 4 === 3 ? [FAILED, ''] : [''],
  ).entries()) {
    ids.push(await ran(reported('shaky', outcomes), `version=v${index}&branch=main`));
  }
  const { state, journal, ledgers } = await onlyTestOf('shaky');
  expect(state).toBe(ledgers[0]?.state);
  expect(state).toBe('flaky');
  const newest = journal.map(({ kind, json }) => [kind, JSON.parse(json)]);
  expect(newest[0]).toEqual(['state', expect.objectContaining({ to: 'flaky' })]);
  expect(ids).toContain(newest[0]?.[1].workflow_id);
});

/** The verdict of a gate with this rule, and the result of the rule. */
async function judgedBy(id: string, rule: object) {
  const body = { qualitygates: [{ name: 'own', rules: [{ name: 'r', rule }] }] };
  const request = { query: 'mode=own&timeout=20', body };
  const answer = await server.call('POST', `/workflows/${id}/qualitygate`, request);
  const { status, rules } = detailsOf(answer);
  return [status, Object(rules).r];
}

test('test cases and gates have the history of before their run, and keep it', async () => {
  const testOf = async (id: string) => {
    const answer = await server.call('GET', `/workflows/${id}/datasources/testcases`);
    return Object(itemsOf(answer)[0]).test;
  };
  const first = await ran(reported('known', [FAILED]), 'branch=main&version=v0');
  const second = await ran(reported('known', [FAILED]), 'branch=main&version=v1');
  const passed = await ran(reported('known', ['']), 'branch=main&version=v2');
  const newly = await ran(reported('known', [FAILED]), 'branch=change&version=v3');
  const NEW = { state: 'new', flakeRate: 0, failures: 0, executions: 0 };
  expect(await testOf(first)).toMatchObject({ history: NEW, newlyFailed: true });
  const afterOne = { state: 'new', failures: 1, executions: 1 };
  expect(await testOf(second)).toMatchObject({ history: afterOne, newlyFailed: false });
  expect(await testOf(passed)).toMatchObject({ newlyFailed: false });
  const metadata = { name: 'known', namespace: 'elsewhere' };
  const elsewhere = await ran({ ...reported('known', [FAILED]), metadata }, 'branch=main');
  expect(await testOf(elsewhere)).toMatchObject({ history: NEW, newlyFailed: true });
  const afterThree = { state: 'new', failures: 2, executions: 3, flakeRate: expect.any(Number) };
  expect((await testOf(newly)).history).toEqual(afterThree);
  const nothingNew = { scope: 'test.newlyFailed', 'max-failed': 0 };
  expect(await judgedBy(second, nothingNew)).toEqual([
    'NOTEST',
    expect.objectContaining({ result: 'NOTEST' }),
  ]);
  expect(await judgedBy(newly, nothingNew)).toEqual([
    'FAILURE',
    expect.objectContaining({ message: '1 test case failed, and max-failed is 0.' }),
  ]);
  const seldom = { scope: 'test.history.executions < 2', max: 0 };
  expect((await judgedBy(second, seldom))[0]).toBe('FAILURE');
  expect((await judgedBy(newly, seldom))[0]).toBe('NOTEST');
  // The log has it, whatever is known by now.
  const events = await allEvents(server, newly);
  const entries = events.flatMap(
    (event) => Object(Object(event).spec)['tutti.test-histories'] ?? [],
  );
  expect(entries).toEqual([[0, expect.any(Number), 2, 3, 0]]);
});

test('a failure in quarantine keeps its outcome, and gates leave it out', async () => {
  const shaky = (outcome: string) => reported('spared', [outcome]);
  const before = await ran(shaky(FAILED), 'branch=main&version=v0');
  const [listed] = itemsOf(await server.call('GET', '/tests', { query: 'project=spared' }));
  const path = `/tests/${Object(listed).metadata.id}/quarantine`;
  const body = { reason: 'waits for a driver' };
  expect((await server.call('POST', path, { body })).code).toBe(201);
  const during = await ran(shaky(FAILED), 'branch=change&version=v1');
  expect((await server.call('DELETE', path)).code).toBe(200);
  const after = await ran(shaky(FAILED), 'branch=main&version=v2');
  const factsOf = async (id: string) => {
    const cases = await server.call('GET', `/workflows/${id}/datasources/testcases`);
    const { outcome, quarantined } = Object(itemsOf(cases)[0]).test;
    const gate = await server.call('GET', `/workflows/${id}/qualitygate`, {
      query: 'mode=strict&timeout=20',
    });
    return [outcome, quarantined, detailsOf(gate).status];
  };
  // The facts of each result stay, and the release changes no verdict.
  expect(await factsOf(before)).toEqual(['failure', false, 'FAILURE']);
  expect(await factsOf(during)).toEqual(['failure', true, 'SUCCESS']);
  expect(await factsOf(after)).toEqual(['failure', false, 'FAILURE']);
  expect((await judgedBy(during, { threshold: '100%' }))[1]).toMatchObject({
    tests_quarantined: 1,
    message: 'It passes only because 1 failure of tests in quarantine does not count.',
  });
  const counted = { query: 'mode=strict&timeout=20&quarantine=count' };
  const gate = await server.call('GET', `/workflows/${during}/qualitygate`, counted);
  expect(detailsOf(gate).status).toBe('FAILURE');
});

test('leaves the failures of a job out where they point to the environment', async () => {
  const cases = (outcome: string): readonly ReportedCase[] =>
    Array.from({ length: 30 }, (_, at) => ({ name: `case ${at}`, seconds: 1, outcome }));
  await ran(oneJob('outage', [reportStep(cases(''))]), 'branch=main&version=1');
  const out = await ran(oneJob('outage', [reportStep(cases(FAILED))]), 'branch=main&version=2');
  const [one] = await testsOf('outage');
  expect(await testsOf('outage')).toHaveLength(30);
  const { executions, ledgers } = await reading(server, async (store) => ({
    executions: await store.testExecutions({ testId: one?.id ?? '', offset: 0, limit: 9 }),
    ...(await ledgersOf(store, one?.id ?? '')),
  }));
  expect(executions.items[0]?.run).toMatchObject({ workflowId: out, massJobs: ['main'] });
  expect(executions.total).toBe(2);
  expect(ledgers[0]?.letters).toBe('S');
  expect(ledgers[0]?.hasFailedInLastRun).toBe(true);
});

/** A report on this many tests, made by the step itself. */
const largeReport = (count: number): Manifest =>
  sh(
    [
      `{ echo '<testsuite name="suite">'`,
      `seq ${count} | sed 's|.*|<testcase classname="suite" name="case &" time="1"/>|'`,
      `echo '</testsuite>'; } > report.xml`,
      `echo "::attach type=${JUNIT_TYPE}::$PWD/report.xml"`,
    ].join('\n'),
  );

test('a kill while runs are folded loses and repeats nothing', async () => {
  const [tests, runs] = [3_000, 3];
  const dataDir = bench.path('killed');
  let child = await bench.server({ dataDir });
  await bench.agent(child, { tags: ['linux'] });
  for (let run = 0; run < runs; run += 1) {
    const id = await start(child, oneJob('large', [largeReport(tests)]), 'branch=main');
    await ended(child, id);
    await workersEnded(child, id);
  }
  const executionsOf = () =>
    reading(child, async (store) => {
      const [one] = await store.tests({ ...ALL, limit: 1 });
      const known = await store.testedRuns([1, 2, 3, 4]);
      return { count: await store.countTests({}), known: known.length, one: one?.id ?? null };
    });
  // Killed as soon as there is more than before, so in the middle of runs.
  for (let kills = 0; kills < 6; kills += 1) {
    const before = await executionsOf();
    await eventually('more that is folded', async () => {
      const { count, known } = await executionsOf();
      const isAll = await reading(
        child,
        async (store) => (await store.unfoldedRuns(1)).length === 0,
      );
      return isAll || count > before.count || known > before.known;
    });
    await child.child.kill('SIGKILL');
    child = await bench.server({ dataDir });
  }
  await folded(child);
  await reading(child, async (store) => {
    const listed = await store.tests(ALL);
    expect(listed).toHaveLength(tests);
    expect(new Set(listed.map(({ executions }) => executions))).toEqual(new Set([runs]));
    const [run, ...others] = await store.testedRuns([1, 2, 3, 4]);
    expect([run, ...others]).toHaveLength(runs);
    const page = { testId: listed[0]?.id ?? '', offset: 0, limit: 9 };
    expect((await store.testExecutions(page)).total).toBe(runs);
  });
});
