/** The rows of an SQLite store, as the tables of a PostgreSQL store have them. Each table is read once, row by row. */
import type { DatabaseSync } from 'node:sqlite';
import type { CopiedTable } from '../../store/postgres/copied-table.ts';
import { keyHashOf, nameHashOf } from '../../store/postgres/key-hash.ts';
import { toPlain, toPlainOrNull } from '../../store/postgres/plain-text.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { ROWS_PER_RUN, rowNumber } from '../../store/sqlite/row-ids.ts';
import { IDENTITY_BYTES } from '../../store/test-case-keys.ts';
import { historyTables } from './history-tables.ts';
import { logRows } from './log-rows.ts';
import { table } from './source-table.ts';

/** Rows that are left of forgotten runs stay behind. */
export function sourceTables(db: DatabaseSync): readonly CopiedTable[] {
  return [
    ...runTables(db),
    logTable(db),
    marksTable(db),
    ...partTables(db),
    ...testCaseTables(db),
    ...earlierRunTables(db),
    ...historyTables(db),
    ...recordTables(db),
  ];
}

/** Rows of a run that are numbered in it. */
const ofRuns = (columns: string, from: string, id: string): string =>
  `SELECT w.workflow_id AS run, ${columns} FROM workflows w CROSS JOIN ${from}
   ON ${id} BETWEEN w.id * ${ROWS_PER_RUN} AND w.id * ${ROWS_PER_RUN} + ${ROWS_PER_RUN - 1} ORDER BY w.id, ${id}`;

interface SourceRun {
  readonly id: number;
  readonly run: string;
  readonly name: string;
  readonly namespace: string;
  readonly status: string;
  readonly live: number;
  readonly workers: string;
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly events: number;
  readonly eventsSize: number;
  readonly logBytes: number;
  readonly testCases: number;
  readonly masks: number;
  readonly durationMs: number;
  readonly failures: number;
  readonly logLines: number | null;
  readonly unfolded: number;
}

const RUN_COLUMNS: CopiedTable['columns'] = {
  workflow_id: 'uuid',
  place: 'bigint',
  name: 'text',
  namespace: 'text',
  status: 'text',
  live: 'boolean',
  workers: 'text',
  created_at: 'text',
  completed_at: 'text',
  events: 'int',
  events_size: 'bigint',
  log_bytes: 'bigint',
  test_cases: 'int',
  masks_size: 'int',
  duration_ms: 'bigint',
  failures: 'int',
  log_lines: 'bigint',
  unfolded: 'int',
};

function runTables(db: DatabaseSync): readonly CopiedTable[] {
  const runs = table<SourceRun>(
    [db, 'runs', RUN_COLUMNS],
    `SELECT id, workflow_id AS run, name, namespace, status, live, workers, created_at AS createdAt,
       completed_at AS completedAt, events, events_size AS eventsSize, log_bytes AS logBytes,
       test_cases AS testCases, masks_size AS masks, duration_ms AS durationMs, failures, log_lines AS logLines,
       unfolded FROM workflows ORDER BY id`,
    ({ id, run, name, namespace, status, live, workers, ...more }) => [
      ...[run, id, toPlain(name), toPlain(namespace), status, live === 1, workers],
      ...[more.createdAt, more.completedAt, more.events, more.eventsSize],
      ...[more.logBytes, more.testCases, more.masks, more.durationMs, more.failures, more.logLines],
      more.unfolded,
    ],
  );
  const events = table<{
    readonly run: string;
    readonly id: number;
    readonly folds: number;
    readonly kind: string;
    readonly json: string;
  }>(
    [
      db,
      'events',
      { workflow_id: 'uuid', seq: 'int', folds: 'boolean', kind: 'text', json: 'text' },
    ],
    ofRuns('e.id, e.folds, e.kind, e.json', 'events e', 'e.id'),
    ({ run, id, folds, kind, json }) => [run, rowNumber(id), folds === 1, toPlain(kind), json],
  );
  return [runs, events];
}

function logTable(db: DatabaseSync): CopiedTable {
  return {
    name: 'log_parts',
    columns: {
      workflow_id: 'uuid',
      start: 'bigint',
      bytes: 'int',
      content: 'bytea',
      event: 'int',
      lines_from: 'int',
      lines_to: 'int',
      prefix: 'text',
    },
    rows: () => logRows(db),
  };
}

