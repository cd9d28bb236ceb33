/** The history of tests: runs that wait, foldings, lists, and what is removed. */
import type { WorkflowId } from '@tutti/manifests';
import { describe, expect } from 'vitest';
import type { Store } from '../store.ts';
import {
  type FoldedVariant,
  JOURNAL_LIMITS,
  type JournalRow,
  type KeptExecution,
  type TestedRunFacts,
  type TestFigures,
  type TestQuery,
} from '../test-history.ts';
import { append, testCase, timestamp, workflowId, workflowRow } from './samples.ts';
import type { StoreTest } from './store-target.ts';

const RUN = workflowId(1);
const OTHER = workflowId(2);
const OVER = { live: false, status: 'DONE', completedAt: timestamp(2) } as const;
const QUERY: TestQuery = { order: 'name', isDescending: false, offset: 0, limit: 10 };

const facts = (id: WorkflowId, more: Partial<TestedRunFacts> = {}): TestedRunFacts => ({
  workflowId: id,
  namespace: 'default',
  project: 'shop',
  name: 'nightly',
  version: 'abc',
  branch: 'main',
  isMain: true,
  createdAt: timestamp(1),
  places: [{ agent: 'build-7', tags: ['linux'] }],
  massJobs: [],
  ...more,
});

const uuid = (kind: number, number: number) =>
  `0000000${kind}-0000-5000-8000-${String(number).padStart(12, '0')}`;
const testId = (number: number) => uuid(8, number);
const variantId = (number: number) => uuid(9, number);

const BEGIN_MS = 60_000;

const execution = (attempt: number, more: Partial<KeptExecution> = {}): KeptExecution => ({
  attempt,
  outcome: 'success',
  startedMs: BEGIN_MS + 500,
  durationMs: 1.25,
  place: 0,
  ...more,
});

const FIGURES: TestFigures = {
  state: 'stable',
  flakeRate: 0.25,
  failures: 0,
  executions: 1,
  durationMs: 1.25,
  lastFailedMs: null,
};

const ledger = (more: Partial<TestFigures> = {}, bytes = [1, 2]) => ({
  ...FIGURES,
  ...more,
  bytes: Uint8Array.from(bytes),
});

/** A variant of the test with that number. */
const variant = (number: number, more: Partial<FoldedVariant> = {}): FoldedVariant => ({
  test: {
    id: testId(number),
    namespace: 'default',
    project: 'shop',
    technology: 'junit',
    suite: 'cart',
    name: `case ${number}`,
  },
  variant: { id: variantId(number), job: 'unit', function: '' },
  executions: [execution(1)],
  ledger: ledger(),
  ...more,
});

/** Begins a folding, and answers its number. */
async function begin(store: Store, id: WorkflowId, more: Partial<TestedRunFacts> = {}) {
  await store.write({ testHistory: { begin: facts(id, more) } });
  return (await store.begunRun(id))?.run ?? 0;
}

async function fold(
  store: Store,
  [id, run]: readonly [WorkflowId, number],
  variants: readonly FoldedVariant[],
  onlyFailed: string | null = null,
): Promise<void> {
  const end = { run, workflowId: id, mark: 1, onlyFailed };
  await store.write({ testHistory: { part: { run, variants, journal: [] }, end } });
}

/** A run of these variants from its begin to its end. */
async function folded(
  store: Store,
  id: WorkflowId,
  variants: readonly FoldedVariant[],
  more: Partial<TestedRunFacts> & { readonly onlyFailed?: string } = {},
): Promise<number> {
  const { onlyFailed = null, ...rest } = more;
  const run = await begin(store, id, rest);
  await fold(store, [id, run], variants, onlyFailed);
  return run;
}

export function describeTestHistory(storeTest: StoreTest): void {
  describe('the history of tests', () => {
    describeWaiting(storeTest);
    describeFolding(storeTest);
    describeLists(storeTest);
    describeQuarantine(storeTest);
    describeExecutions(storeTest);
    describeRemoval(storeTest);
  });
}

