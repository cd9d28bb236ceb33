/** Quarantine over HTTP, with a real store. */
import { expect, test } from 'vitest';
import { DAY_MS, setUp, someHistory, testRow } from './testing.ts';

const REASON = { reason: 'waits for the new driver' };
const flaky = `${testRow('flaky').id}/quarantine`;
const red = `${testRow('red').id}/quarantine`;

test('puts a test in quarantine for a time, and shows it', async () => {
  const { ask, items, quarantine, time } = await someHistory();
  const link = 'https://tracker.example.com/1';
  const { code, message, details } = await quarantine('POST', flaky, { ...REASON, link });
  expect([code, message]).toEqual([201, 'cart#flaky is in quarantine.']);
  const until = '2026-02-24T00:00:00.000000';
  const record = { by: 'alice', ...REASON, link, until };
  expect(details).toEqual({ test_id: testRow('flaky').id, variant_id: null, ...record });
  const shown = {
    ...{ variant_id: null, ...record, from: '2026-02-10T00:00:00.000000', isSpared: true },
  };
  const named = { test_id: testRow('flaky').id, namespace: 'ours', project: 'shop' };
  const list = async () => (await ask('/quarantine')).details;
  expect(await list()).toEqual({
    items: [{ ...named, name: 'cart#flaky', state: 'flaky', ...shown }],
    total: 1,
  });
  const one = async () => (await ask(`/tests/${testRow('flaky').id}`)).details;
  expect(await one()).toMatchObject({ quarantines: [shown], status: { quarantinedUntil: until } });
  const ends = async () =>
    (await items('sort=name')).map((item: { status: object }) =>
      Reflect.get(item.status, 'quarantinedUntil'),
    );
  expect(await ends()).toEqual([until, null, null]);
  time.nowMs += 14 * DAY_MS;
  expect([await list(), await ends()]).toEqual([{ items: [], total: 0 }, [null, null, null]]);
  const { quarantines, journal } = await one();
  expect([quarantines, journal[0].kind]).toEqual([[], 'quarantined']);
});

test('a further request replaces the quarantine, and a release ends it', async () => {
  const { ask, quarantine } = await someHistory();
  await quarantine('POST', flaky, REASON);
  const until = '2026-02-12T12:00:00Z';
  await quarantine('POST', flaky, { reason: 'soon', until });
  const { items } = (await ask('/quarantine')).details;
  expect(items).toMatchObject([{ reason: 'soon', until: '2026-02-12T12:00:00.000000' }]);
  const { code, message } = await quarantine('DELETE', `${flaky}?reason=fixed`);
  expect([code, message]).toEqual([200, 'cart#flaky is in no quarantine any more.']);
  expect((await ask('/quarantine')).details.total).toBe(0);
  expect((await quarantine('DELETE', flaky)).code).toBe(404);
  const journal = await ask(`/test-journal?test=${testRow('flaky').id}&per_page=3`);
  expect(journal.details.items).toMatchObject([
    { kind: 'released', name: 'cart#flaky', change: { by: 'alice', reason: 'fixed' } },
    { kind: 'quarantined', change: { reason: 'soon' } },
    { kind: 'quarantined', change: REASON },
  ]);
  expect(journal.link).toContain('rel="next"');
  const kinds = await ask('/test-journal?kind=released&since=2026-02-09T00:00:00Z');
  expect(kinds.details.total).toBe(1);
});

test('a variant may be in quarantine alone', async () => {
  const { history, ask, quarantine } = await setUp();
  for (let run = 0; run < 6; run++) {
    const ran = ['unit', 'browser'].map((job) => ({ name: 'one', outcomes: 'S', job }));
    await history.run(`v${run}`, ran);
  }
  const { id } = testRow('one');
  const path = `${id}/quarantine`;
  const { variants } = (await ask(`/tests/${id}`)).details.spec;
  const [first, second] = variants.map((each: { id: string }) => each.id);
  for (const variant of [first, second]) await quarantine('POST', path, { ...REASON, variant });
  expect((await ask('/quarantine')).details.total).toBe(2);
  await quarantine('DELETE', `${path}?variant=${first}`);
  expect((await ask('/quarantine')).details.items).toMatchObject([{ variant_id: second }]);
  expect((await quarantine('DELETE', path)).code).toBe(200);
  const { code } = await quarantine('POST', path, { ...REASON, variant: testRow('one').id });
  expect(code).toBe(404);
});