function marksTable(db: DatabaseSync): CopiedTable {
  return table<{ readonly run: string; readonly line: number; readonly byte: number }>(
    [db, 'log_marks', { workflow_id: 'uuid', line: 'bigint', byte: 'bigint' }],
    `SELECT w.workflow_id AS run, m.line, m.byte FROM workflows w JOIN log_marks m ON m.run = w.id
     ORDER BY m.run, m.line`,
    ({ run, line, byte }) => [run, line, byte],
  );
}

interface SourcePart {
  readonly run: string;
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
}

interface SourceJson {
  readonly run: string;
  readonly place: number;
  readonly id: string;
  readonly json: string;
}

function partTables(db: DatabaseSync): readonly CopiedTable[] {
  const numbered = (name: string, key: string) =>
    table<SourceJson>(
      [db, name, { workflow_id: 'uuid', place: 'bigint', [key]: 'text', json: 'text' }],
      `SELECT w.workflow_id AS run, t.id AS place, t.${key} AS id, t.json FROM ${name} t
       JOIN workflows w ON w.id = t.run ORDER BY t.id`,
      ({ run, place, id, json }) => [run, place, toPlain(id), json],
    );
  const attachments = table<SourcePart>(
    [db, 'attachments', { workflow_id: 'uuid', attachment_id: 'text', name: 'text', type: 'text' }],
    `SELECT w.workflow_id AS run, a.attachment_id AS id, a.name, a.type FROM attachments a
     JOIN workflows w ON w.id = a.run ORDER BY a.run, a.attachment_id`,
    ({ run, id, name, type }) => [run, id, toPlain(name), toPlainOrNull(type)],
  );
  return [attachments, numbered('jobs', 'job_id'), numbered('broken_reports', 'attachment_id')];
}

interface SourceCase {
  readonly run: string;
  readonly id: number;
  readonly key: Uint8Array | null;
  readonly jobId: string;
  readonly outcome: string;
  readonly executions: number;
  readonly precedence: number;
  readonly counting: number;
  readonly json: string;
}

function testCaseTables(db: DatabaseSync): readonly CopiedTable[] {
  const cases = table<SourceCase>(
    [
      db,
      'test_cases',
      {
        workflow_id: 'uuid',
        place: 'int',
        key: 'bytea',
        job_id: 'text',
        outcome: 'text',
        executions: 'int',
        precedence: 'bigint',
        counting: 'int',
        json: 'text',
      },
    ],
    ofRuns(
      `c.id, c.key, c.job_id AS jobId, c.outcome, c.executions, c.precedence,
       coalesce(c.counting, c.executions) AS counting, c.json`,
      'test_cases c',
      'c.id',
    ),
    ({ run, id, key, jobId, outcome, executions, precedence, counting, json }) => {
      const place = rowNumber(id);
      const known = key ?? unknownKey(place);
      return [run, place, known, jobId, outcome, executions, precedence, counting, json];
    },
  );
  const history = table<{
    readonly run: string;
    readonly id: number;
    readonly execution: number;
    readonly json: string;
  }>(
    [
      db,
      'test_case_history',
      { workflow_id: 'uuid', place: 'int', execution: 'int', json: 'text' },
    ],
    ofRuns('h.test_case AS id, h.execution, h.json', 'test_case_history h', 'h.test_case'),
    ({ run, id, execution, json }) => [run, rowNumber(id), execution, json],
  );
  const counts = table<{
    readonly run: string;
    readonly jobId: string;
    readonly outcome: string;
    readonly count: number;
  }>(
    [
      db,
      'test_case_counts',
      { workflow_id: 'uuid', job_id: 'text', outcome: 'text', count: 'int' },
    ],
    `SELECT w.workflow_id AS run, c.job_id AS jobId, c.outcome, c.count FROM test_case_counts c
     JOIN workflows w ON w.id = c.run`,
    ({ run, jobId, outcome, count }) => [run, jobId, outcome, count],
  );
  return [cases, history, counts];
}

/** Test cases of an early version have no key: no other run has this one. */
function unknownKey(place: number): Uint8Array {
  const key = Buffer.alloc(IDENTITY_BYTES + 4);
  key.writeUInt32BE(place, IDENTITY_BYTES);
  return key;
}

interface SourceExecution {
  readonly run: string;
  readonly key: Uint8Array;
  readonly id: number;
  readonly execution: number;
  readonly outcome: string;
  readonly durationMs: number;
  readonly startedUs: number;
  readonly endedUs: number;
  readonly precedence: number;
}

