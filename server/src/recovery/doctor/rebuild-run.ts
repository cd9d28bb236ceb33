/** Rebuilds all stored data of a run from its events, by the code that a server writes it with. */
import type { DatabaseSync } from 'node:sqlite';
import { parseWorkflowId } from '@tutti/manifests';
import { emptyRun, evolve } from '@tutti/workflow';
import { createAppendWriter } from '../../store/sqlite/batch-writer.ts';
import { SQLITE_LIMITS } from '../../store/sqlite/limits.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { rowId, rowIdRange } from '../../store/sqlite/row-ids.ts';
import { inTransaction } from '../../store/sqlite/transaction.ts';
import { foldRun, type ProjectRun, type StoredRun } from './run-scan.ts';

/** Computes the projections of a run again, all or none. The last masks of the run redact all of them. */
export function rebuildRun(db: DatabaseSync, stored: StoredRun, project: ProjectRun): void {
  inTransaction(db, () => {
    const masks = masksOf(db, stored.run);
    // Results that were folded do not wait again.
    const unfolded = unfoldedOf(db, stored.run);
    removeParts(db, stored.run);
    const append = createAppendWriter(db, SQLITE_LIMITS);
    const removeEvent = db.prepare('DELETE FROM events WHERE id = ?');
    for (const { seq, kind, json, folds, projection } of foldRun(db, stored.run, project, masks)) {
      removeEvent.run(rowId(stored.run, seq));
      const result = append({
        workflowId: parseWorkflowId(stored.workflowId),
        expectedSeq: seq - 1,
        events: [{ kind, json, folds }],
        projection,
        documents: [],
        outbox: [],
      });
      if (result.outcome !== 'appended') throw new Error('A run grew while it was made anew.');
    }
    db.prepare('UPDATE workflows SET unfolded = ? WHERE id = ?').run(unfolded, stored.run);
  });
}

function unfoldedOf(db: DatabaseSync, run: number): number {
  const query = prepareQuery<{ readonly unfolded: number }>(
    db,
    'SELECT unfolded FROM workflows WHERE id = ?',
  );
  return query.get(run)?.unfolded ?? 0;
}

function masksOf(db: DatabaseSync, run: number) {
  const { first, last } = rowIdRange(run);
  const events = prepareQuery<{ readonly json: string }>(
    db,
    'SELECT json FROM events WHERE id BETWEEN ? AND ? ORDER BY id',
  ).all(first, last);
  return events.reduce((state, { json }) => evolve(state, JSON.parse(json)), emptyRun).masks;
}

function removeParts(db: DatabaseSync, run: number): void {
  const { first, last } = rowIdRange(run);
  const inRange = `BETWEEN ${first} AND ${last}`;
  for (const table of ['log_pages', 'test_cases']) {
    db.exec(`DELETE FROM ${table} WHERE id ${inRange}`);
  }
  for (const table of ['test_case_history', 'test_executions']) {
    db.exec(`DELETE FROM ${table} WHERE test_case ${inRange}`);
  }
  for (const table of [
    'log_parts',
    'log_marks',
    'attachments',
    'jobs',
    'broken_reports',
    'test_case_counts',
    'test_case_keys',
    'test_runs',
    'run_summaries',
  ]) {
    db.exec(`DELETE FROM ${table} WHERE run = ${run}`);
  }
  db.exec(
    `UPDATE workflows SET events = 0, events_size = 0, log_bytes = 0, part_bytes = 0, log_lines = 0, test_cases = 0, failures = 0
     WHERE id = ${run}`,
  );
}
