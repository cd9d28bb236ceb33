/** Causes of failures across runs: folding, lists, bounds, and what is removed. */
import type { WorkflowId } from '@tutti/manifests';
import { describe, expect } from 'vitest';
import type { CauseBounds, CauseQuery, FoldedCause } from '../causes.ts';
import type { Store } from '../store.ts';
import type { FoldedVariant, TestedRunFacts } from '../test-history.ts';
import { timestamp, workflowId } from './samples.ts';
import type { StoreTest } from './store-target.ts';

const QUERY: CauseQuery = { offset: 0, limit: 9 };
const BOUNDS: CauseBounds = { perNamespace: 9, all: 9, variants: 9, runs: 9 };

const uuid = (kind: number, number: number) =>
  `0000000${kind}-0000-5000-8000-${String(number).padStart(12, '0')}`;
const causeId = (number: number) => uuid(7, number);
const testId = (number: number) => uuid(8, number);
const variantId = (number: number) => uuid(9, number);
const keyOf = (number: number) => String(number).padStart(24, '0');

const variant = (number: number): FoldedVariant => ({
  test: {
    ...{ id: testId(number), namespace: 'default', project: 'shop' },
    ...{ technology: 'junit', suite: 'cart', name: `case ${number}` },
  },
  variant: { id: variantId(number), job: 'unit', function: '' },
  executions: [{ attempt: 1, outcome: 'failure', startedMs: 0, durationMs: 1, place: 0 }],
  ledger: null,
});

const made = (number: number, more: Partial<FoldedCause['made']> = {}): FoldedCause['made'] => ({
  ...{ namespace: 'default', project: 'shop', title: `No order ${number}`, sample: 'No\0\u0001 x' },
  first: '{"type":"Error"}',
  ...more,
});

/** A cause that is new, with one failure of the first variant. */
const cause = (number: number, more: Partial<FoldedCause> = {}): FoldedCause => ({
  id: causeId(number),
  made: made(number),
  keys: [keyOf(number)],
  isNew: true,
  atMs: number,
  failures: [{ variantId: variantId(1), place: 0, count: 1 }],
  ...more,
});

/** The same in a later run. */
const again = (number: number, more: Partial<FoldedCause> = {}): FoldedCause =>
  cause(number, { made: null, keys: [], isNew: false, ...more });

interface Fold {
  readonly bounds?: Partial<CauseBounds>;
  readonly facts?: Partial<TestedRunFacts>;
}

/** A run with failures of three tests. */
async function folded(
  store: Store,
  id: WorkflowId,
  items: readonly FoldedCause[],
  { bounds, facts }: Fold = {},
): Promise<number> {
  const begin: TestedRunFacts = {
    ...{ workflowId: id, namespace: 'default', project: 'shop', name: 'nightly' },
    ...{ version: 'abc', branch: 'main', isMain: true, createdAt: timestamp(1), massJobs: [] },
    places: ['build-7', 'build-8'].map((agent) => ({ agent, tags: ['linux'] })),
    ...facts,
  };
  await store.write({ testHistory: { begin } });
  const run = (await store.begunRun(id))?.run ?? 0;
  const variants = [1, 2, 3].map(variant);
  const causes = { bounds: { ...BOUNDS, ...bounds }, items };
  const end = { run, workflowId: id, mark: 1, onlyFailed: null };
  await store.write({ testHistory: { part: { run, variants, journal: [], causes }, end } });
  return run;
}

const titles = async (store: Store, more: Partial<CauseQuery> = {}) =>
  (await store.causes({ ...QUERY, ...more })).map(({ title }) => Number(title.at(-1)));

export function describeCauses(storeTest: StoreTest): void {
  describe('causes of failures', () => {
    describeTracking(storeTest);
    describeCauseLists(storeTest);
    describeCauseBounds(storeTest);
  });
}