/** A forgotten run may have the id of a later one, which counts. */
const NEWEST = 't.run IN (SELECT max(run) FROM test_runs GROUP BY workflow_id)';

function earlierRunTables(db: DatabaseSync): readonly CopiedTable[] {
  const runs = table<{
    readonly id: number;
    readonly run: string;
    readonly namespace: string;
    readonly name: string;
    readonly createdAt: string;
  }>(
    [
      db,
      'test_runs',
      { workflow_id: 'uuid', run: 'bigint', name_hash: 'bytea', created_at: 'text' },
    ],
    `SELECT run AS id, workflow_id AS run, namespace, name, created_at AS createdAt FROM test_runs t
     WHERE ${NEWEST} ORDER BY id`,
    ({ id, run, namespace, name, createdAt }) => {
      const hash = nameHashOf({ namespace: toPlain(namespace), name: toPlain(name) });
      return [run, id, hash, createdAt];
    },
  );
  const executions = table<SourceExecution>(
    [
      db,
      'test_executions',
      {
        workflow_id: 'uuid',
        key: 'bytea',
        execution: 'int',
        place: 'int',
        outcome: 'text',
        duration_ms: 'float8',
        started_us: 'bigint',
        ended_us: 'bigint',
        precedence: 'bigint',
      },
    ],
    `SELECT t.workflow_id AS run, k.key, e.test_case AS id, e.execution, e.outcome, e.duration_ms AS durationMs,
       e.started_us AS startedUs, e.ended_us AS endedUs, e.precedence
     FROM test_runs t JOIN test_case_keys k ON k.run = t.run JOIN test_executions e ON e.test_case = k.test_case
     WHERE ${NEWEST}`,
    ({ run, key, id, execution, outcome, durationMs, startedUs, endedUs, precedence }) => [
      ...[run, key, execution, rowNumber(id), outcome, durationMs, startedUs, endedUs, precedence],
    ],
  );
  return [runs, executions];
}

interface SourceEntry {
  readonly position: number;
  readonly subscriptionId: string;
  readonly publicationId: string;
  readonly bytes: number;
  readonly body: string | null;
  readonly shared: number | null;
}

function recordTables(db: DatabaseSync): readonly CopiedTable[] {
  const documents = table<{
    readonly collection: string;
    readonly key: string;
    readonly json: string;
  }>(
    [db, 'documents', { collection: 'text', key_hash: 'bytea', key: 'text', json: 'text' }],
    'SELECT collection, key, json FROM documents',
    ({ collection, key, json }) => [toPlain(collection), keyHashOf(key), toPlain(key), json],
  );
  const bodies = table<{ readonly id: number; readonly body: string }>(
    [db, 'shared_bodies', { id: 'bigint', body: 'text' }],
    'SELECT id, body FROM shared_bodies',
    ({ id, body }) => [id, body],
  );
  const outbox = table<SourceEntry>(
    [
      db,
      'outbox',
      {
        position: 'bigint',
        subscription_id: 'text',
        publication_id: 'text',
        bytes: 'int',
        body: 'text',
        shared_body: 'bigint',
      },
    ],
    `SELECT o.position, o.subscription_id AS subscriptionId, o.publication_id AS publicationId,
       coalesce(s.bytes, octet_length(o.body)) AS bytes, CASE WHEN s.id IS NULL THEN o.body END AS body,
       o.shared_body AS shared
     FROM outbox o LEFT JOIN shared_bodies s ON s.id = o.shared_body`,
    ({ position, subscriptionId, publicationId, bytes, body, shared }) => [
      ...[position, subscriptionId, publicationId, bytes, body, shared],
    ],
  );
  return [documents, bodies, outbox];
}

/** Numbers that must not come back: of runs, jobs, broken reports, and entries of the outbox with their bodies. */
export function sourceNumbers(db: DatabaseSync) {
  const last = prepareQuery<{ readonly name: string; readonly seq: number }>(
    db,
    'SELECT name, seq FROM sqlite_sequence',
  ).all();
  const numberOf = (name: string) => last.find((each) => each.name === name)?.seq ?? 0;
  return {
    runs: numberOf('workflows'),
    testedRuns: numberOf('tested_runs'),
    outbox: Math.max(numberOf('outbox'), numberOf('shared_bodies')),
  };
}
