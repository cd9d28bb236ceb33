/** Reads the runs of a stopped server from its store, as they are too many for requests. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseTimestamp } from '../../packages/manifests/src/index.ts';

/** Ids of the runs that are done, with the milliseconds from their acceptance to their end. */
export function readRunEnds(dataDir: string): ReadonlyMap<string, number> {
  const db = new DatabaseSync(join(dataDir, 'store', 'tutti.db'), { readOnly: true });
  const rows = db
    .prepare(
      "SELECT workflow_id AS id, created_at AS begun, completed_at AS ended FROM workflows WHERE status = 'DONE'",
    )
    .all();
  db.close();
  return new Map(
    rows.map(({ id, begun, ended }) => [String(id), millisecondsOf(ended) - millisecondsOf(begun)]),
  );
}

const millisecondsOf = (timestamp: unknown): number =>
  parseTimestamp(String(timestamp)) ?? Number.NaN;
