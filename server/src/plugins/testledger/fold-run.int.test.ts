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
