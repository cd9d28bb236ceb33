/** Lists of runs: their order, conditions and summaries. */
import type { WorkflowId } from '@tutti/manifests';
import { describe, expect } from 'vitest';
import type { RunConditions, RunOrder, Store, WorkflowRow } from '../store.ts';
import { append, testCase, timestamp, workflowId, workflowRow } from './samples.ts';
import type { StoreTest } from './store-target.ts';

const RUN = workflowId(1);
const OTHER = workflowId(2);
const FIRST = { json: '{"a":1}', failure: null, lines: 0 };
const QUERY = { order: 'started', isDescending: false, offset: 0, limit: 10 } as const;

export function describeSummaries(storeTest: StoreTest): void {
  describe('lists of runs', () => {
    describeSummaryRows(storeTest);
    describeOrders(storeTest);
    describeConditions(storeTest);
    describeAddedSummaries(storeTest);
  });
}

function describeSummaryRows(storeTest: StoreTest): void {
  storeTest('have the newest summary of a run, and its first failure', async ({ store }) => {
    await store.append(append(RUN, 0, { projection: { summary: FIRST } }));
    const row = { ...workflowRow(RUN), place: 1 };
    const { live: _, workers: __, ...shown } = row;
    const expected = { ...shown, summary: FIRST.json, failure: null, failureLine: null, tests: {} };
    expect(await store.summarizedRuns(QUERY)).toEqual([expected]);
    const second = { json: '{"a":2}', failure: '"one"', lines: 2 };
    const logText = '1\n2\n3\n';
    await store.append(append(RUN, 1, { projection: { summary: second, logText } }));
    await store.append(append(RUN, 2));
    const third = { json: '{"a":3}', failure: '"two"', lines: 0 };
    await store.append(append(RUN, 3, { projection: { summary: third } }));
    expect(await store.summarizedRuns(QUERY)).toEqual([
      { ...expected, summary: third.json, failure: '"one"', failureLine: 2 },
    ]);
  });

  storeTest('have the line of a failure, also of appends that come together', async ({ store }) => {
    await store.append(append(RUN, 0, { projection: { logText: '1\n', summary: FIRST } }));
    const failed = { json: '2', failure: '"one"', lines: 1 };
    await Promise.all([
      store.append(append(RUN, 1, { projection: { logText: '2\n3\n' } })),
      store.append(append(RUN, 2, { projection: { logText: '4\n5\n', summary: failed } })),
      store.append(
        append(RUN, 3, { projection: { logText: '6\n', summary: { ...failed, lines: 1 } } }),
      ),
    ]);
    const [run] = await store.summarizedRuns(QUERY);
    expect(run).toMatchObject({ failure: '"one"', failureLine: 4 });
  });

  storeTest('count what became of test cases', async ({ store }) => {
    const testCases = [testCase('a'), testCase('b', { outcome: 'error' }), testCase('c')];
    await store.append(append(RUN, 0, { projection: { testCases } }));
    const again = [testCase('b'), testCase('c', { outcome: 'failure' })];
    await store.append(append(RUN, 1, { projection: { testCases: again } }));
    const [run] = await store.summarizedRuns(QUERY);
    expect(run?.tests).toEqual({ success: 2, failure: 1 });
  });

  storeTest('have no forgotten run, and a run of its id begins anew', async ({ store }) => {
    const summary = { json: '1', failure: '"one"', lines: 1 };
    await store.append(append(RUN, 0, { projection: { summary } }));
    await store.forget([RUN]);
    expect(await store.summarizedRuns(QUERY)).toEqual([]);
    await store.append(append(RUN, 0, { projection: { summary: FIRST } }));
    const [run] = await store.summarizedRuns(QUERY);
    expect(run).toMatchObject({ summary: FIRST.json, failure: null });
  });
}

/** Four runs: three that are over, with durations of 5, 2 and 3 minutes, and one that goes on. */
async function fourRuns(store: Store): Promise<void> {
  const rows: readonly Partial<WorkflowRow>[] = [
    {
      name: 'b',
      namespace: 'x',
      status: 'DONE',
      createdAt: timestamp(1),
      completedAt: timestamp(6),
    },
    {
      name: 'a',
      namespace: 'y',
      status: 'FAILED',
      createdAt: timestamp(2),
      completedAt: timestamp(4),
    },
    {
      name: 'c_d',
      namespace: 'x',
      status: 'DONE',
      createdAt: timestamp(3),
      completedAt: timestamp(6),
    },
    { name: 'b', namespace: 'x', status: 'RUNNING', createdAt: timestamp(4) },
  ];
  for (const [index, row] of rows.entries()) {
    const workflow = workflowRow(workflowId(index + 1), row);
    const testCases = index === 2 ? [testCase('a', { outcome: 'failure' })] : [];
    await store.append(append(workflow.workflowId, 0, { projection: { workflow, testCases } }));
  }
}