test('refuses a broken test without force, and never spares it', async () => {
  const { ask, quarantine } = await someHistory();
  const { code, message } = await quarantine('POST', red, REASON);
  expect([code, message]).toEqual([409, expect.stringContaining('The test is broken')]);
  expect((await quarantine('POST', red, { ...REASON, force: true })).code).toBe(201);
  const { items } = (await ask('/quarantine')).details;
  expect(items).toMatchObject([{ state: 'broken', isSpared: false }]);
});

test('refuses more than a share of the tests of a project, also of requests at once', async () => {
  const { history, quarantine } = await setUp();
  const ran = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, outcomes: 'S' }));
  await history.run('v1', ran);
  await history.run('v1', [{ name: 'other', namespace: 'theirs', outcomes: 'S' }]);
  const answers = await Promise.all(
    ran.map(({ name }) => quarantine('POST', `${testRow(name).id}/quarantine`, REASON)),
  );
  expect(answers.map(({ code }) => code).toSorted()).toEqual([201, 201, 409, 409, 409]);
  const refused = answers.find(({ code }) => code === 409);
  expect(refused?.message).toMatch(/^2 of the 5 tests of the project are in quarantine/);
  // One has its place already, and another namespace has its own.
  const held = ran[answers.findIndex(({ code }) => code === 201)]?.name ?? '';
  expect((await quarantine('POST', `${testRow(held).id}/quarantine`, REASON)).code).toBe(201);
  const theirs = `${testRow('other', 'theirs').id}/quarantine`;
  expect((await quarantine('POST', theirs, REASON)).code).toBe(201);
});

test.each([
  [{}, /reason/],
  [{ reason: ' ' }, /needs a reason/],
  [{ reason: 'a\u001b[31mb' }, /reason/],
  [{ reason: 'a'.repeat(1_001) }, /reason/],
  [{ ...REASON, until: 'soon' }, /"until" must be a time/],
  [{ ...REASON, until: '2026-02-10T00:00:00Z' }, /in the future/],
  [{ ...REASON, until: '2026-04-12T00:00:00Z' }, /60 days at most/],
  [{ ...REASON, link: 'javascript:alert(1)' }, /link/],
  [{ ...REASON, variant: 'x' }, /UUID/],
  [{ ...REASON, mode: 'skip' }, /mode/],
])('refuses %j', async (body, problem) => {
  const { history, quarantine } = await setUp();
  await history.run('v1', [{ name: 'flaky', outcomes: 'S' }]);
  const { code, message, details } = await quarantine('POST', flaky, body);
  expect(code).toBe(422);
  expect(`${message} ${details?.error}`).toMatch(problem);
});

test('needs the rights in the namespace of the test', async () => {
  const { ask, quarantine, restricted } = await someHistory();
  const rights = (namespace: string, ...verbs: readonly string[]) =>
    restricted({ namespaces: [namespace], resources: ['tests'], verbs });
  const strangers = await rights('theirs', 'list', 'get', 'create', 'delete');
  expect((await quarantine('POST', flaky, REASON, strangers)).code).toBe(403);
  expect((await quarantine('POST', flaky, REASON, await rights('ours', 'get'))).code).toBe(403);
  const ours = await rights('ours', 'create');
  expect((await quarantine('POST', flaky, REASON, ours)).code).toBe(201);
  expect((await quarantine('DELETE', flaky, undefined, strangers)).code).toBe(403);
  expect((await quarantine('DELETE', flaky, undefined, ours)).code).toBe(403);
  for (const path of ['/quarantine', '/test-journal']) {
    expect((await ask(path, strangers)).details).toMatchObject({ items: [], total: 0 });
    expect((await ask(`${path}?namespace=ours`, strangers)).code).toBe(403);
    expect((await ask(path, ours)).code).toBe(403);
  }
});

test.each([
  ['/test-journal?test=x', 422],
  ['/test-journal?kind=x', 422],
  ['/test-journal?since=x', 422],
  ['/quarantine?project=%00', 422],
])('refuses %s', async (url, code) => {
  const { ask } = await setUp();
  expect((await ask(url)).code).toBe(code);
});
