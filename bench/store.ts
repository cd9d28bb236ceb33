/**
 * Measures appends of the SQLite store against bare SQLite with the same rows in the same run. The difference is the price of
 * thread, fence and projections. `--smoke` only shows that it runs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import { openSqliteStore } from '../server/src/store/sqlite/sqlite-store.ts';
import type { Append, Projection, Store } from '../server/src/store/store.ts';

const CALLERS = 50;
const AT = '2026-01-01T00:00:00.000000' as Timestamp;
const EVENT = JSON.stringify({ kind: 'Notification', spec: { logs: ['x'.repeat(700)] } });
const NOTHING = { attachments: [], testCases: [], jobs: [] } as const;

interface Scale {
  readonly appendsPerCaller: number;
  readonly singleAppends: number;
  readonly reads: number;
}
const FULL: Scale = { appendsPerCaller: 1_000, singleAppends: 1_000, reads: 2_000 };
const SMOKE: Scale = { appendsPerCaller: 10, singleAppends: 10, reads: 10 };

function workflowId(number: number): WorkflowId {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as WorkflowId;
}

function firstProjection(id: WorkflowId): Projection {
  const times = { createdAt: AT, completedAt: null };
  const row = { name: 'bench', namespace: 'default', status: 'RUNNING', live: true } as const;
  return { ...NOTHING, logText: '', workflow: { workflowId: id, workers: [], ...row, ...times } };
}

function twoEvents(id: WorkflowId, expectedSeq: number): Append {
  const logText = `[${AT}] [job ${id}] one line of output of a step\n`;
  return {
    workflowId: id,
    expectedSeq,
    events: [
      { kind: 'Notification', json: EVENT },
      { kind: 'Notification', json: EVENT },
    ],
    projection: expectedSeq === 0 ? firstProjection(id) : { ...NOTHING, logText, workflow: null },
    documents: [],
    outbox: [],
  };
}

async function appendMany(store: Store, id: WorkflowId, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await store.append(twoEvents(id, index * 2));
}

/** Milliseconds that `work` takes. */
async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function measureStore(file: string, scale: Scale): Promise<void> {
  const openMs = await timed(async () => (await openSqliteStore({ file })).close());
  const store = await openSqliteStore({ file });
  const callers = Array.from({ length: CALLERS }, (_, index) => workflowId(index));
  const manyMs = await timed(() =>
    Promise.all(callers.map((id) => appendMany(store, id, scale.appendsPerCaller))),
  );
  const singleMs = await timed(() => appendMany(store, workflowId(CALLERS), scale.singleAppends));
  const readMs = await timed(async () => {
    for (let index = 0; index < scale.reads; index += 1) await store.events(workflowId(0), 1, 100);
  });
  await store.close();
  const reopenMs = await timed(async () => (await openSqliteStore({ file })).close());
  report(`store, ${CALLERS} callers`, rate(CALLERS * scale.appendsPerCaller, manyMs));
  report('store, one caller', `${(singleMs / scale.singleAppends).toFixed(3)} ms per append`);
  report('store, page of 100 events', `${(readMs / scale.reads).toFixed(3)} ms per read`);
  report('store, open and close', `${openMs.toFixed(0)} ms new, ${reopenMs.toFixed(0)} ms filled`);
}

/** The same events in transactions of the same size, without our code. */
async function measureBareSqlite(file: string, scale: Scale): Promise<void> {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
  db.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, json TEXT)');
  const insert = db.prepare('INSERT INTO events (id, kind, json) VALUES (?, ?, ?)');
  const insertBatch = (round: number): void => {
    db.exec('BEGIN');
    for (let run = 0; run < CALLERS; run += 1) {
      insert.run(run * 2 ** 24 + round * 2, 'Notification', EVENT);
      insert.run(run * 2 ** 24 + round * 2 + 1, 'Notification', EVENT);
    }
    db.exec('COMMIT');
  };
  const elapsedMs = await timed(() => {
    for (let round = 0; round < scale.appendsPerCaller; round += 1) insertBatch(round);
  });
  db.close();
  report('bare SQLite, batches of 50', rate(CALLERS * scale.appendsPerCaller, elapsedMs));
}

function rate(count: number, elapsedMs: number): string {
  return `${Math.round((count / elapsedMs) * 1000)} two-event appends/s`;
}

function report(what: string, value: string): void {
  console.log(`${what.padEnd(28)} ${value}`);
}

const folder = mkdtempSync(join(tmpdir(), 'tutti-bench-'));
try {
  const scale = process.argv.includes('--smoke') ? SMOKE : FULL;
  await measureBareSqlite(join(folder, 'bare.db'), scale);
  await measureStore(join(folder, 'store.db'), scale);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