function describeWaiting(storeTest: StoreTest): void {
  storeTest('waits for the end of a run with results, in the order of ends', async ({ store }) => {
    const results = { testCases: [testCase('a')] };
    await store.append(append(RUN, 0, { projection: results }));
    await store.append(append(OTHER, 0, { projection: results }));
    await store.append(append(workflowId(3), 0));
    expect(await store.unfoldedRuns(9)).toEqual([]);
    const end = async (id: WorkflowId, seq: number, at: number) => {
      const workflow = workflowRow(id, { ...OVER, completedAt: timestamp(at) });
      await store.append(append(id, seq, { projection: { workflow } }));
    };
    await end(RUN, 1, 5);
    await end(OTHER, 1, 4);
    await end(workflowId(3), 1, 3);
    expect(await store.unfoldedRuns(9)).toEqual([
      { workflowId: OTHER, mark: 1 },
      { workflowId: RUN, mark: 1 },
    ]);
    expect(await store.unfoldedRuns(1)).toHaveLength(1);
    // Runs that wait are not removed.
    const last = { at: timestamp(9), place: 9 };
    expect(await store.endedWorkflowIds(last, 9)).toEqual([workflowId(3)]);
    await folded(store, OTHER, []);
    expect(await store.unfoldedRuns(9)).toEqual([{ workflowId: RUN, mark: 1 }]);
    expect(await store.endedWorkflowIds(last, 9)).toEqual([workflowId(3), OTHER]);
  });

  storeTest('waits again for results that came meanwhile', async ({ store }) => {
    const testCases = [testCase('a')];
    await store.append(append(RUN, 0, { projection: { testCases } }));
    const workflow = workflowRow(RUN, OVER);
    await store.append(append(RUN, 1, { projection: { workflow, testCases } }));
    expect(await store.unfoldedRuns(9)).toEqual([{ workflowId: RUN, mark: 2 }]);
    // The end of a folding that saw less.
    await folded(store, RUN, []);
    expect(await store.unfoldedRuns(9)).toEqual([{ workflowId: RUN, mark: 2 }]);
  });
}

function describeFolding(storeTest: StoreTest): void {
  storeTest('begins a run once, and goes on after a restart', async ({ store, reopen }) => {
    const run = await begin(store, RUN);
    expect(await begin(store, RUN, { branch: 'other' })).toBe(run);
    const again = await reopen();
    const begun = { ...facts(RUN), run, versionNumber: run };
    expect(await again.begunRun(RUN)).toEqual(begun);
    expect(await again.testedRuns([run, 77])).toEqual([begun]);
    await fold(again, [RUN, run], []);
    expect(await again.begunRun(RUN)).toBeNull();
  });

  storeTest('numbers a version by its first run in the project', async ({ store }) => {
    const first = await folded(store, RUN, []);
    const second = await folded(store, OTHER, []);
    const unknown = await folded(store, workflowId(3), [], { version: null });
    const elsewhere = await folded(store, workflowId(4), [], { project: 'other' });
    const runs = await store.testedRuns([first, second, unknown, elsewhere]);
    expect(runs.map((run) => run.versionNumber)).toEqual([first, first, unknown, elsewhere]);
  });

  storeTest('knows ledgers and figures, and the last attempt of a run', async ({ store }) => {
    const run = await begin(store, RUN);
    const part = { run, journal: [] };
    const twice = variant(1, { executions: [execution(1), execution(2)] });
    const none = variant(2, { ledger: null });
    await store.write({ testHistory: { part: { ...part, variants: [twice, none] } } });
    const ids = [1, 2, 3].map(variantId);
    const known = (await store.knownVariants(RUN, ids)).toSorted((one, other) =>
      one.id < other.id ? -1 : 1,
    );
    expect(known.map(({ id, lastAttempt }) => ({ id, lastAttempt }))).toEqual([
      { id: variantId(1), lastAttempt: 2 },
      { id: variantId(2), lastAttempt: 1 },
    ]);
    expect(known.map((each) => each.ledger && [...each.ledger])).toEqual([[1, 2], null]);
    expect((await store.knownVariants(OTHER, ids)).map((each) => each.lastAttempt)).toEqual([0, 0]);
    const figures = await store.variantFigures(ids);
    expect(figures.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
      {
        ...{ id: variantId(1), state: 'stable', flakeRate: 0.25, failures: 0, executions: 1 },
        untilMs: null,
      },
      {
        ...{ id: variantId(2), state: 'new', flakeRate: 0, failures: 0, executions: 0 },
        untilMs: null,
      },
    ]);
    // A further folding of the run goes on with the attempts.
    await fold(store, [RUN, run], []);
    await folded(store, RUN, [variant(1, { executions: [execution(3)], ledger: ledger({}, [7]) })]);
    const [again] = await store.knownVariants(RUN, [variantId(1)]);
    expect(again?.lastAttempt).toBe(3);
    expect([...(again?.ledger ?? [])]).toEqual([7]);
  });
}