function describeTracking(storeTest: StoreTest): void {
  storeTest('adds up the failures of a cause over runs', async ({ store, reopen }) => {
    const failures = [
      { variantId: variantId(1), place: 0, count: 2 },
      { variantId: variantId(1), place: 1, count: 1 },
      { variantId: variantId(2), place: 1, count: 1 },
    ];
    await folded(store, workflowId(1), [cause(1, { failures, keys: [keyOf(1), keyOf(2)] })]);
    const later = { version: 'def', branch: 'x', createdAt: timestamp(3) };
    await folded(store, workflowId(2), [again(1, { atMs: 5 })], { facts: later });
    const found = await (await reopen()).cause(causeId(1));
    expect(found).toEqual({
      ...{ id: causeId(1), namespace: 'default', project: 'shop', title: 'No order 1' },
      ...{ sample: 'No\0\u0001 x', failures: 5, firstSeen: timestamp(1) },
      ...{ sinceMs: 1, sinceWorkflowId: workflowId(1), sinceVersion: 'abc' },
      ...{ lastMs: 5, lastWorkflowId: workflowId(2), lastVersion: 'def' },
    });
  });

  storeTest('tells the tests and the runs of a cause', async ({ store }) => {
    const failures = [
      { variantId: variantId(2), place: 0, count: 1 },
      { variantId: variantId(1), place: 0, count: 2 },
      { variantId: variantId(1), place: 1, count: 3 },
    ];
    await folded(store, workflowId(1), [cause(1, { failures })]);
    await folded(store, workflowId(2), [again(1)], { facts: { version: null, branch: null } });
    const parts = { job: 'unit', function: '', suite: 'cart' };
    expect(await store.causeVariants(causeId(1))).toEqual([
      { ...parts, id: variantId(1), testId: testId(1), name: 'case 1', failures: 6 },
      { ...parts, id: variantId(2), testId: testId(2), name: 'case 2', failures: 1 },
    ]);
    const place = (agent: string) => ({ agent, tags: ['linux'] });
    const first = { workflowId: workflowId(1), version: 'abc', branch: 'main' };
    const at = { createdAt: timestamp(1) };
    expect(await store.causeRuns(causeId(1))).toEqual([
      {
        ...{ workflowId: workflowId(2), version: null, branch: null, place: place('build-7') },
        ...at,
        failures: 1,
      },
      { ...first, ...at, place: place('build-7'), failures: 3 },
      { ...first, ...at, place: place('build-8'), failures: 3 },
    ]);
    expect(await store.causeVariants(causeId(9))).toEqual([]);
    expect(await store.cause(causeId(9))).toBeNull();
  });

  storeTest('finds causes by their keys, and says since when they are new', async ({ store }) => {
    await folded(store, workflowId(1), [cause(1), cause(2, { keys: [keyOf(1), keyOf(3)] })]);
    await folded(store, workflowId(2), [again(1, { keys: [keyOf(4)], isNew: true, atMs: 7 })]);
    const known = async (keys: readonly number[], limit = 9) =>
      (await store.knownCauses(keys.map(keyOf), limit)).toSorted((one, other) =>
        `${one.id} ${one.key}` < `${other.id} ${other.key}` ? -1 : 1,
      );
    const one = { id: causeId(1), first: '{"type":"Error"}', seenMs: 7, keys: 2 };
    const since = { sinceWorkflowId: workflowId(2), sinceMs: 7 };
    expect(await known([4, 5])).toEqual([{ key: keyOf(4), ...one, ...since }]);
    expect((await known([1, 3])).map(({ id, key }) => [id, key])).toEqual([
      [causeId(1), keyOf(1)],
      [causeId(2), keyOf(1)],
      [causeId(2), keyOf(3)],
    ]);
    expect(await known([1, 3], 1)).toHaveLength(1);
    expect(await known([])).toEqual([]);
    expect(await store.runProject(workflowId(1))).toBe('shop');
    expect(await store.runProject(workflowId(9))).toBeNull();
  });
}

