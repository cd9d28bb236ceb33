/** Execution logs of an SQLite store as rows of a PostgreSQL store: stretches of text, and parts between them. */
import type { DatabaseSync } from 'node:sqlite';
import type { CopiedRow } from '../../store/postgres/copied-table.ts';
import { toPlain } from '../../store/postgres/plain-text.ts';
import { createPartQuery, createTextReader } from '../../store/sqlite/log-reader.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';

/** Text in one row. */
const TEXT_BYTES = 64 * 1024;

interface LoggedRun {
  readonly run: number;
  readonly workflowId: string;
  readonly logBytes: number;
}

export function* logRows(db: DatabaseSync): Generator<CopiedRow> {
  const runs = prepareQuery<LoggedRun>(
    db,
    'SELECT id AS run, workflow_id AS workflowId, log_bytes AS logBytes FROM workflows WHERE log_bytes > 0 ORDER BY id',
  );
  const partsOf = createPartQuery(db);
  const readText = createTextReader(db);
  for (const { run, workflowId, logBytes } of runs.iterate()) {
    let at = 0;
    let partBytes = 0;
    function* textUntil(end: number): Generator<CopiedRow> {
      for (; at < end; at = Math.min(end, at + TEXT_BYTES)) {
        const content = Buffer.alloc(Math.min(TEXT_BYTES, end - at));
        readText(run, at - partBytes, content);
        yield [workflowId, at, content.length, content, null, null, null, null];
      }
    }
    for (const part of partsOf.iterate(run)) {
      yield* textUntil(part.start);
      const { bytes, event, from, to, prefix } = part;
      if (bytes > 0) yield [workflowId, at, bytes, null, event, from, to, toPlain(prefix)];
      at += bytes;
      partBytes += bytes;
    }
    yield* textUntil(logBytes);
  }
}
