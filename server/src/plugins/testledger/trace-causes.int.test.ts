/** Causes over several runs, with a real store. */
import type { JobId, WorkflowId } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { openStoreFolder } from '../../bus/testing.ts';
import { append, timestamp, workflowId, workflowRow } from '../../store/conformance/samples.ts';
import type { Store } from '../../store/store.ts';
import { foldRun } from './fold-run.ts';
import { CAUSE_LIMITS } from './limits.ts';

const JOB = 'job-1' as JobId;
const DAY_MINUTES = 24 * 60;

interface Failed {
  readonly message: string;
  readonly frame?: string;
  readonly type?: string;
}

/** The parts of a run that a folding reads. */
const runWith = (masks: readonly string[]) =>
  ({
    masks,
    labels: {},
    tested: { versions: [], checkouts: [] },
    manifest: { metadata: { name: 'nightly' } },
    jobs: new Map([[JOB, { jobId: JOB, key: 'unit', bundle: null, ranOn: null, tags: [] }]]),
  }) as unknown as Run;

const result = (at: number, { message, frame = 'open', type = 'Error' }: Failed) => ({
  key: { suite: 'cart', name: `case ${at}`, reference: '' },
  ...{ jobId: JOB, precedence: 1, outcome: 'failure' as const, durationMs: 1 },
  ...{ startedAt: timestamp(1), endedAt: timestamp(1) },
  json: JSON.stringify({
    test: {
      ...{ technology: 'junit', suiteName: 'cart', testCaseName: `case ${at}` },
      ...{ uses: 'junit/execute@v1', test: '', outcome: 'failure' },
    },
    execution: {
      ...{ startTime: timestamp(1), duration: 1 },
      failureDetails: {
        ...{ type, message },
        text: frame === '' ? '' : `Error: x\n    at ${frame} (/shop/${frame}.ts:1:1)`,
      },
    },
  }),
});

class Runs {
  readonly store: Store;
  #seq = new Map<WorkflowId, number>();

  constructor(store: Store) {
    this.store = store;
  }

  async report(number: number, minutes: number, failed: readonly Failed[]): Promise<void> {
    const id = workflowId(number);
    const seq = this.#seq.get(id) ?? 0;
    this.#seq.set(id, seq + 1);
    const times = { createdAt: timestamp(minutes), completedAt: timestamp(minutes) };
    const workflow = workflowRow(id, { live: false, status: 'DONE', ...times });
    const testCases = failed.map((each, at) => result(at, each));
    await this.store.append(append(id, seq, { projection: { workflow, testCases } }));
  }

  async fold(store: Store = this.store, masks: readonly string[] = []): Promise<void> {
    for (const waiting of await this.store.unfoldedRuns(9)) {
      await foldRun(
        {
          store,
          runs: { find: async () => runWith(masks) },
          mainBranches: ['main'],
          logger: { warn: () => undefined },
          signal: new AbortController().signal,
        },
        waiting,
      );
    }
  }

  async run(number: number, minutes: number, ...failed: readonly Failed[]): Promise<void> {
    await this.report(number, minutes, failed);
    await this.fold();
  }

  /** Title, failures, and the run since which it is new. */
  async causes() {
    const causes = await this.store.causes({ offset: 0, limit: 9 });
    return causes.map(({ title, failures, sinceWorkflowId }) => [
      title,
      failures,
      sinceWorkflowId?.slice(-1),
    ]);
  }
}

const openRuns = async () => new Runs(await (await openStoreFolder()).open());

const LONG =
  'The server answered the request for the list of orders with an error that it does not explain:';

test('failures of two runs have one cause, which is new since the first', async () => {
  const runs = await openRuns();
  await runs.run(1, 1, { message: 'no order 17' }, { message: `${LONG} teapot` });
  await runs.run(2, 2, { message: 'no order 42' }, { message: `${LONG} kettle` });
  expect(await runs.causes()).toEqual([
    [`${LONG} teapot`, 2, '1'],
    ['no order <number>', 2, '1'],
  ]);
  // The second message has a fingerprint of its own, by which it is found next time.
  await runs.run(3, 3, { message: `${LONG} kettle` });
  expect((await runs.causes())[0]).toEqual([`${LONG} teapot`, 3, '1']);
});

test('failures of another type or place have another cause', async () => {
  const runs = await openRuns();
  await runs.run(1, 1, { message: `${LONG} teapot` });
  await runs.run(2, 2, { message: `${LONG} kettle`, frame: 'close' });
  await runs.run(3, 3, { message: `${LONG} kettle`, type: 'TypeError' });
  expect(await runs.causes()).toHaveLength(3);
  // Without a frame, the place does not speak against it.
  await runs.run(4, 4, { message: `${LONG} pan`, frame: '', type: 'TypeError' });
  expect(await runs.causes()).toHaveLength(3);
});

test('a failure with a frame is like one without', async () => {
  const runs = await openRuns();
  await runs.run(1, 1, { message: `${LONG} teapot`, frame: '' });
  await runs.run(2, 2, { message: `${LONG} kettle` });
  expect(await runs.causes()).toEqual([[`${LONG} teapot`, 2, '1']]);
});

test('a cause that nobody saw in thirty days is new again', async () => {
  const runs = await openRuns();
  await runs.run(1, 0, { message: 'no order 1' });
  await runs.run(2, 30 * DAY_MINUTES, { message: 'no order 2' });
  expect(await runs.causes()).toEqual([['no order <number>', 2, '1']]);
  await runs.run(3, 60 * DAY_MINUTES + 1, { message: 'no order 3' });
  expect(await runs.causes()).toEqual([['no order <number>', 3, '3']]);
});

test('a folding that is broken off anywhere counts each failure once', async () => {
  const failed = Array.from({ length: 600 }, (_, at) => ({ message: `no order ${at}` }));
  for (let writes = 1; ; writes++) {
    const runs = await openRuns();
    await runs.report(1, 1, failed);
    let left = writes;
    const dying: Store = Object.create(runs.store, {
      write: {
        value: async (write: Parameters<Store['write']>[0]) => {
          await runs.store.write(write);
          left -= 1;
          if (left === 0) throw new Error('killed');
        },
      },
    });
    const isKilled = await runs.fold(dying).then(
      () => false,
      () => true,
    );
    await runs.fold();
    expect(await runs.causes()).toEqual([['no order <number>', 600, '1']]);
    if (!isKilled) break;
    expect(writes).toBeLessThan(9);
  }
});

test('the sample has at most 16 KiB, and no secret of its run', async () => {
  const runs = await openRuns();
  await runs.report(1, 1, [{ message: `hunter2hunter2 ${'€'.repeat(9_999)}` }]);
  await runs.fold(runs.store, ['hunter2hunter2']);
  const [cause] = await runs.store.causes({ offset: 0, limit: 1 });
  const { sample = '', title = '' } = (await runs.store.cause(cause?.id ?? '')) ?? {};
  expect(`${sample} ${title}`).not.toContain('hunter2');
  const bytes = Buffer.byteLength(sample);
  expect(bytes).toBeLessThanOrEqual(CAUSE_LIMITS.sampleBytes);
  expect(bytes).toBeGreaterThan(CAUSE_LIMITS.sampleBytes - 3);
  expect(sample).not.toContain('\ufffd');
});

test('a run brings a thousand causes at most', async () => {
  const runs = await openRuns();
  const wordOf = (at: number) =>
    [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const failed = Array.from({ length: 1_100 }, (_, at) => ({ message: `no ${wordOf(at)}` }));
  await runs.run(1, 1, ...failed);
  expect(await runs.store.countCauses({})).toBe(1_000);
});
