/** The routes with a real store. */
import { expect, test } from 'vitest';
import { setUp, someHistory, testRow } from './testing.ts';

const names = (items: readonly { spec: { testCaseName: string } }[]) =>
  items.map(({ spec }) => spec.testCaseName);

test('lists tests with their states, the one that cost most runs first', async () => {
  const { ask, items } = await someHistory();
  const { code, kind, details, link } = await ask('/tests');
  expect([code, kind, details.total, link]).toEqual([200, 'Status', 3, undefined]);
  expect(details.warnings).toBeUndefined();
  const [red] = details.items;
  expect(red.spec).toEqual({ technology: 'junit', suiteName: 'cart', testCaseName: 'red' });
  expect(red.metadata).toMatchObject({
    ...{ id: testRow('red').id, namespace: 'ours', project: 'shop', name: 'cart#red' },
    lastVersion: 'v33',
  });
  expect(red.status).toMatchObject({
    ...{ state: 'broken', impact: { runs: 4 }, duration: { p50: 10 } },
    failures: { count: 8, of: 37 },
  });
  expect(red.status.failures.interval[0]).toBeCloseTo(0.114, 3);
  expect(names(await items('sort=name'))).toEqual(['flaky', 'green', 'red']);
  expect(names(await items('sort=-failures&search=R'))).toEqual(['red', 'flaky', 'green']);
  expect(names(await items('state=flaky,broken&sort=name'))).toEqual(['flaky', 'red']);
  expect(names(await items('search=GRE'))).toEqual(['green']);
  expect(await items('project=other')).toEqual([]);
  const page = await ask('/tests?sort=name&per_page=1&page=2');
  expect(names(page.details.items)).toEqual(['green']);
  expect(page.link).toContain('per_page=1&page=3>; rel="next"');
});

test('shows a test with the evidence for its state', async () => {
  const { ask, runs } = await someHistory();
  const { code, message, details } = await ask(`/tests/${testRow('flaky').id.toUpperCase()}`);
  expect([code, message]).toEqual([200, 'cart#flaky']);
  const [variant] = details.status.variants;
  expect(details.spec.variants).toEqual([{ id: variant.id, job: 'unit', uses: null }]);
  expect(details.status).toMatchObject({ state: 'flaky', worstVariant: variant.id });
  expect(variant.contradictions).toMatchObject([
    { version: 'v31', workflow_ids: [runs[30]] },
    { version: 'v20', workflow_ids: [runs[19]] },
  ]);
  expect(variant).toMatchObject({
    ...{ state: 'flaky', brokenSince: null, passesInRow: 3 },
    since: { workflow_id: runs[30], version: 'v31' },
    duration: { p50: expect.closeTo(10, 1), p90: expect.anything(), p95: expect.anything() },
  });
  expect(variant.probability).toBeGreaterThan(0.95);
  expect(variant.passesToRecover).toBeGreaterThanOrEqual(20);
  expect(variant.strip).toHaveLength(35);
  expect(details.journal).toHaveLength(33);
  expect(details.journal[0]).toMatchObject({ kind: 'state', variant_id: variant.id });
  const red = await ask(`/tests/${testRow('red').id}`);
  const [broken] = red.details.status.variants;
  expect(broken.brokenSince).toMatchObject({ version: 'v30', workflow_id: runs[29] });
  expect(broken.passesToRecover).toBeNull();
});

test('shows the worst variants first, or the one that was asked for', async () => {
  const { history, ask } = await setUp();
  for (let number = 1; number <= 9; number++) {
    const outcomes = number < 6 ? 'S' : 'FF';
    const ran = [
      { name: 'one', outcomes: 'S' },
      { name: 'one', outcomes, job: 'nightly' },
    ];
    await history.run(`v${number}`, ran);
  }
  const path = `/tests/${testRow('one').id}`;
  const { details } = await ask(path);
  const [nightly, unit] = details.spec.variants;
  expect([nightly.job, nightly.uses, unit.job]).toEqual(['nightly', 'junit/execute', 'unit']);
  expect(details.status).toMatchObject({ state: 'broken', worstVariant: nightly.id });
  const one = await ask(`${path}?variant=${unit.id}`);
  expect(one.details.spec.variants).toEqual([unit]);
  expect(one.details.status.variants).toHaveLength(1);
  const executions = await ask(`${path}/executions?variant=${nightly.id}`);
  expect(executions.details.total).toBe(13);
  expect((await ask(`${path}?variant=x`)).code).toBe(422);
});

