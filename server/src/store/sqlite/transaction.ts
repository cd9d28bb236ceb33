/** Transactions and savepoints around synchronous work. */
import type { DatabaseSync } from 'node:sqlite';

/** Commits when `work` returns. Undoes everything if `work` or the commit throws. */
export function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk or a failed write has ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Does work within a transaction. If the work throws, only the work is undone. */
export function inSavepoint<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('SAVEPOINT operation');
  try {
    const result = work();
    db.exec('RELEASE operation');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK TO operation; RELEASE operation');
    throw error;
  }
}