function describeCauseLists(storeTest: StoreTest): void {
  storeTest('lists and chooses causes, those that failed last first', async ({ store }) => {
    const second = { failures: [{ variantId: variantId(2), place: 0, count: 1 }] };
    await folded(store, workflowId(1), [
      cause(1),
      cause(2, { made: made(2, { namespace: 'x', project: 'y' }) }),
      cause(3, { made: made(3, { title: '50%_A 3' }), ...second }),
    ]);
    await folded(store, workflowId(2), [again(1, { atMs: 9 })]);
    expect(await titles(store)).toEqual([1, 3, 2]);
    expect(await titles(store, { offset: 1, limit: 1 })).toEqual([3]);
    expect(await titles(store, { namespaces: ['x'] })).toEqual([2]);
    expect(await titles(store, { namespaces: [] })).toEqual([]);
    expect(await titles(store, { project: 'shop' })).toEqual([1, 3]);
    expect(await titles(store, { search: 'NO ORDER' })).toEqual([1, 2]);
    expect(await titles(store, { search: '0%_a' })).toEqual([3]);
    expect(await titles(store, { sinceMs: 3 })).toEqual([1, 3]);
    expect(await titles(store, { testId: testId(2) })).toEqual([3]);
    expect(await store.countCauses({ testId: testId(1), search: 'order' })).toBe(2);
    expect(await store.countCauses({})).toBe(3);
  });
}

function describeCauseBounds(storeTest: StoreTest): void {
  storeTest('lets the causes leave that failed longest ago', async ({ store }) => {
    const bounds = { perNamespace: 2, all: 3 };
    const elsewhere = { made: made(2, { namespace: 'x' }) };
    await folded(store, workflowId(1), [cause(1), cause(2, elsewhere)], { bounds });
    await folded(store, workflowId(2), [cause(3)], { bounds });
    await folded(store, workflowId(3), [again(1)], { bounds });
    await folded(store, workflowId(4), [cause(4)], { bounds });
    expect(await titles(store)).toEqual([4, 1, 2]);
    expect(await store.knownCauses([keyOf(3)], 9)).toEqual([]);
    await folded(store, workflowId(5), [cause(5, { made: made(5, { namespace: 'y' }) })], {
      bounds,
    });
    expect(await titles(store)).toEqual([5, 4, 1]);
    // Failures of a cause that left meanwhile are passed over.
    await folded(store, workflowId(6), [again(2)], { bounds });
    expect(await titles(store)).toEqual([5, 4, 1]);
  });

  storeTest('keeps the newest variants and runs of a cause', async ({ store }) => {
    const bounds = { variants: 2, runs: 2 };
    const of = (number: number, place = 0) => ({ variantId: variantId(number), place, count: 1 });
    await folded(store, workflowId(1), [cause(1, { failures: [of(1)] })], { bounds });
    await folded(store, workflowId(2), [again(1, { failures: [of(2), of(3, 1)] })], { bounds });
    const [one, other] = await store.causeVariants(causeId(1));
    expect([one?.id, other?.id]).toEqual([variantId(2), variantId(3)]);
    const runs = await store.causeRuns(causeId(1));
    expect(runs.map((run) => run.workflowId)).toEqual([workflowId(2), workflowId(2)]);
    expect((await store.cause(causeId(1)))?.failures).toBe(3);
  });

  storeTest('removes causes that are in no kept run', async ({ store }) => {
    const first = await folded(store, workflowId(1), [cause(1), cause(2)]);
    await folded(store, workflowId(2), [again(1)]);
    await store.write({ testHistory: { remove: first } });
    expect(await titles(store)).toEqual([1]);
    const found = await store.cause(causeId(1));
    expect([found?.sinceWorkflowId, found?.firstSeen, found?.failures]).toEqual([null, null, 2]);
    expect(await store.causeRuns(causeId(1))).toHaveLength(1);
    expect(await store.knownCauses([keyOf(2)], 9)).toEqual([]);
  });
}