test('lists the executions of a test, the newest first', async () => {
  const { ask, runs } = await someHistory();
  const path = `/tests/${testRow('flaky').id}/executions`;
  const { details } = await ask(path);
  expect(details.total).toBe(35);
  expect(details.items[0]).toMatchObject({
    ...{ workflow_id: runs[32], attempt: 1, outcome: 'success', version: 'v33', branch: 'main' },
    ...{ agent: 'build-7', job: 'unit', isMain: true, duration: 10 },
  });
  const chosen = async (query: string) => {
    const answer = await ask(`${path}?${query}`);
    return answer.details.items.map((item: { version: string }) => item.version);
  };
  expect(await chosen('outcome=failure')).toEqual(['v31', 'v20']);
  expect(await chosen('version=v20')).toEqual(['v20', 'v20']);
  expect(await chosen('branch=other')).toEqual([]);
  expect(await chosen('since=2026-02-02T00:00:00Z')).toEqual(['v33', 'v32']);
  const second = await ask(`${path}?per_page=10&page=2`);
  expect(second.details.items).toHaveLength(10);
  expect(second.link).toMatch(/per_page=10&page=3>; rel="next".*per_page=10&page=4>; rel="last"/);
});

test('shows a test whose ledger has another format without its evidence', async () => {
  const { history, ask } = await setUp();
  await history.run('v1', [{ name: 'one', outcomes: 'S' }]);
  const { id } = testRow('one');
  const [variant] = await history.store.testVariants({ testId: id, limit: 1 });
  if (variant === undefined) throw new Error('The test has no variant.');
  const ledger = { ...variant, bytes: Uint8Array.of(99) };
  const variants = [{ test: testRow('one'), variant, executions: [], ledger }];
  await history.store.write({ testHistory: { part: { run: 1, variants, journal: [] } } });
  const { code, details } = await ask(`/tests/${id}`);
  const [shown] = details.status.variants;
  expect([code, shown.state, shown.since, shown.strip]).toEqual([200, 'new', null, '']);
});

test('says where no version is known', async () => {
  const { history, ask } = await setUp();
  const ran = [{ name: 'one', outcomes: 'S' }];
  const first = await history.run(null, ran);
  const warning = expect.stringContaining('ran without a known version');
  expect((await ask('/tests')).details.warnings).toEqual([warning]);
  const one = await ask(`/tests/${testRow('one').id}`);
  expect(one.details.warnings).toEqual([warning]);
  const since = { workflow_id: first, version: null, at: expect.any(String) };
  expect(one.details.status.variants[0].since).toEqual(since);
  await history.run('v2', ran);
  expect((await ask('/tests')).details.warnings).toBeUndefined();
});

test('shows nobody the tests of another namespace', async () => {
  const { history, ask, items, restricted } = await setUp();
  await history.run('v1', [{ name: 'one', outcomes: 'S' }]);
  await history.run('v1', [{ name: 'two', namespace: 'theirs', outcomes: 'S' }]);
  const rights = (namespace: string, verbs: readonly string[]) =>
    restricted({ namespaces: [namespace], resources: ['tests'], verbs });
  const ours = await rights('ours', ['list', 'get']);
  expect(names(await items('sort=name'))).toEqual(['one', 'two']);
  expect(names(await items('', ours))).toEqual(['one']);
  expect(names(await items('namespace=theirs'))).toEqual(['two']);
  expect((await ask('/tests?namespace=theirs', ours)).code).toBe(403);
  const theirs = `/tests/${testRow('two', 'theirs').id}`;
  expect((await ask(theirs)).code).toBe(200);
  expect((await ask(theirs, ours)).code).toBe(403);
  expect((await ask(`${theirs}/executions`, ours)).code).toBe(403);
  expect((await ask('/tests', await rights('ours', ['get']))).code).toBe(403);
});

test.each([
  ['/tests?state=red', 422],
  ['/tests?sort=age', 422],
  ['/tests?per_page=0', 422],
  ['/tests?search=%00', 422],
  ['/tests?project=%00', 422],
  ['/tests/x', 404],
  ['/tests/aaaaaaaa-1111-4222-8333-000000000000', 404],
  ['/tests/aaaaaaaa-1111-4222-8333-000000000000/executions', 404],
])('refuses %s', async (url, code) => {
  const { ask } = await setUp();
  expect((await ask(url)).code).toBe(code);
});
