/** Writes the summaries of runs. */
import type { DatabaseSync } from 'node:sqlite';
import type { AddedSummary, SummaryRow } from '../store.ts';

export interface SummaryWriter {
  /** `logLines`: lines of the log before the append; null where nobody counted. */
  put(run: number, summary: SummaryRow, logLines: number | null): void;
  /** Changes nothing for a run that has a summary, or is unknown. */
  add(summary: AddedSummary): void;
}

export function createSummaryWriter(db: DatabaseSync): SummaryWriter {
  const put = db.prepare(
    `INSERT INTO run_summaries (run, json, failure, failure_line) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET json = excluded.json, failure = coalesce(failure, excluded.failure),
       failure_line = iif(failure IS NULL, excluded.failure_line, failure_line)`,
  );
  const add = db.prepare(
    `INSERT INTO run_summaries (run, json, failure) SELECT id, ?2, ?3 FROM workflows WHERE workflow_id = ?1
     ON CONFLICT DO NOTHING`,
  );
  return {
    put(run, { json, failure, lines }, logLines) {
      const line = failure === null || logLines === null ? null : logLines + lines;
      put.run(run, json, failure, line);
    },
    add({ workflowId, json, failure }) {
      add.run(workflowId, json, failure);
    },
  };
}
