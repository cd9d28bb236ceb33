/**
 * The statement of a batch: one text with arrays of rows, which commits by itself. It begins with the fence: the number of the batch in the
 * row of the writer. Any refusal undoes all of it.
 */
import { LOG_MARK_BYTES } from '../log-marks.ts';
import { durationOf } from '../run-duration.ts';
import type { DocumentWrite } from '../store.ts';
import type { BatchPlan, PlannedSummary, RunChange } from './batch-plan.ts';
import type { Parameter } from './connection.ts';
import { keyHashOf } from './key-hash.ts';
import { toPlain, toPlainOrNull } from './plain-text.ts';

export interface Statement {
  /** The same for the same text, so that the database prepares it once. */
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Answers of the statement: lengths of the logs that it changed. */
export interface StatementRow {
  readonly workflowId: string | null;
  readonly logBytes: number | null;
}

/** Ends one JSON text of several; no JSON text has it. */
export const SEPARATOR = '\x1e';

export interface WriterPlace {
  readonly writer: number;
  /** Number of the batch. */
  readonly batch: number;
}

const FENCE = `fence AS (UPDATE writers SET batch = $2
  WHERE writer = $1 AND alive AND batch = $2::bigint - 1 RETURNING 1)`;

export function statementOf(plan: BatchPlan, { writer, batch }: WriterPlace): Statement {
  const builder = new Builder([writer, batch]);
  addRuns(builder, [...plan.runs.values()]);
  addLog(builder, plan);
  addParts(builder, plan);
  addSummaries(builder, plan);
  addDocuments(builder, plan.documents);
  addOutbox(builder, plan);
  return builder.build();
}

type Type = 'uuid' | 'int' | 'bigint' | 'text' | 'boolean' | 'bytea';

type Columns<Row> = Readonly<Record<string, readonly [Type, (row: Row) => Parameter]>>;

class Builder {
  readonly #parameters: Parameter[];
  readonly #parts: string[] = [FENCE];
  readonly #names: string[] = [];
  readonly #heads: string[] = [];
  readonly #counts: string[] = [];

  constructor(parameters: readonly Parameter[]) {
    this.#parameters = [...parameters];
  }

  /** The rows as a table `t`. */
  table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
    const lists = Object.values(columns).map(([type, cell]) =>
      this.parameter(rows.map(cell), `${type}[]`),
    );
    return `unnest(${lists.join(', ')}) WITH ORDINALITY AS t(${Object.keys(columns).join(', ')}, nr)`;
  }

  parameter(value: Parameter, type: string): string {
    this.#parameters.push(value);
    return `$${this.#parameters.length}::${type}`;
  }

  add(name: string, text: string): void {
    this.#names.push(name);
    this.#parts.push(`${name} AS (${text})`);
  }

  /** A part whose rows are runs with the lengths of their logs; there must be so many. */
  addHeads(name: string, count: number, text: string): void {
    this.add(name, text);
    this.#heads.push(`SELECT workflow_id, log_bytes, log_lines, added FROM ${name}`);
    this.#counts.push(`(SELECT count(*) FROM ${name}) <> ${this.parameter(count, 'bigint')}`);
  }

  /** After the runs: what reads the heads. */
  addHeadsTable(): void {
    this.#parts.push(`heads AS (${this.#heads.join(' UNION ALL ')})`);
  }