function describeLists(storeTest: StoreTest): void {
  storeTest('lists tests with the worst of their variants', async ({ store }) => {
    const flaky = variant(1, {
      variant: { id: variantId(11), job: 'other', function: 'junit/execute' },
      ledger: ledger({
        state: 'flaky',
        failures: 3,
        lastFailedMs: 7,
        durationMs: 4,
        flakeRate: 0.5,
      }),
    });
    const unknown = variant(1, {
      variant: { id: variantId(12), job: 'third', function: '' },
      ledger: null,
    });
    await folded(store, RUN, [variant(1), flaky, unknown], { createdAt: timestamp(3) });
    // A pass does not change when it failed last.
    const passed = { ...flaky, ledger: ledger({ ...flaky.ledger, lastFailedMs: null }) };
    await folded(store, OTHER, [variant(1), passed], { createdAt: timestamp(4), version: 'def' });
    const [listed] = await store.tests(QUERY);
    const { test } = variant(1);
    const figures = {
      ...{ state: 'flaky', flakeRate: 0.5, failures: 3, executions: 2 },
      ...{ durationMs: 4, lastFailedMs: 7, impactRuns: 0, untilMs: null },
    };
    const seen = { firstSeen: timestamp(3), lastSeen: timestamp(4), lastVersion: 'def' };
    expect(listed).toEqual({ ...test, ...figures, ...seen });
    expect(await store.test(test.id)).toEqual(listed);
    expect(await store.test(testId(9))).toBeNull();
    const variants = await store.testVariants({ testId: test.id, limit: 9 });
    expect(variants.map((each) => each.state)).toEqual(['flaky', 'new', 'stable']);
    const [{ ledger: _, ...shown } = { ledger: null }] = variants;
    const { bytes: __, ...own } = flaky.ledger ?? { bytes: null };
    expect(shown).toEqual({ ...flaky.variant, ...own });
    expect(await store.testVariants({ testId: test.id, limit: 1 })).toEqual(variants.slice(0, 1));
    const third = { testId: test.id, variantId: unknown.variant.id, limit: 9 };
    expect(await store.testVariants(third)).toEqual(variants.slice(1, 2));
  });

  storeTest('lists a test of which no execution counts', async ({ store }) => {
    const skipped = variant(1, { ledger: ledger({ state: 'new', executions: 0 }) });
    await folded(store, RUN, [skipped]);
    expect((await store.tests(QUERY)).map(({ state }) => state)).toEqual(['new']);
  });

  storeTest('chooses and orders tests', async ({ store }) => {
    const a = variant(1, { ledger: ledger({ state: 'broken', failures: 2, lastFailedMs: 5 }) });
    const b = variant(2, { ledger: ledger({ failures: 9, durationMs: 7, flakeRate: 0.75 }) });
    const c = variant(3, { ledger: null });
    const elsewhere = { ...c, test: { ...c.test, namespace: 'x', project: 'y', suite: '50%_a' } };
    await folded(store, RUN, [a, b, elsewhere], { onlyFailed: testId(1) });
    const ids = async (more: Partial<TestQuery>) =>
      (await store.tests({ ...QUERY, ...more })).map(({ id }) => Number(id.slice(-1)));
    expect(await ids({})).toEqual([3, 1, 2]);
    expect(await ids({ isDescending: true, limit: 2 })).toEqual([2, 1]);
    expect(await ids({ offset: 1 })).toEqual([1, 2]);
    expect(await ids({ order: 'failures', isDescending: true })).toEqual([2, 1, 3]);
    expect(await ids({ order: 'duration', isDescending: true })).toEqual([2, 1, 3]);
    expect(await ids({ order: 'flakeRate', isDescending: true })).toEqual([2, 1, 3]);
    expect(await ids({ order: 'lastFailed', isDescending: true })).toEqual([1, 3, 2]);
    expect(await ids({ order: 'impact', isDescending: true })).toEqual([1, 3, 2]);
    expect(await ids({ order: 'impact' })).toEqual([2, 3, 1]);
    expect(await ids({ order: 'lastFailed' })).toEqual([2, 3, 1]);
    expect(await ids({ order: 'failures', states: ['stable', 'new'] })).toEqual([3, 2]);
    expect(await ids({ order: 'failures', isDescending: true, search: 'Case' })).toEqual([2, 1, 3]);
    expect(await ids({ namespaces: ['x'] })).toEqual([3]);
    expect(await ids({ project: 'shop' })).toEqual([1, 2]);
    expect(await ids({ states: ['broken', 'new'] })).toEqual([3, 1]);
    expect(await ids({ search: 'CASE 2' })).toEqual([2]);
    expect(await ids({ search: '0%_A' })).toEqual([3]);
    expect(await store.countTests({ states: ['broken', 'stable'] })).toBe(2);
  });

  storeTest('has the changes of a test, the newest first', async ({ store }) => {
    const run = await begin(store, RUN);
    const entry = (kind: string, atMs: number, of: number | null) => ({
      ...{ kind, atMs, json: `{"${kind}":1}` },
      ...{ testId: testId(1), variantId: of === null ? null : variantId(of) },
    });
    const journal = [entry('state', 5, 1), entry('note', 6, null)];
    await store.write({ testHistory: { part: { run, variants: [variant(1)], journal } } });
    const page = { testId: testId(1), offset: 0, limit: 5 };
    const { test } = variant(1);
    const listed = journal.map((each) => ({ ...each, test, state: 'stable', untilMs: null }));
    expect(await store.testJournal(page)).toEqual(listed.toReversed());
    expect(await store.testJournal({ ...page, offset: 1, limit: 1 })).toEqual([listed[0]]);
    expect(await store.testJournal({ ...page, testId: testId(2) })).toEqual([]);
  });
}

