import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLogDamage, logIndexOf, logOf } from './log-damage.ts';

const FRAME_BYTES = 24 + 4096;
const COMMITS = 20;

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-log-'));
  file = join(folder, 'killed.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Leaves the files on the disk as if a process using the database had been killed. */
function killed(work: (db: DatabaseSync) => void): void {
  const used = join(folder, 'used.db');
  const db = new DatabaseSync(used);
  db.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT)',
  );
  work(db);
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(used + suffix, file + suffix);
  db.close();
}

function commits(db: DatabaseSync, count = COMMITS): void {
  const insert = db.prepare('INSERT INTO notes (text) VALUES (?)');
  for (let number = 0; number < count; number += 1) insert.run(`${number}`.repeat(100));
}

/** Rows that SQLite gives back. */
function rowsLeft(): number {
  const db = new DatabaseSync(file);
  const count = db.prepare('SELECT count(*) AS count FROM notes').get()?.count;
  db.close();
  return Number(count);
}

const framesIn = () => Math.floor((readFileSync(logOf(file)).length - 32) / FRAME_BYTES);

function overwrite(path: string, offset: number, length: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, offset, offset + length);
  writeFileSync(path, bytes);
}

const frameAt = (number: number) => 32 + (number - 1) * FRAME_BYTES;

test('the log of a process that was killed is whole', () => {
  killed(commits);
  expect(findLogDamage(file)).toBeNull();
  expect(rowsLeft()).toBe(COMMITS);
});

test('no log, and an empty one, are whole', () => {
  expect(findLogDamage(file)).toBeNull();
  writeFileSync(logOf(file), '');
  expect(findLogDamage(file)).toBeNull();
});

test.each([
  ['a page in the middle', (frames: number) => [frameAt(frames / 2) + 1000, 16]],
  ['the header of a frame in the middle', (frames: number) => [frameAt(frames / 2), 24]],
  ['several frames', (frames: number) => [frameAt(3) + 7, (frames / 2) * FRAME_BYTES]],
  ['the header and all that follows but the end', (frames: number) => [0, frameAt(frames - 4)]],
  ['the header alone', () => [0, 32]],
  ['the last confirmed transaction alone', (frames: number) => [frameAt(frames) + 500, 8]],
] as const)('garbage in %s is found', (_where, place) => {
  killed(commits);
  const [offset = 0, length = 0] = place(framesIn());
  overwrite(logOf(file), offset, length);
  expect(findLogDamage(file)).not.toBeNull();
  expect(() => {
    if (rowsLeft() < COMMITS) throw new Error('lost');
  }).toThrow();
});

test('garbage is found without the index, unless it is in the last transaction', () => {
  killed(commits);
  rmSync(logIndexOf(file));
  const whole = readFileSync(logOf(file));
  overwrite(logOf(file), frameAt(10), 100);
  expect(findLogDamage(file)).toEqual({ whole: 9, endsLost: framesIn() - 10 });
  writeFileSync(logOf(file), whole);
  overwrite(logOf(file), frameAt(framesIn()), 100);
  expect(findLogDamage(file)).toBeNull();
});

test('a log that lost its end is found by the index', () => {
  killed(commits);
  truncateSync(logOf(file), frameAt(10));
  expect(findLogDamage(file)).toEqual({ whole: 9, endsLost: 0 });
});

test('a log that somebody removed is found', () => {
  killed(commits);
  rmSync(logOf(file));
  expect(findLogDamage(file)).toEqual({ whole: 0, endsLost: 0 });
});

test('a log that somebody removed is no damage where the database has all of it', () => {
  killed((db) => {
    commits(db);
    db.exec('PRAGMA wal_checkpoint(FULL)');
  });
  rmSync(logOf(file));
  expect(findLogDamage(file)).toBeNull();
});

test('a transaction that had not ended is no damage', () => {
  killed((db) => {
    commits(db);
    db.exec('PRAGMA cache_size = 1; BEGIN');
    commits(db, 2_000);
  });
  expect(findLogDamage(file)).toBeNull();
  rmSync(logIndexOf(file));
  expect(findLogDamage(file)).toBeNull();
  expect(rowsLeft()).toBe(COMMITS);
});

test('a transaction that was undone after it reached the log is no damage', () => {
  killed((db) => {
    commits(db);
    db.exec('PRAGMA cache_size = 1; BEGIN');
    commits(db, 2_000);
    db.exec('ROLLBACK');
    commits(db, 3);
  });
  rmSync(logIndexOf(file));
  expect(findLogDamage(file)).toBeNull();
  expect(rowsLeft()).toBe(COMMITS + 3);
});

test('frames of an earlier generation are no damage', () => {
  killed((db) => {
    commits(db);
    db.exec('PRAGMA wal_checkpoint(RESTART)');
    commits(db, 2);
  });
  rmSync(logIndexOf(file));
  expect(framesIn()).toBeGreaterThan(10);
  expect(findLogDamage(file)).toBeNull();
  expect(rowsLeft()).toBe(COMMITS + 2);
});

test('after a power cut, frames of the last transaction in any order are no damage', () => {
  killed((db) => {
    commits(db);
    copyFileSync(`${join(folder, 'used.db')}-shm`, join(folder, 'earlier-shm'));
    db.exec('BEGIN');
    commits(db, 500);
    db.exec('COMMIT');
  });
  copyFileSync(join(folder, 'earlier-shm'), logIndexOf(file));
  overwrite(logOf(file), frameAt(framesIn() - 3), FRAME_BYTES);
  expect(findLogDamage(file)).toBeNull();
  expect(rowsLeft()).toBe(COMMITS);
});
