import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { SQLITE_LIMITS } from './limits.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { rowId } from './row-ids.ts';
import { createTestCaseIndex, textOf } from './test-case-index.ts';

const RUN = 7;
const ROWS = 4;

/** Keys in any order, the same in each process. */
const keyOf = (number: number): Uint8Array =>
  createHash('sha256').update(`${number}`).digest().subarray(0, 16);

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

function setUp(file = ':memory:', indexPartRows = ROWS) {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF');
  migrate(db, MIGRATIONS);
  const index = createTestCaseIndex(db, { indexPartRows });
  const rows = db.prepare(
    'SELECT part, count(*) AS count FROM test_case_keys WHERE run = ? GROUP BY part',
  );
  let count = 0;
  return {
    db,
    find: (from: number, to: number, run = RUN) =>
      index.find(
        run,
        numbers(from, to).map((number) => textOf(keyOf(number))),
      ),
    parts: () => new Map(rows.all(RUN).map(({ part, count }) => [Number(part), Number(count)])),
    append(more: number) {
      db.exec('BEGIN');
      for (const number of numbers(count, count + more)) index.add(RUN, number, keyOf(number));
      index.settle(RUN, count, count + more);
      db.exec('COMMIT');
      count += more;
    },
  };
}

const rowsOf = (from: number, to: number) =>
  new Map(numbers(from, to).map((number) => [textOf(keyOf(number)), rowId(RUN, number)]));

test.each([
  ['one', [1]],
  ['few', [1, 2, 3]],
  ['many', [5, 1, 70]],
  ['as many as two parts have', [2 * ROWS]],
])('all keys of a run are found, after each append of %s', (_, sizes) => {
  const { db, append, find } = setUp();
  const other = db.prepare('INSERT INTO test_case_keys VALUES (?, 0, ?, 1)');
  for (const run of [RUN - 1, RUN + 1]) other.run(run, keyOf(-1));
  let count = 0;
  for (let at = 0; count < 300; at += 1) {
    const more = sizes[at % sizes.length] ?? 0;
    append(more);
    count += more;
    expect(find(-1, count + 1)).toEqual(rowsOf(0, count));
  }
  expect(find(0, count, RUN + 2)).toEqual(new Map());
  db.close();
});

test('each key is in one part, and a part does not outgrow its level', () => {
  const { db, append, parts } = setUp();
  const most = new Map<number, number>();
  const total = ROWS * 8 ** 4;
  for (let count = 0; count < total; count += 64) {
    append(64);
    for (const [part, rows] of parts()) most.set(part, Math.max(most.get(part) ?? 0, rows));
    expect([...parts().values()].reduce((sum, rows) => sum + rows, 0)).toBe(count + 64);
  }
  for (const level of [1, 2, 3]) {
    for (const part of [2 * level, 2 * level + 1]) {
      expect(most.get(part)).toBeLessThanOrEqual(ROWS * 8 ** level);
    }
  }
  // An append goes to the smallest parts before anything moves.
  for (const part of [0, 1]) expect(most.get(part) ?? 0).toBeLessThanOrEqual(ROWS);
  expect(parts().get(8)).toBeGreaterThan(0);
  db.close();
});

test('a key of many writes a small part of a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-index-'));
  const file = join(folder, 'tutti.db');
  const { db, append } = setUp(file, SQLITE_LIMITS.indexPartRows);
  const writtenBytes = () => statSync(`${file}-wal`).size;
  const [all, last] = [60_000, 10_000];
  let before = 0;
  for (let count = 0; count < all; count += 500) {
    if (count === all - last) before = writtenBytes();
    append(500);
  }
  const pages = (writtenBytes() - before) / 4_096 / last;
  db.close();
  rmSync(folder, { recursive: true });
  // In one tree, each of these keys would write half a page.
  expect(pages).toBeLessThan(0.2);
});