const entryOf = (number: number, more: Partial<JournalRow> = {}): JournalRow => ({
  ...{ atMs: 5, testId: testId(number), variantId: null, kind: 'quarantined', json: '{}' },
  ...more,
});
const onVariant = (number: number) => ({ variantId: variantId(number) });
const released = { kind: 'released', untilMs: null };

function describeQuarantine(storeTest: StoreTest): void {
  storeTest('has a quarantine until the next entry about it', async ({ store, reopen }) => {
    await folded(store, RUN, [variant(1), variant(2)]);
    const write = (...journal: readonly JournalRow[]) => store.write({ testHistory: { journal } });
    const ends = async (of = store) =>
      (await of.variantFigures([variantId(1), variantId(2)]))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        .map(({ untilMs }) => untilMs);
    await write(entryOf(1, { untilMs: 50 }), entryOf(9, { untilMs: 50 }));
    expect(await ends()).toEqual([50, null]);
    // One of a variant stands beside that of its test.
    await write(entryOf(1, { untilMs: 70, ...onVariant(1) }), entryOf(2, { untilMs: 60 }));
    expect(await ends()).toEqual([70, 60]);
    expect((await store.test(testId(1)))?.untilMs).toBe(70);
    await write(entryOf(1, { kind: 'state' }));
    await write(entryOf(1, { ...released, ...onVariant(1) }));
    expect(await ends()).toEqual([50, 60]);
    await write(entryOf(1, { untilMs: 40 }));
    expect(await ends()).toEqual([40, 60]);
    await write(entryOf(1, released));
    expect(await ends(await reopen())).toEqual([null, 60]);
  });

  storeTest('chooses entries of all tests', async ({ store }) => {
    const elsewhere = { ...variant(3), test: { ...variant(3).test, namespace: 'x', project: 'y' } };
    const broken = variant(2, { ledger: ledger({ state: 'broken' }) });
    await folded(store, RUN, [variant(1), broken, elsewhere]);
    const journal = [
      entryOf(1, { atMs: 3, kind: 'state' }),
      entryOf(1, { atMs: 4, untilMs: 20 }),
      entryOf(2, { atMs: 5, untilMs: 30, ...onVariant(2) }),
      entryOf(2, { atMs: 6, untilMs: 10 }),
      entryOf(3, { atMs: 7.25, untilMs: 40.25 }),
    ];
    await store.write({ testHistory: { journal } });
    const times = async (more: object) =>
      (await store.testJournal({ offset: 0, limit: 9, ...more })).map(({ atMs }) => atMs);
    expect(await times({})).toEqual([7, 6, 5, 4, 3]);
    expect(await times({ offset: 1, limit: 2 })).toEqual([6, 5]);
    expect(await times({ inForceMs: 10.5 })).toEqual([7, 5, 4]);
    expect(await times({ namespaces: ['x'] })).toEqual([7]);
    expect(await times({ project: 'shop', inForceMs: 0 })).toEqual([6, 5, 4]);
    expect(await times({ testId: testId(1) })).toEqual([4, 3]);
    expect(await times({ kind: 'state' })).toEqual([3]);
    expect(await times({ sinceMs: 5.25 })).toEqual([7, 6]);
    expect(await store.countJournal({ project: 'shop', inForceMs: 0 })).toEqual({
      ...{ entries: 3, tests: 2 },
    });
    const [third, second] = await store.testJournal({ offset: 0, limit: 2, inForceMs: 10 });
    expect(third).toEqual({
      ...{ ...journal[4], atMs: 7, untilMs: 40 },
      test: elsewhere.test,
      state: 'stable',
    });
    expect(second).toEqual({ ...journal[2], test: broken.test, state: 'broken' });
  });

  storeTest('keeps the newest entries of a test, and its quarantine', async ({ store }) => {
    await folded(store, RUN, [variant(1), variant(2)]);
    const { entries } = JOURNAL_LIMITS;
    const more = Array.from({ length: entries + 3 }, (_, at) =>
      entryOf(1, { atMs: at + 10, kind: 'state' }),
    );
    const first = [entryOf(2, { kind: 'state' }), entryOf(1, { untilMs: 50 })];
    await store.write({ testHistory: { journal: [...first, ...more] } });
    const left = await store.testJournal({ testId: testId(1), offset: 0, limit: entries + 9 });
    expect(left.map(({ atMs }) => atMs)).toEqual([
      ...more
        .slice(3)
        .map(({ atMs }) => atMs)
        .toReversed(),
      5,
    ]);
    expect(await store.countJournal({ testId: testId(2) })).toEqual({ entries: 1, tests: 1 });
  });
}

