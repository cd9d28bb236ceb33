import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepDamagedLog, keptLogsOf } from './kept-log.ts';
import { SQLITE_LIMITS } from './limits.ts';

const DAMAGE = { whole: 3, endsLost: 2 };

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-kept-'));
  file = join(folder, 'tutti.db');
  const used = join(folder, 'used.db');
  const db = new DatabaseSync(used);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER)');
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(used + suffix, file + suffix);
  db.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a kept database opens as it was', () => {
  const kept = keepDamagedLog(file, DAMAGE);
  expect(kept).toMatchObject({ ...DAMAGE, hasDatabase: true });
  const db = new DatabaseSync(kept.path);
  expect(db.prepare('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 0 });
  db.close();
});

// Bound: Copies of damaged write-ahead logs.
test('so many are kept, and then the database is not opened', () => {
  for (let count = 0; count < SQLITE_LIMITS.keptLogsMax; count += 1) keepDamagedLog(file, DAMAGE);
  expect(keptLogsOf(file)).toHaveLength(SQLITE_LIMITS.keptLogsMax);
  expect(() => keepDamagedLog(file, DAMAGE)).toThrow(/8 damaged ones are kept beside it/);
});

test('the index of a removed log is kept, and counts', () => {
  rmSync(`${file}-wal`);
  const kept = keepDamagedLog(file, DAMAGE);
  expect(existsSync(`${kept.path}-shm`)).toBe(true);
  expect(keptLogsOf(file)).toEqual([basename(kept.path)]);
});
