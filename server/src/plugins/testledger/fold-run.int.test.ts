/** Foldings with a real store: results that come later, and ledgers of another format. */
import type { JobId } from '@tutti/manifests';
import { Ledger } from '@tutti/test-history';
import type { Run } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { openStoreFolder } from '../../bus/testing.ts';
import { append, timestamp, workflowId, workflowRow } from '../../store/conformance/samples.ts';
import type { Store } from '../../store/store.ts';
import { foldRun } from './fold-run.ts';

const RUN = workflowId(1);
const JOB = 'job-1' as JobId;
/** The parts of a run that a folding reads. */
const STATE = {
  masks: [],
  labels: {},
  tested: { versions: [], checkouts: [] },
  manifest: { metadata: { name: 'nightly' } },
  jobs: new Map([[JOB, { jobId: JOB, key: 'unit', bundle: null, ranOn: null, tags: [] }]]),
} as unknown as Run;

type Outcome = 'success' | 'failure';

const result = (outcome: Outcome, precedence: number, duration: number) => ({
  key: { suite: 'cart', name: 'adds', reference: '' },
  ...{ jobId: JOB, precedence, outcome, durationMs: duration },
  ...{ startedAt: timestamp(1), endedAt: timestamp(1) },
  json: JSON.stringify({
    test: {
      ...{ technology: 'junit', suiteName: 'cart', testCaseName: 'adds' },
      ...{ uses: 'junit/execute@v1', test: '', outcome },
    },
    execution: { startTime: timestamp(1), duration },
  }),
});

class Folded {
  readonly store: Store;
  #seq = 0;

  constructor(store: Store) {
    this.store = store;
  }

  /** Results come, and are folded. Answers what was logged. */
  async add(...testCases: readonly ReturnType<typeof result>[]): Promise<readonly object[]> {
    const workflow = workflowRow(RUN, { live: false, status: 'DONE', completedAt: timestamp(2) });
    await this.store.append(append(RUN, this.#seq, { projection: { workflow, testCases } }));
    this.#seq += 1;
    const logged: object[] = [];
    for (const waiting of await this.store.unfoldedRuns(9)) {
      await foldRun(
        {
          store: this.store,
          runs: { find: async () => STATE },
          mainBranches: ['main'],
          logger: { warn: (about: object) => logged.push(about) },
          signal: new AbortController().signal,
        },
        waiting,
      );
    }
    return logged;
  }

  async kept() {
    const query = { order: 'name', isDescending: false, offset: 0, limit: 9 } as const;
    const [found] = await this.store.tests(query);
    if (found === undefined) throw new Error('Nothing was folded.');
    const { items } = await this.store.testExecutions({ testId: found.id, offset: 0, limit: 9 });
    return {
      found,
      executions: items.map(({ attempt, outcome, durationMs }) => [attempt, outcome, durationMs]),
    };
  }
}

const openFolded = async () => new Folded(await (await openStoreFolder()).open());

test('a result that comes after the folding and counts less is kept once', async () => {
  const folded = await openFolded();
  await folded.add(result('failure', 5, 10));
  await folded.add(result('success', 1, 20));
  const both = [
    [2, 'success', 20],
    [1, 'failure', 10],
  ];
  expect((await folded.kept()).executions).toEqual(both);
  await folded.add(result('success', 2, 30), result('success', 9, 40));
  const later = [
    [4, 'success', 40],
    [3, 'success', 30],
  ];
  expect((await folded.kept()).executions).toEqual([...later, ...both]);
});

test('a ledger of another format begins anew, and the log says so', async () => {
  const folded = await openFolded();
  expect(await folded.add(result('failure', 1, 10))).toEqual([]);
  const { found } = await folded.kept();
  const [variant] = await folded.store.testVariants({ testId: found.id, limit: 1 });
  if (variant === undefined) throw new Error('The test has no variant.');
  const ledger = { ...variant, bytes: Uint8Array.of(99) };
  const variants = [{ test: found, variant, executions: [], ledger }];
  await folded.store.write({ testHistory: { part: { run: 1, variants, journal: [] } } });
  expect(await folded.add(result('success', 1, 20))).toEqual([{ workflowId: RUN, variants: 1 }]);
  const { ledger: bytes = null } =
    (await folded.store.testVariants({ testId: found.id, limit: 1 }))[0] ?? {};
  expect(bytes === null ? null : Ledger.read(bytes)?.letters).toBe('S');
});

/** A flaky variant that recovers with its next pass. */
function nearlyRecovered(): Uint8Array {
  const ledger = new Ledger();
  let run = 0;
  const fold = (...outcomes: readonly Outcome[]) => {
    run += 1;
    for (const [index, outcome] of outcomes.entries()) {
      const at = { run, version: run, attempt: index + 1, atMs: run * 60_000 };
      ledger.fold({ ...at, outcome, durationMs: 1 });
    }
  };
  for (let at = 0; at < 4; at++) fold('failure', 'success');
  expect(ledger.state).toBe('flaky');
  let before = ledger.write();
  for (; ledger.state === 'flaky'; fold('success')) before = ledger.write();
  return before;
}

test('the quarantine of a test ends when its last flaky variant recovers', async () => {
  const folded = await openFolded();
  const { store } = folded;
  await folded.add(result('success', 1, 10));
  const { found } = await folded.kept();
  const [variant] = await store.testVariants({ testId: found.id, limit: 1 });
  if (variant === undefined) throw new Error('The test has no variant.');
  const other = { id: String(workflowId(9)), job: 'other', function: '' };
  const state = (of: typeof other, to: 'flaky' | 'stable', bytes: Uint8Array) => ({
    ...{ test: found, variant: of, executions: [] },
    ledger: { ...variant, state: to, bytes },
  });
  const bytes = nearlyRecovered();
  const write = (...variants: readonly ReturnType<typeof state>[]) =>
    store.write({ testHistory: { part: { run: 1, variants, journal: [] } } });
  const entry = { atMs: 1, testId: found.id, kind: 'quarantined', json: '{}', untilMs: 99 };
  const subjects = [null, variant.id, other.id];
  await write(state(variant, 'flaky', bytes), state(other, 'flaky', bytes));
  const journal = subjects.map((variantId) => ({ ...entry, variantId }));
  await store.write({ testHistory: { journal } });
  const held = async () =>
    (await store.testJournal({ testId: found.id, inForceMs: 0, offset: 0, limit: 9 })).map(
      ({ variantId }) => variantId,
    );
  await folded.add(result('success', 1, 20));
  // The other variant is flaky still, so the whole test stays in quarantine.
  expect(await held()).toEqual([other.id, null]);
  await write(state(variant, 'flaky', bytes), state(other, 'stable', bytes));
  await folded.add(result('success', 1, 20));
  expect(await held()).toEqual([other.id]);
  const [newest] = await store.testJournal({ testId: found.id, offset: 0, limit: 1 });
  expect(newest).toMatchObject({ kind: 'recovered', variantId: null });
  expect(JSON.parse(newest?.json ?? '')).toMatchObject({ from: 'flaky', workflow_id: RUN });
});
