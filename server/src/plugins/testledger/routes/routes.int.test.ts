/** The routes with a real store. */
import { formatTimestamp } from '@tutti/manifests';
import { variantIdOf } from '@tutti/test-history';
import { expect, test } from 'vitest';
import { DAY_MS, type History, START_MS, setUp, sha1, someHistory, testRow } from './testing.ts';

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

/** A cause in each namespace, of the run that was written last. */
async function addCause(history: History, number: number, namespace = 'ours') {
  const id = `00000007-0000-5000-8000-${String(number).padStart(12, '0')}`;
  const row = testRow('one', namespace);
  const variantId = variantIdOf(row.id, { job: 'unit', function: '' }, sha1);
  const made = {
    ...{ namespace, project: 'shop', title: `no order of ${namespace} ${number}` },
    ...{ sample: 'Error: no order', first: '{}' },
  };
  const failures = [{ variantId, place: 0, count: number }];
  const items = [{ id, made, keys: [], isNew: true, atMs: START_MS, failures }];
  const bounds = { perNamespace: 9, all: 9, variants: 9, runs: 9 };
  const part = { run: number, variants: [], journal: [], causes: { bounds, items } };
  await history.store.write({ testHistory: { part } });
  return id;
}

test('lists causes, and shows one with where it failed', async () => {
  const { history, ask } = await setUp();
  const runs = [
    await history.run('v1', [{ name: 'one', outcomes: 'F' }]),
    await history.run(null, [{ name: 'one', outcomes: 'F' }]),
  ];
  const first = await addCause(history, 1);
  const id = await addCause(history, 2);
  const { code, details, link } = await ask('/causes');
  expect([code, details.total, link]).toEqual([200, 2, undefined]);
  const titles = async (query: string) =>
    (await ask(`/causes?${query}`)).details.items.map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    );
  expect(await titles('')).toEqual(['no order of ours 2', 'no order of ours 1']);
  expect(await titles('search=ORDER%20of%20ours%201')).toEqual(['no order of ours 1']);
  expect(await titles('project=other')).toEqual([]);
  expect(await titles('since=2026-01-01T00:00:01Z')).toEqual([]);
  expect(await titles(`test=${testRow('one').id}&since=2026-01-01T00:00:00Z`)).toHaveLength(2);
  expect(await titles(`test=${first}`)).toEqual([]);
  expect((await ask('/causes?per_page=1')).link).toContain('page=2>; rel="next"');
  const one = await ask(`/causes/${id.toUpperCase()}`);
  expect([one.code, one.message]).toEqual([200, 'no order of ours 2']);
  const seen = { workflow_id: runs[1], version: null, at: formatTimestamp(START_MS) };
  const place = { agent: 'build-7', tags: ['linux'], failures: 2 };
  expect(one.details.status).toEqual({
    ...{ failures: 2, since: seen, last: seen, sample: 'Error: no order' },
    tests: [
      {
        ...{ test_id: testRow('one').id, variant_id: expect.any(String), suite: 'cart' },
        ...{ name: 'one', job: 'unit', uses: null, failures: 2 },
      },
    ],
    runs: [
      {
        ...{ workflow_id: runs[1], version: null, branch: 'main' },
        ...{ at: formatTimestamp(START_MS + 2 * DAY_MS), ...place },
      },
    ],
    versions: [{ version: null, failures: 2 }],
    environments: [place],
  });
});

test('shows nobody the causes of another namespace', async () => {
  const { history, ask, restricted } = await setUp();
  await history.run('v1', [{ name: 'one', outcomes: 'F' }]);
  await history.run('v1', [{ name: 'one', namespace: 'theirs', outcomes: 'F' }]);
  await addCause(history, 1);
  const theirs = await addCause(history, 2, 'theirs');
  const rights = (verbs: readonly string[]) =>
    restricted({ namespaces: ['ours'], resources: ['tests'], verbs });
  const ours = await rights(['list', 'get']);
  const { details } = await ask('/causes', ours);
  expect([details.total, details.items[0].metadata.namespace]).toEqual([1, 'ours']);
  expect((await ask('/causes?namespace=theirs', ours)).code).toBe(403);
  expect((await ask(`/causes/${theirs}`)).code).toBe(200);
  expect((await ask(`/causes/${theirs}`, ours)).code).toBe(403);
  expect((await ask('/causes', await rights(['get']))).code).toBe(403);
});

test.each([
  ['/tests?state=red', 422],
  ['/tests?sort=age', 422],
  ['/tests?per_page=0', 422],
  ['/tests?search=%00', 422],
  ['/tests?project=%00', 422],
  ['/causes?since=soon', 422],
  ['/causes?test=x', 422],
  ['/causes?search=%00', 422],
  ['/causes/x', 404],
  ['/causes/aaaaaaaa-1111-4222-8333-000000000000', 404],
  ['/tests/x', 404],
  ['/tests/aaaaaaaa-1111-4222-8333-000000000000', 404],
  ['/tests/aaaaaaaa-1111-4222-8333-000000000000/executions', 404],
])('refuses %s', async (url, code) => {
  const { ask } = await setUp();
  expect((await ask(url)).code).toBe(code);
});