  build(): Statement {
    const conflict = this.#counts.map((isOther) => `WHEN ${isOther} THEN refuse('conflict')`);
    const check = `CASE WHEN NOT EXISTS (SELECT FROM fence) THEN refuse('fenced') ${conflict.join(' ')} END`;
    const hasHeads = this.#heads.length > 0;
    const columns = hasHeads
      ? 'heads.workflow_id AS "workflowId", heads.log_bytes AS "logBytes"'
      : 'NULL AS "workflowId", NULL AS "logBytes"';
    const text = `WITH ${this.#parts.join(',\n')},
      checked AS MATERIALIZED (SELECT ${check} AS refused)
      SELECT ${columns} FROM checked ${hasHeads ? 'LEFT JOIN heads ON checked.refused IS NULL' : ''}`;
    return { name: shortNameOf(this.#names.join(' ')), text, parameters: this.#parameters };
  }
}

const shortNames = new Map<string, string>();

/** Names of statements have 63 characters at most. There are few: one for each set of tables that batches change. */
function shortNameOf(parts: string): string {
  const name = shortNames.get(parts) ?? `tutti-${shortNames.size}`;
  shortNames.set(parts, name);
  return name;
}

const ROW_COLUMNS: Columns<RunChange> = {
  name: ['text', ({ row }) => toPlainOrNull(row?.name ?? null)],
  namespace: ['text', ({ row }) => toPlainOrNull(row?.namespace ?? null)],
  status: ['text', ({ row }) => row?.status ?? null],
  live: ['boolean', ({ row }) => row?.live ?? null],
  workers: ['text', ({ row }) => (row === null ? null : JSON.stringify(row.workers))],
  created_at: ['text', ({ row }) => row?.createdAt ?? null],
  completed_at: ['text', ({ row }) => row?.completedAt ?? null],
  duration_ms: ['bigint', ({ row }) => (row === null ? null : durationOf(row))],
};

const LENGTH_COLUMNS: Columns<RunChange> = {
  workflow_id: ['uuid', (run) => run.workflowId],
  expected: ['int', (run) => run.expected],
  events: ['int', (run) => run.length],
  size: ['bigint', (run) => run.size],
  added: ['bigint', (run) => run.logBytes],
  lines: ['bigint', (run) => run.logLines],
  masks: ['int', (run) => run.masks],
};

function addRuns(builder: Builder, runs: readonly RunChange[]): void {
  const begun = runs.filter(({ expected }) => expected === 0);
  const shown = runs.filter(({ expected, row }) => expected > 0 && row !== null);
  const grown = runs.filter(({ expected, row }) => expected > 0 && row === null);
  const lengths = `events = t.events, events_size = r.events_size + t.size, log_bytes = r.log_bytes + t.added,
    log_lines = r.log_lines + t.lines,     masks_size = coalesce(t.masks, r.masks_size)`;
  const found = `WHERE r.workflow_id = t.workflow_id AND r.events = t.expected
    RETURNING r.workflow_id, r.log_bytes, r.log_lines, t.added`;
  if (grown.length > 0) {
    const table = builder.table(grown, LENGTH_COLUMNS);
    builder.addHeads('grown', grown.length, `UPDATE runs r SET ${lengths} FROM ${table} ${found}`);
  }
  if (shown.length > 0) {
    const table = builder.table(shown, { ...LENGTH_COLUMNS, ...ROW_COLUMNS });
    const set = Object.keys(ROW_COLUMNS).map((column) => `${column} = t.${column}`);
    const text = `UPDATE runs r SET ${lengths}, ${set.join(', ')} FROM ${table} ${found}`;
    builder.addHeads('shown', shown.length, text);
  }
  if (begun.length > 0) {
    const names = Object.keys(ROW_COLUMNS);
    const table = builder.table(begun, { ...LENGTH_COLUMNS, ...ROW_COLUMNS });
    builder.addHeads(
      'begun',
      begun.length,
      `INSERT INTO runs (workflow_id, events, events_size, log_bytes, log_lines, masks_size, ${names.join(', ')})
       SELECT t.workflow_id, t.events, t.size, t.added, t.lines, coalesce(t.masks, 0), ${names.map((name) => `t.${name}`).join(', ')}
       FROM ${table} ORDER BY t.nr ON CONFLICT DO NOTHING
       RETURNING workflow_id, log_bytes, log_lines, log_bytes AS added`,
    );
  }
  if (runs.length > 0) builder.addHeadsTable();
}

function addLog(builder: Builder, { events, logs }: BatchPlan): void {
  if (events.length > 0) {
    const table = builder.table(events, {
      workflow_id: ['uuid', (event) => event.workflowId],
      seq: ['int', (event) => event.seq],
      folds: ['boolean', (event) => event.folds],
      kind: ['text', (event) => toPlain(event.kind)],
    });
    // An array of JSON texts would have each of its quotes escaped.
    const texts = builder.parameter(events.map(({ json }) => json).join(SEPARATOR), 'text');
    const separator = builder.parameter(SEPARATOR, 'text');
    builder.add(
      'added_events',
      `INSERT INTO events (workflow_id, seq, folds, kind, json)
       SELECT t.workflow_id, t.seq, t.folds, t.kind, j.json FROM ${table}
       JOIN string_to_table(${texts}, ${separator}) WITH ORDINALITY AS j(json, nr) USING (nr)`,
    );
  }
  if (logs.length > 0) {
    builder.add(
      'added_marks',
      `INSERT INTO log_marks (workflow_id, line, byte) SELECT workflow_id, log_lines, log_bytes FROM heads
       WHERE log_lines IS NOT NULL AND (log_bytes - added) / ${LOG_MARK_BYTES} < log_bytes / ${LOG_MARK_BYTES}`,
    );
    const table = builder.table(logs, {
      workflow_id: ['uuid', (part) => part.workflowId],
      place: ['bigint', (part) => part.offset],
      bytes: ['int', (part) => part.bytes],
      content: ['bytea', (part) => part.content],
      event: ['int', (part) => part.event],
      lines_from: ['int', (part) => part.from],
      lines_to: ['int', (part) => part.to],
      prefix: ['text', (part) => toPlainOrNull(part.prefix)],
    });
    builder.add(
      'added_logs',
      `INSERT INTO log_parts (workflow_id, start, bytes, content, event, lines_from, lines_to, prefix)
       SELECT t.workflow_id, h.log_bytes - h.added + t.place, t.bytes, t.content, t.event, t.lines_from,
         t.lines_to, t.prefix FROM ${table} JOIN heads h ON h.workflow_id = t.workflow_id`,
    );
  }
}

function addParts(builder: Builder, { attachments, jobs, brokenReports }: BatchPlan): void {
  if (attachments.length > 0) {
    const table = builder.table(attachments, {
      workflow_id: ['uuid', (row) => row.workflowId],
      attachment_id: ['text', (row) => row.attachmentId],
      name: ['text', (row) => toPlain(row.name)],
      type: ['text', (row) => toPlainOrNull(row.type)],
    });
    builder.add(
      'put_attachments',
      `INSERT INTO attachments (workflow_id, attachment_id, name, type)
       SELECT t.workflow_id, t.attachment_id, t.name, t.type FROM ${table} ORDER BY t.nr
       ON CONFLICT (workflow_id, attachment_id) DO UPDATE SET name = excluded.name, type = excluded.type`,
    );
  }
  if (jobs.length > 0) {
    const table = builder.table(jobs, {
      workflow_id: ['uuid', (row) => row.workflowId],
      job_id: ['text', (row) => row.jobId],
      json: ['text', (row) => row.json],
    });
    builder.add(
      'put_jobs',
      `INSERT INTO jobs (workflow_id, job_id, json)
       SELECT t.workflow_id, t.job_id, t.json FROM ${table} ORDER BY t.nr
       ON CONFLICT (workflow_id, job_id) DO UPDATE SET json = excluded.json`,
    );
  }
  if (brokenReports.length > 0) {
    const table = builder.table(brokenReports, {
      workflow_id: ['uuid', (row) => row.workflowId],
      attachment_id: ['text', (row) => toPlain(row.attachmentId)],
      json: ['text', (row) => row.json],
    });
    builder.add(
      'put_reports',
      `INSERT INTO broken_reports (workflow_id, attachment_id, json)
       SELECT t.workflow_id, t.attachment_id, t.json FROM ${table} ORDER BY t.nr
       ON CONFLICT (workflow_id, attachment_id) DO NOTHING`,
    );
  }
}

function addSummaries(builder: Builder, { runs, summaries }: BatchPlan): void {
  const columns: Columns<PlannedSummary> = {
    workflow_id: ['uuid', (row) => row.workflowId],
    json: ['text', (row) => row.json],
    failure: ['text', (row) => row.failure],
  };
  const put = summaries.filter(({ isAdded }) => !isAdded);
  const added = summaries.filter(({ isAdded }) => isAdded);
  if (put.length > 0) {
    const linesOf = ({ workflowId }: PlannedSummary) => runs.get(workflowId)?.logLines ?? 0;
    const table = builder.table(put, {
      ...columns,
      // Lines of the batch behind the failure.
      behind: ['bigint', (row) => (row.lines === null ? null : linesOf(row) - row.lines)],
    });
    builder.add(
      'put_summaries',
      `INSERT INTO run_summaries AS s (workflow_id, json, failure, failure_line)
       SELECT t.workflow_id, t.json, t.failure, CASE WHEN t.failure IS NOT NULL THEN h.log_lines - t.behind END
       FROM ${table} JOIN heads h ON h.workflow_id = t.workflow_id
       ON CONFLICT (workflow_id) DO UPDATE SET json = excluded.json, failure = coalesce(s.failure, excluded.failure),
         failure_line = CASE WHEN s.failure IS NULL THEN excluded.failure_line ELSE s.failure_line END`,
    );
  }
  if (added.length > 0) {
    const table = builder.table(added, columns);
    builder.add(
      'added_summaries',
      `INSERT INTO run_summaries (workflow_id, json, failure) SELECT t.workflow_id, t.json, t.failure FROM ${table}
       JOIN runs r ON r.workflow_id = t.workflow_id ON CONFLICT DO NOTHING`,
    );
  }
}

function addDocuments(builder: Builder, documents: readonly DocumentWrite[]): void {
  const put = documents.filter(({ json }) => json !== null);
  const gone = documents.filter(({ json }) => json === null);
  const key: Columns<DocumentWrite> = {
    collection: ['text', (document) => toPlain(document.collection)],
    key_hash: ['bytea', (document) => keyHashOf(document.key)],
  };
  if (put.length > 0) {
    const table = builder.table(put, {
      ...key,
      key: ['text', (document) => toPlain(document.key)],
      json: ['text', ({ json }) => json],
    });
    builder.add(
      'put_documents',
      `INSERT INTO documents (collection, key_hash, key, json) SELECT t.collection, t.key_hash, t.key, t.json FROM ${table}
       ON CONFLICT (collection, key_hash) DO UPDATE SET json = excluded.json`,
    );
  }
  if (gone.length > 0) {
    builder.add(
      'gone_documents',
      `DELETE FROM documents d USING ${builder.table(gone, key)}
       WHERE d.collection = t.collection AND d.key_hash = t.key_hash`,
    );
  }
}

function addOutbox(builder: Builder, { outbox, sharedBodies, outboxDone }: BatchPlan): void {
  if (sharedBodies.length > 0) {
    const table = builder.table(sharedBodies, {
      id: ['bigint', ({ id }) => id],
      body: ['text', ({ body }) => body],
    });
    builder.add(
      'added_bodies',
      `INSERT INTO shared_bodies (id, body) SELECT t.id, t.body FROM ${table}`,
    );
  }
  if (outbox.length > 0) {
    const table = builder.table(outbox, {
      position: ['bigint', (entry) => entry.position],
      subscription_id: ['text', (entry) => entry.subscriptionId],
      publication_id: ['text', (entry) => entry.publicationId],
      bytes: ['int', (entry) => entry.bytes],
      body: ['text', (entry) => entry.body],
      shared_body: ['bigint', (entry) => entry.sharedBody],
    });
    builder.add(
      'added_entries',
      `INSERT INTO outbox (position, subscription_id, publication_id, bytes, body, shared_body)
       SELECT t.position, t.subscription_id, t.publication_id, t.bytes, t.body, t.shared_body FROM ${table}`,
    );
  }
  if (outboxDone.length > 0) {
    const done = builder.parameter(outboxDone, 'bigint[]');
    builder.add(
      'gone_entries',
      `DELETE FROM outbox WHERE position = ANY (${done}) RETURNING shared_body`,
    );
    // The rows that go are still seen here.
    builder.add(
      'gone_bodies',
      `DELETE FROM shared_bodies b WHERE b.id IN (SELECT shared_body FROM gone_entries WHERE shared_body IS NOT NULL)
         AND NOT EXISTS (SELECT FROM outbox o WHERE o.shared_body = b.id AND o.position <> ALL (${done}))`,
    );
  }
}
