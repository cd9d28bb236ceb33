/** Runs that cannot be folded are left out, and runs that are too old are removed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../runtime/logger.ts';
import {
  append,
  testCase,
  timestamp,
  workflowId,
  workflowRow,
} from '../../store/conformance/samples.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import type { FoldedVariant } from '../../store/test-history.ts';
import { HISTORY_LIMITS } from './limits.ts';
import { TestLedger } from './test-ledger.ts';

const DAY_MS = 86_400_000;

let directory = '';
let store: Store;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tutti-ledger-'));
  store = await openSqliteStore({ file: join(directory, 'tutti.db') });
});

afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** Only what hangs takes this long. */
const PATIENT = { timeout: 20_000 };

/** A ledger whose delays end when the test says so. */
function ledgerOf(nowMs: number) {
  const lines: string[] = [];
  const waiting: { readonly delayMs: number; readonly callback: () => void }[] = [];
  const ledger = new TestLedger({
    store,
    bus: { subscribe: () => () => undefined },
    // As for runs whose events are lost.
    runs: { find: async () => null },
    clock: { now: () => nowMs },
    timers: {
      after: (delayMs, callback) => {
        waiting.push({ delayMs, callback });
        return () => undefined;
      },
    },
    logger: createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } }),
    isLocal: false,
    bounds: { days: 1, runsPerName: 9, executions: 99 },
    mainBranches: ['main'],
  });
  const next = (delayMs: number) =>
    vi.waitFor(() => {
      const at = waiting.findIndex((each) => each.delayMs === delayMs);
      expect(at).toBeGreaterThanOrEqual(0);
      waiting.splice(at, 1)[0]?.callback();
    }, PATIENT);
  return { ledger, next, lines };
}

test('a run that cannot be folded is left out after some tries', async () => {
  const testCases = [testCase('a')];
  const workflow = workflowRow(workflowId(1), { live: false, completedAt: timestamp(2) });
  await store.append(append(workflowId(1), 0, { projection: { workflow, testCases } }));
  const { ledger, next } = ledgerOf(DAY_MS);
  await ledger.start();
  await next(HISTORY_LIMITS.delayMs);
  for (let tries = 1; tries < HISTORY_LIMITS.tries; tries += 1) {
    expect(await store.unfoldedRuns(9)).toHaveLength(1);
    await next(HISTORY_LIMITS.retryMs);
  }
  await vi.waitFor(async () => expect(await store.unfoldedRuns(9)).toEqual([]), PATIENT);
  await ledger.stop();
});

test('runs beyond the bounds are removed', async () => {
  for (const [number, minutes] of [
    [1, 1],
    [2, 2 * 24 * 60],
  ] as const) {
    const begin = {
      ...{ workflowId: workflowId(number), namespace: 'default', project: 'p', name: 'n' },
      ...{ version: null, branch: null, isMain: true, places: [], massJobs: [] },
      createdAt: timestamp(minutes),
    };
    await store.write({ testHistory: { begin } });
  }
  const { ledger, next } = ledgerOf(2 * DAY_MS);
  await ledger.start();
  await next(HISTORY_LIMITS.removalMs);
  await vi.waitFor(async () => expect(await store.testedRuns([1, 2])).toHaveLength(1), PATIENT);
  expect((await store.testedRuns([1, 2])).map(({ run }) => run)).toEqual([2]);
  await ledger.stop();
});

test('the log warns once that the history is nearly full', async () => {
  const begin = {
    ...{ workflowId: workflowId(1), namespace: 'default', project: 'p', name: 'n' },
    ...{ version: null, branch: null, isMain: false, places: [], massJobs: [] },
    createdAt: timestamp(1),
  };
  await store.write({ testHistory: { begin } });
  const run = (await store.begunRun(begin.workflowId))?.run ?? 0;
  const executions = Array.from({ length: 90 }, (_, at) => ({
    ...{ attempt: at + 1, outcome: 'success', startedMs: 0, durationMs: 1, place: 0 },
  })) as FoldedVariant['executions'];
  const part = { ...{ technology: 'junit', suite: 's', name: 't' }, namespace: 'default' };
  const test = { id: '00000008-0000-5000-8000-000000000001', project: 'p', ...part };
  const variant = { id: '00000009-0000-5000-8000-000000000001', job: 'unit', function: '' };
  const variants = [{ test, variant, executions, ledger: null }];
  await store.write({ testHistory: { part: { run, variants, journal: [] } } });
  const { ledger, next, lines } = ledgerOf(0);
  await ledger.start();
  await next(HISTORY_LIMITS.removalMs);
  await vi.waitFor(() => expect(lines).toHaveLength(1), PATIENT);
  expect(lines[0]).toContain('The history of tests is nearly full.');
  await next(HISTORY_LIMITS.removalMs);
  await ledger.stop();
  expect(lines).toHaveLength(1);
});
