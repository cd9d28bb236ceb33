/** A retention check deletes the right parts of a real store with real files. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTimestamp } from '@tutti/manifests';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import { createLogger } from '../../runtime/logger.ts';
import { append, workflowId, workflowRow } from '../../store/conformance/samples.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { forgetOldRuns, type RetentionDeps } from './retention.ts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;

let folder: string;
let store: Store;
let deps: RetentionDeps;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-retention-'));
  store = await openSqliteStore({ file: join(folder, 'tutti.db') });
  deps = {
    store,
    blobs: await openFilesystemBlobStore({ directory: join(folder, 'blobs') }),
    clock: { now: () => NOW, timestamp: () => formatTimestamp(NOW), monotonicMs: () => NOW },
    logger: createLogger({ level: 'error' }),
    lockFiles: () => ({ release: () => undefined }),
    feed: { changes: { runsRemoved: () => undefined } },
    minutes: 60,
    runs: 100,
    historyMinutes: 0,
  };
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function addRun(number: number, endedMinutesAgo: number | null, live = false) {
  const id = workflowId(number);
  const at = endedMinutesAgo === null ? null : formatTimestamp(NOW - endedMinutesAgo * MINUTE);
  const row = workflowRow(id, { live: live || at === null, completedAt: at });
  await store.append(append(id, 0, { projection: { workflow: row } }));
  const content = (async function* () {
    yield Buffer.from('x');
  })();
  await deps.blobs.put(`${id}/file`, content, { sizeMax: 10 });
}

/** Numbers of the remaining runs; they must equal the runs with files. */
async function leftAfter(limits: Partial<RetentionDeps> = {}): Promise<readonly number[]> {
  await forgetOldRuns({ ...deps, ...limits });
  const rows = (await store.workflows()).map((row) => row.workflowId);
  const scopes = (await readdir(join(folder, 'blobs'))).filter((name) => !name.startsWith('~'));
  expect(scopes.toSorted()).toEqual(rows.toSorted());
  return rows.map((id) => Number(id.slice(-6)));
}

// HTTP 4.5: GET /workflows: ids of running and recent workflows.
test('a run leaves when its time is over', async () => {
  await addRun(1, 59);
  await addRun(2, 61);
  expect(await leftAfter()).toEqual([1]);
});

// Bound: Finished runs.
test('the oldest runs leave when there are too many', async () => {
  await addRun(1, 2);
  await addRun(2, 1);
  await addRun(3, 3);
  expect(await leftAfter({ runs: 1 })).toEqual([2]);
});

test('a live run, or one with a worker, stays', async () => {
  await addRun(1, null);
  await addRun(2, 99, true);
  expect(await leftAfter({ runs: 0 })).toEqual([1, 2]);
});

test('all leave that have to, however many', async () => {
  const add = (_: unknown, index: number) => addRun(index + 1, 99);
  // More than one batch deletes.
  await Promise.all(Array.from({ length: 501 }, add));
  expect(await leftAfter({ runs: 1 })).toEqual([]);
});

test('nothing is deleted while files are copied', async () => {
  await addRun(1, 99);
  expect(await leftAfter({ lockFiles: () => null })).toEqual([1]);
});

test('the ends of the runs that stay are read once a check, however many leave', async () => {
  const add = (_: unknown, index: number) => addRun(index + 1, 9);
  await Promise.all(Array.from({ length: 1_100 }, add));
  const skipped: number[] = [];
  const endBefore: Store['endBefore'] = (end, ends) => {
    skipped.push(ends);
    return store.endBefore(end, ends);
  };
  const left = await leftAfter({ runs: 50, store: { ...store, endBefore } });
  expect(left).toHaveLength(50);
  expect(skipped).toEqual([50]);
});
