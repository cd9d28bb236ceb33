/** Several queries of the reading connection as one view of the database. */
import type { DatabaseSync } from 'node:sqlite';

/** Runs synchronous reads that all see the state of one moment. Must not be nested. */
export type Snapshot = <Result>(read: () => Result) => Result;

export function createSnapshot(db: DatabaseSync): Snapshot {
  const begin = db.prepare('BEGIN');
  const end = db.prepare('COMMIT');
  return (read) => {
    begin.run();
    try {
      return read();
    } finally {
      end.run();
    }
  };
}
