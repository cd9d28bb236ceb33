/** Writes the summaries of runs. */
import type { DatabaseSync } from 'node:sqlite';
import type { AddedSummary, SummaryRow } from '../store.ts';

export interface SummaryWriter {
  put(run: number, summary: SummaryRow): void;
  /** Changes nothing for a run that has a summary, or is unknown. */
  add(summary: AddedSummary): void;
}

export function createSummaryWriter(db: DatabaseSync): SummaryWriter {
  const put = db.prepare(
    `INSERT INTO run_summaries (run, json, failure) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET json = excluded.json, failure = coalesce(failure, excluded.failure)`,
  );
  const add = db.prepare(
    `INSERT INTO run_summaries (run, json, failure) SELECT id, ?2, ?3 FROM workflows WHERE workflow_id = ?1
     ON CONFLICT DO NOTHING`,
  );
  return {
    put(run, { json, failure }) {
      put.run(run, json, failure);
    },
    add({ workflowId, json, failure }) {
      add.run(workflowId, json, failure);
    },
  };
}