const numberOf = ({ workflowId: id }: { readonly workflowId: WorkflowId }) => Number(id.slice(-2));

function describeOrders(storeTest: StoreTest): void {
  const ORDERS: readonly (readonly [RunOrder, readonly number[]])[] = [
    ['started', [1, 2, 3, 4]],
    ['name', [2, 1, 4, 3]],
    ['duration', [4, 2, 3, 1]],
    ['failures', [1, 2, 4, 3]],
  ];
  storeTest('have an order, in both directions, and pages', async ({ store }) => {
    await fourRuns(store);
    for (const [order, expected] of ORDERS) {
      const ids = async (more: object) =>
        (await store.summarizedRuns({ ...QUERY, order, ...more })).map(numberOf);
      expect(await ids({})).toEqual(expected);
      expect(await ids({ isDescending: true })).toEqual(expected.toReversed());
      expect(await ids({ offset: 1, limit: 2 })).toEqual(expected.slice(1, 3));
    }
  });
}

function describeConditions(storeTest: StoreTest): void {
  const CONDITIONS: readonly (readonly [RunConditions, readonly number[]])[] = [
    [{}, [1, 2, 3, 4]],
    [{ namespaces: ['y', 'z'] }, [2]],
    [{ namespaces: [] }, []],
    [{ statuses: ['DONE', 'RUNNING'] }, [1, 3, 4]],
    [{ name: 'b' }, [1, 4]],
    [{ search: 'C_' }, [3]],
    [{ search: '%' }, []],
    [{ search: '000000000002' }, [2]],
    [{ search: `'"\\` }, []],
    [{ since: timestamp(2), until: timestamp(4) }, [2, 3]],
    [{ before: 3 }, [1, 2]],
    [{ places: [4, 1, 9] }, [1, 4]],
    [{ namespaces: ['x'], statuses: ['DONE'], name: 'b', search: 'B' }, [1]],
  ];
  storeTest('can be about some runs', async ({ store }) => {
    await fourRuns(store);
    for (const [conditions, expected] of CONDITIONS) {
      const runs = await store.summarizedRuns({ ...QUERY, ...conditions });
      expect([conditions, runs.map(numberOf)]).toEqual([conditions, expected]);
      expect(await store.countRuns(conditions)).toBe(expected.length);
    }
  });

  storeTest('know how long runs of a name took', async ({ store }) => {
    await fourRuns(store);
    const names = [
      { namespace: 'x', name: 'b' },
      { namespace: 'y', name: 'a' },
      { namespace: 'x', name: 'c_d' },
    ];
    expect(await store.recentDurations(names)).toEqual([[300_000], [], [180_000]]);
    expect(await store.recentDurations([])).toEqual([]);
  });
}

function describeAddedSummaries(storeTest: StoreTest): void {
  const added = { json: '"added"', failure: '"added"' };

  storeTest('get the summaries that runs lack', async ({ store }) => {
    for (const id of [RUN, OTHER]) await store.append(append(id, 0));
    await store.append(append(workflowId(3), 0, { projection: { summary: FIRST } }));
    expect(await store.unsummarizedRuns(9, 2)).toEqual({ items: [OTHER], place: 2 });
    expect(await store.unsummarizedRuns(2, 2)).toEqual({ items: [RUN], place: 1 });
    expect(await store.unsummarizedRuns(1, 2)).toEqual({ items: [], place: null });
    const ids = [RUN, workflowId(3), workflowId(4)];
    await store.write({ summaries: ids.map((id) => ({ workflowId: id, ...added })) });
    expect((await store.summarizedRuns(QUERY)).map(({ summary }) => summary)).toEqual([
      added.json,
      null,
      FIRST.json,
    ]);
    expect(await store.unsummarizedRuns(9, 9)).toEqual({ items: [OTHER], place: 1 });
  });

  storeTest('prefer the summary of an append that comes at the same time', async ({ store }) => {
    for (const id of [RUN, OTHER]) await store.append(append(id, 0));
    const add = (id: WorkflowId) => store.write({ summaries: [{ workflowId: id, ...added }] });
    await Promise.all([
      add(RUN),
      store.append(append(RUN, 1, { projection: { summary: FIRST } })),
      store.append(append(OTHER, 1, { projection: { summary: FIRST } })),
      add(OTHER),
    ]);
    expect((await store.summarizedRuns(QUERY)).map(({ summary }) => summary)).toEqual([
      FIRST.json,
      FIRST.json,
    ]);
  });
}