function describeExecutions(storeTest: StoreTest): void {
  storeTest('keeps each execution once, however a run is divided', async ({ store }) => {
    const numbers = Array.from({ length: 80 }, (_, at) => at + 1);
    // As of jobs that end in any order.
    const mixed = numbers.toSorted((one, other) => (one % 7) - (other % 7));
    const of = (number: number, attempts: number) =>
      variant(number, {
        executions: numbers
          .slice(0, attempts)
          .map((attempt) =>
            execution(attempt, { startedMs: BEGIN_MS - number, durationMs: number * attempt }),
          ),
      });
    const run = await begin(store, RUN);
    const write = (variants: readonly FoldedVariant[]) =>
      store.write({ testHistory: { part: { run, variants, journal: [] } } });
    await write(mixed.slice(0, 50).map((number) => of(number, 1)));
    await write(mixed.map((number) => of(number, 2)));
    const attempts = (await store.knownVariants(RUN, numbers.map(variantId))).map(
      (each) => each.lastAttempt,
    );
    expect(attempts).toEqual(numbers.map(() => 2));
    for (const number of [1, 31, 32, 80]) {
      const query = { testId: testId(number), offset: 0, limit: 9 };
      const { items, total } = await store.testExecutions(query);
      expect(items.map((each) => [each.attempt, each.startedMs, each.durationMs])).toEqual([
        [2, BEGIN_MS - number, number * 2],
        [1, BEGIN_MS - number, number],
      ]);
      expect([total, items[0]?.job]).toEqual([2, 'unit']);
    }
    await store.write({ testHistory: { remove: run } });
    const gone = await store.testExecutions({ testId: testId(1), offset: 0, limit: 9 });
    expect(gone).toEqual({ items: [], total: 0 });
  });

  storeTest('has the executions of a test, the newest first', async ({ store }) => {
    const failed = [execution(1, { outcome: 'error' }), execution(2, { durationMs: 3 })];
    const first = await folded(store, RUN, [variant(1, { executions: failed }), variant(2)]);
    const later = { branch: 'x', version: 'def', createdAt: timestamp(3) };
    const second = await folded(store, OTHER, [variant(1, { executions: [execution(1)] })], later);
    const [one, other] = await store.testedRuns([first, second]);
    const shown = async (more: object = {}) => {
      const query = { testId: testId(1), offset: 0, limit: 9, ...more };
      const { items, total } = await store.testExecutions(query);
      return {
        total,
        items: items.map(({ run, attempt }) => `${run.workflowId.slice(-1)}.${attempt}`),
      };
    };
    expect(await shown()).toEqual({ total: 3, items: ['2.1', '1.2', '1.1'] });
    expect(await shown({ offset: 1, limit: 1 })).toEqual({ total: 3, items: ['1.2'] });
    expect((await shown({ outcome: 'error' })).items).toEqual(['1.1']);
    expect((await shown({ branch: 'main' })).items).toEqual(['1.2', '1.1']);
    expect((await shown({ version: 'def' })).items).toEqual(['2.1']);
    expect((await shown({ since: timestamp(2) })).items).toEqual(['2.1']);
    expect((await shown({ variantId: variantId(2) })).items).toEqual([]);
    const { items } = await store.testExecutions({ testId: testId(1), offset: 0, limit: 3 });
    const { place, ...kept } = execution(2, { durationMs: 3 });
    const at = { variantId: variantId(1), job: 'unit', run: one, place: one?.places[place] };
    expect(items[1]).toEqual({ ...kept, ...at });
    expect(items[0]?.run).toEqual(other);
  });
}

