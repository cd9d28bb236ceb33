/**
 * Makes one part of the index of a run that is over. Later runs look for each of their test cases there, which takes longer the more parts
 * there are. Keys move in small portions between other writes; what is left when the server stops moves after the next start.
 */
import type { DatabaseSync } from 'node:sqlite';
import { PARTS_OF_RUN } from './index-parts.ts';
import { prepareQuery } from './query.ts';
import { createMove } from './test-case-index.ts';

export interface IndexMerger {
  /** The run is over. It may go on later, and end again. */
  end(run: number): void;
  /** Moves some keys, about `rowsMax`; true when there are more. */
  merge(rowsMax: number): boolean;
}

export function createIndexMerger(db: DatabaseSync): IndexMerger {
  const remember = db.prepare(
    `${PARTS_OF_RUN} INSERT OR IGNORE INTO unmerged_runs (id)
       SELECT ?1 WHERE (SELECT count(part) FROM parts) > 1`,
  );
  const next = prepareQuery<{ readonly run: number }>(
    db,
    'SELECT id AS run FROM unmerged_runs ORDER BY id LIMIT 1',
  );
  const finish = db.prepare('DELETE FROM unmerged_runs WHERE id = ?');
  const smallest = prepareQuery<{ readonly part: number }>(
    db,
    `${PARTS_OF_RUN} SELECT part FROM parts WHERE part IS NOT NULL ORDER BY part LIMIT 2`,
  );
  const move = createMove(db);
  return {
    end: (run) => {
      remember.run(run);
    },
    merge(rowsMax) {
      for (let left = rowsMax; left > 0; ) {
        const run = next.get()?.run;
        if (run === undefined) return false;
        const [from, to] = smallest.all(run);
        if (from === undefined || to === undefined) finish.run(run);
        else left -= move(run, { from: from.part, to: to.part, rows: left });
      }
      return true;
    },
  };
}
