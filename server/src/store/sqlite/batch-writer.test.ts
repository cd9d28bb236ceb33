import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { append, workflowId } from '../conformance/samples.ts';
import type { WriterOperation } from '../writes/operations.ts';
import { createBatchWriter } from './batch-writer.ts';
import { SQLITE_LIMITS } from './limits.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';

const RUN = workflowId(1);

function setUp() {
  const db = new DatabaseSync(':memory:');
  migrate(db, MIGRATIONS);
  return { db, applyBatch: createBatchWriter(db, SQLITE_LIMITS) };
}

function appendOperation(expectedSeq: number, logText = ''): WriterOperation {
  return { kind: 'append', append: append(RUN, expectedSeq, { projection: { logText } }) };
}

test('a full disk fails what does not fit, and writing goes on when there is room again', () => {
  const { db, applyBatch } = setUp();
  applyBatch([appendOperation(0)]);
  const pages = db.prepare('PRAGMA page_count').get()?.page_count;
  db.exec(`PRAGMA max_page_count = ${String(pages)}`);
  const tooLong = 'line\n'.repeat(100_000);
  const [failed] = applyBatch([appendOperation(1, tooLong)]);
  expect(failed).toEqual({
    outcome: 'failed',
    why: 'database or disk is full',
    isDiskFull: true,
    isDamaged: false,
  });
  db.exec('PRAGMA max_page_count = 100000');
  expect(applyBatch([appendOperation(1, tooLong)])).toMatchObject([
    { outcome: 'appended', seq: 2 },
  ]);
  db.close();
});

test('migrations are applied in order, each once', () => {
  const db = new DatabaseSync(':memory:');
  const first = 'CREATE TABLE a (x INTEGER)';
  migrate(db, [first]);
  migrate(db, [first, 'ALTER TABLE a ADD COLUMN y', 'INSERT INTO a VALUES (1, 2)']);
  migrate(db, [first, 'ALTER TABLE a ADD COLUMN y', 'INSERT INTO a VALUES (1, 2)']);
  expect(db.prepare('SELECT x, y FROM a').all()).toEqual([{ x: 1, y: 2 }]);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  db.close();
});

test('a migration that fails leaves the version before it', () => {
  const db = new DatabaseSync(':memory:');
  const steps = [
    'CREATE TABLE a (x INTEGER)',
    'CREATE TABLE b (x INTEGER); INSERT INTO c VALUES (1)',
  ];
  expect(() => migrate(db, steps)).toThrow('no such table');
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()).toEqual([
    { name: 'a' },
  ]);
  db.close();
});
