/** Executions of test cases in earlier runs of the same workflow. */
import { describe, expect } from 'vitest';
import type { EarlierExecution, Store, TestCaseRow } from '../store.ts';
import { append, testCase, testCaseKey, timestamp, workflowId, workflowRow } from './samples.ts';
import type { StoreTest } from './store-target.ts';

const [FIRST, SECOND, THIRD] = [workflowId(1), workflowId(2), workflowId(3)];

/** A run that began in the minute of its number. */
async function addRun(
  store: Store,
  id: typeof FIRST,
  testCases: readonly TestCaseRow[],
  more: { readonly name?: string; readonly namespace?: string } = {},
): Promise<void> {
  const minute = Number(id.slice(-4));
  const workflow = workflowRow(id, { createdAt: timestamp(minute), live: false, ...more });
  await store.append(append(id, 0, { projection: { workflow, testCases } }));
}

function execution(of: typeof FIRST, more: Partial<EarlierExecution> = {}): EarlierExecution {
  const { outcome, durationMs, startedAt, endedAt } = testCase('any');
  return { workflowId: of, outcome, durationMs, startedAt, endedAt, ...more };
}

export function describeEarlierExecutions(storeTest: StoreTest): void {
  describe('earlier executions of test cases', () => {
    describeWhatCounts(storeTest);
    describeReferences(storeTest);
    describeForgetting(storeTest);
  });
}

function describeWhatCounts(storeTest: StoreTest): void {
  storeTest('are those of runs that began before, oldest first', async ({ store }) => {
    await addRun(store, FIRST, [
      testCase('a', { outcome: 'failure', durationMs: 7, startedAt: timestamp(3) }),
      testCase('b'),
      testCase('a', { outcome: 'skipped' }),
    ]);
    await addRun(store, SECOND, [testCase('c'), testCase('a')]);
    await addRun(store, THIRD, [testCase('z'), testCase('a'), testCase('b')]);
    const ofFirst = [
      execution(FIRST, { outcome: 'failure', durationMs: 7, startedAt: timestamp(3) }),
      execution(FIRST, { outcome: 'skipped' }),
    ];
    expect(await store.earlierExecutions(THIRD, [0, 1, 2])).toEqual(
      new Map([
        [1, [...ofFirst, execution(SECOND)]],
        [2, [execution(FIRST)]],
      ]),
    );
    expect(await store.earlierExecutions(SECOND, [1])).toEqual(new Map([[1, ofFirst]]));
    expect(await store.earlierExecutions(FIRST, [0, 1])).toEqual(new Map());
  });

  storeTest('end in each run with the one that counted there', async ({ store }) => {
    const outcomes = ['skipped', 'failure', 'success', 'error', 'success'] as const;
    const precedences = [0, 2, 1, 2, 1];
    const of = (index: number) => {
      const [outcome = 'success', precedence = 0] = [outcomes[index], precedences[index]];
      return testCase('a', { outcome, precedence });
    };
    await addRun(store, FIRST, [of(0), of(1), testCase('b'), of(2), of(3), of(4)]);
    await addRun(store, SECOND, [of(1), of(2)]);
    await addRun(store, THIRD, [testCase('b'), of(0)]);
    const earlier = await store.earlierExecutions(THIRD, [0, 1]);
    expect(earlier.get(0)).toEqual([execution(FIRST)]);
    expect(earlier.get(1)?.map(({ workflowId, outcome }) => [workflowId, outcome])).toEqual([
      [FIRST, 'skipped'],
      [FIRST, 'failure'],
      [FIRST, 'success'],
      [FIRST, 'success'],
      [FIRST, 'error'],
      [SECOND, 'success'],
      [SECOND, 'failure'],
    ]);
  });

  storeTest('are asked for by place, of known runs', async ({ store }) => {
    await addRun(store, FIRST, [testCase('a'), testCase('b')]);
    await addRun(store, SECOND, [testCase('a'), testCase('b')]);
    const placesOf = async (places: readonly number[], id = SECOND) => [
      ...(await store.earlierExecutions(id, places)).keys(),
    ];
    expect(await placesOf([1])).toEqual([1]);
    expect(await placesOf([5])).toEqual([]);
    expect(await placesOf([])).toEqual([]);
    expect(await placesOf([0], workflowId(9))).toEqual([]);
  });

  storeTest('are of one namespace and name', async ({ store }) => {
    await addRun(store, FIRST, [testCase('a')], { namespace: 'other' });
    await addRun(store, SECOND, [testCase('a')], { name: 'other' });
    await addRun(store, THIRD, [testCase('a')]);
    expect(await store.earlierExecutions(THIRD, [0])).toEqual(new Map());
  });

  storeTest('are of one suite', async ({ store }) => {
    const key = { ...testCaseKey('a'), suite: 'unit/junit/order' };
    await addRun(store, FIRST, [testCase('a')]);
    await addRun(store, SECOND, [testCase('a', { key })]);
    expect(await store.earlierExecutions(SECOND, [0])).toEqual(new Map());
  });

  storeTest('of a run count while it goes on', async ({ store }) => {
    await addRun(store, FIRST, [testCase('a')]);
    await addRun(store, SECOND, [testCase('a')]);
    await store.append(append(FIRST, 1, { projection: { testCases: [testCase('a')] } }));
    expect((await store.earlierExecutions(SECOND, [0])).get(0)).toHaveLength(2);
  });
}

function describeReferences(storeTest: StoreTest): void {
  const of = (reference: string, outcome: EarlierExecution['outcome']) =>
    testCase('a', { key: testCaseKey('a', reference), outcome });

  storeTest('are of one reference where the earlier run has it', async ({ store }) => {
    await addRun(store, FIRST, [of('x', 'failure'), of('y', 'success')]);
    await addRun(store, SECOND, [of('x', 'success')]);
    expect((await store.testCases(FIRST, 0, 10)).total).toBe(2);
    expect((await store.earlierExecutions(SECOND, [0])).get(0)).toEqual([
      execution(FIRST, { outcome: 'failure' }),
    ]);
  });

  storeTest('are of any where it has another one', async ({ store }) => {
    await addRun(store, FIRST, [of('x', 'failure')]);
    await addRun(store, SECOND, [of('moved', 'success')]);
    expect((await store.earlierExecutions(SECOND, [0])).get(0)).toHaveLength(1);
  });
}

function describeForgetting(storeTest: StoreTest): void {
  storeTest('stay when their run is forgotten, until their time is over', async ({ store }) => {
    await addRun(store, FIRST, [testCase('a'), testCase('a')]);
    await addRun(store, SECOND, [testCase('a')]);
    await store.forget([FIRST]);
    const earlier = async () => (await store.earlierExecutions(SECOND, [0])).get(0) ?? [];
    expect(await earlier()).toEqual([execution(FIRST), execution(FIRST)]);
    await store.forgetExecutions(timestamp(1));
    expect(await earlier()).toHaveLength(2);
    await store.forgetExecutions(timestamp(2));
    expect(await earlier()).toEqual([]);
  });

  storeTest('of runs that are kept stay, however old', async ({ store }) => {
    await addRun(store, FIRST, [testCase('a')]);
    await addRun(store, SECOND, [testCase('a')]);
    await store.forgetExecutions(timestamp(9));
    expect((await store.earlierExecutions(SECOND, [0])).get(0)).toHaveLength(1);
    const again = { projection: { testCases: [testCase('a')] } };
    await store.append(append(FIRST, 1, again));
    expect((await store.testCases(FIRST, 0, 10)).items[0]?.executions).toBe(2);
  });
}