function describeRemoval(storeTest: StoreTest): void {
  storeTest('tells the runs beyond its bounds', async ({ store }) => {
    const runs: number[] = [];
    for (const [index, name] of ['a', 'b', 'a', 'a'].entries()) {
      const more = { name, createdAt: timestamp(index + 1) };
      runs.push(await folded(store, workflowId(index + 1), [variant(1), variant(2)], more));
    }
    const all = { createdBefore: timestamp(0), runsPerName: 9, executions: 99 };
    const places = async (more: Partial<typeof all>, limit = 9) =>
      (await store.surplusRuns({ ...all, ...more }, limit)).map((run) => runs.indexOf(run));
    expect(await places({})).toEqual([]);
    expect(await places({ createdBefore: timestamp(3) })).toEqual([0, 1]);
    expect(await places({ createdBefore: timestamp(3) }, 1)).toEqual([0]);
    expect(await places({ runsPerName: 1 })).toEqual([0, 2]);
    expect(await places({ executions: 4 })).toEqual([0, 1]);
  });

  storeTest('removes runs, and tests that are in no other', async ({ store }) => {
    const more = { onlyFailed: testId(2) };
    const first = await folded(store, RUN, [variant(1), variant(2), variant(3)], more);
    const journal = [{ atMs: 1, testId: testId(3), variantId: null, kind: 'state', json: '{}' }];
    await store.write({ testHistory: { part: { run: first, variants: [], journal } } });
    await folded(store, OTHER, [variant(1), variant(2)]);
    expect((await store.test(testId(2)))?.impactRuns).toBe(1);
    await store.write({ testHistory: { remove: first } });
    expect(await store.testedRuns([first])).toEqual([]);
    expect((await store.tests(QUERY)).map(({ id }) => id)).toEqual([testId(1), testId(2)]);
    expect((await store.test(testId(2)))?.impactRuns).toBe(0);
    expect(await store.testJournal({ testId: testId(3), offset: 0, limit: 9 })).toEqual([]);
    const left = await store.testExecutions({ testId: testId(1), offset: 0, limit: 9 });
    expect(left.items.map(({ run }) => run.workflowId)).toEqual([OTHER]);
  });
}
