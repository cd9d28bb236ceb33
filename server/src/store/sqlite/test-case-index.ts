/**
 * Finds the test cases of a run by their keys. Keys come in any order: in one large tree, each would change a page of its own. So the index of
 * a run has parts. New keys go to a small part. When it is full, another takes its turn, and its keys move to a larger part in their order.
 * Larger parts move in the same way. So a page changes once for many keys, and each key moves a few times.
 *
 * The number of test cases says whose turn it is. A key is in one part, so whoever looks for it looks into all parts of the run.
 */
import type { DatabaseSync } from 'node:sqlite';
import { PARTS_OF_RUN } from './index-parts.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareListQuery, prepareQuery } from './query.ts';
import { rowId } from './row-ids.ts';

/** A part has so many times the keys of a part of the level below. */
const GROWTH = 8;
/** Each level has two parts. Above them is the last part, which keeps its keys. */
const LEVELS = 4;
/** The smallest part moves in so many steps, and larger parts in steps of the same size. */
const STEPS = 4;

export interface TestCaseIndex {
  /** Rows of the test cases of a run that have one of these keys, by the texts of keys. */
  find(run: number, keys: readonly string[]): Map<string, number>;
  /** Adds a key that the run does not have. `number` is that of its test case in the run. */
  add(run: number, number: number, key: Uint8Array): void;
  /** Moves what has to move when a run with `before` test cases has got more. */
  settle(run: number, before: number, count: number): void;
}

/** The text of a key, for maps and lists of keys. */
export const textOf = (key: Uint8Array): string => Buffer.from(key).toString('hex');

export function createTestCaseIndex(
  db: DatabaseSync,
  { indexPartRows }: Pick<SqliteLimits, 'indexPartRows'>,
): TestCaseIndex {
  const found = prepareListQuery<readonly [key: string, id: number]>(
    db,
    `${PARTS_OF_RUN} SELECT key.value, k.test_case FROM parts CROSS JOIN json_each(?2) AS key
       CROSS JOIN test_case_keys AS k ON k.run = ?1 AND k.part = parts.part AND k.key = unhex(key.value)
     WHERE parts.part IS NOT NULL`,
  );
  const insert = db.prepare(
    'INSERT INTO test_case_keys (run, part, key, test_case) VALUES (?, ?, ?, ?)',
  );
  const move = createMove(db);
  const step = indexPartRows / STEPS;
  const partAt = (level: number, count: number) => {
    const turn = Math.floor(count / (indexPartRows * GROWTH ** level));
    return level === LEVELS ? 2 * LEVELS : 2 * level + (turn % 2);
  };
  return {
    find: (run, keys) => new Map(found.all(run, JSON.stringify(keys))),
    add: (run, number, key) => {
      insert.run(run, partAt(0, number), key, rowId(run, number));
    },
    settle(run, before, count) {
      for (let at = before - (before % step) + step; at <= count; at += step) {
        for (let level = 0; level < LEVELS; level += 1) {
          // From the part of the level whose turn it is not.
          move(run, { from: partAt(level, at) ^ 1, to: partAt(level + 1, at), rows: step });
        }
      }
    },
  };
}

/** Moves the first keys of a part; answers how many. */
export function createMove(db: DatabaseSync) {
  const last = prepareQuery<{ readonly key: Uint8Array | null }>(
    db,
    `SELECT max(key) AS key FROM
       (SELECT key FROM test_case_keys WHERE run = ? AND part = ? ORDER BY key LIMIT ?)`,
  );
  const copy = db.prepare(
    `INSERT INTO test_case_keys (run, part, key, test_case)
     SELECT run, ?, key, test_case FROM test_case_keys WHERE run = ? AND part = ? AND key <= ?`,
  );
  const remove = db.prepare('DELETE FROM test_case_keys WHERE run = ? AND part = ? AND key <= ?');
  return (run: number, { from, to, rows }: Record<'from' | 'to' | 'rows', number>): number => {
    const key = last.get(run, from, rows)?.key ?? null;
    if (key === null) return 0;
    copy.run(to, run, from, key);
    return Number(remove.run(run, from, key).changes);
  };
}
