/** The history of tests. Both stores have the same tables with the same numbers. */
import type { DatabaseSync } from 'node:sqlite';
import type { CopiedRow, CopiedTable } from '../../store/postgres/copied-table.ts';
import {
  type NumberedExecution,
  packExecutions,
  partOf,
} from '../../store/postgres/execution-parts.ts';
import { toPlain } from '../../store/postgres/plain-text.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { uuidOf } from '../../store/test-history-codes.ts';
import { table } from './source-table.ts';

type Columns = CopiedTable['columns'];

const FIGURES: Columns = {
  state: 'int',
  flake_rate: 'float8',
  failures: 'int',
  executions: 'int',
  duration_ms: 'float8',
  last_failed_ms: 'bigint',
};

const TABLES = {
  tested_runs: {
    run: 'bigint',
    workflow_id: 'uuid',
    namespace: 'text',
    project: 'text',
    name: 'text',
    version: 'text',
    branch: 'text',
    is_main: 'boolean',
    created_at: 'text',
    places: 'text',
    mass_jobs: 'text',
    executions: 'bigint',
    only_failed: 'bigint',
    is_folded: 'boolean',
  },
  tests: {
    id: 'bigint',
    uuid: 'uuid',
    namespace: 'text',
    project: 'text',
    technology: 'text',
    suite: 'text',
    name: 'text',
    first_run: 'bigint',
    last_run: 'bigint',
    ...FIGURES,
    impact: 'int',
  },
  test_variants: {
    id: 'bigint',
    uuid: 'uuid',
    test: 'bigint',
    job: 'text',
    function: 'text',
    ...FIGURES,
  },
  test_ledgers: { variant: 'bigint', bytes: 'bytea' },
  test_journal: {
    id: 'bigint',
    at_ms: 'bigint',
    test: 'bigint',
    variant: 'bigint',
    kind: 'text',
    json: 'text',
    until_ms: 'bigint',
  },
  causes: {
    id: 'bigint',
    uuid: 'uuid',
    namespace: 'text',
    project: 'text',
    title: 'text',
    sample: 'text',
    first_failure: 'text',
    first_run: 'bigint',
    since_run: 'bigint',
    last_run: 'bigint',
    since_ms: 'bigint',
    last_ms: 'bigint',
    failures: 'bigint',
  },
  cause_keys: { key: 'bytea', cause: 'bigint' },
  cause_variants: { cause: 'bigint', variant: 'bigint', failures: 'int', last_run: 'bigint' },
  cause_runs: { cause: 'bigint', run: 'bigint', place: 'int', failures: 'int' },
} as const satisfies Readonly<Record<string, Columns>>;

type Stored = string | number | Uint8Array | null;

export const historyTables = (db: DatabaseSync): readonly CopiedTable[] => [
  ...Object.entries(TABLES).map(([name, columns]) =>
    table<Readonly<Record<string, Stored>>>(
      [db, name, columns],
      `SELECT ${Object.keys(columns).join(', ')} FROM ${name}`,
      (row) => Object.entries(columns).map(([column, type]) => cellOf(row[column] ?? null, type)),
    ),
  ),
  executionParts(db),
];

/** Here each execution has a row, in the order of runs and variants. There each part of a run has one. */
function executionParts(db: DatabaseSync): CopiedTable {
  const executions = prepareQuery<NumberedExecution & { readonly run: number }>(
    db,
    `SELECT run, variant, attempt, outcome, place, started_ms AS startedMs, duration_us AS durationUs
     FROM executions ORDER BY run, variant, attempt`,
  );
  function* rows() {
    let part: { readonly run: number; readonly part: number } | null = null;
    let found: NumberedExecution[] = [];
    for (const execution of executions.iterate()) {
      const next = { run: execution.run, part: partOf(execution.variant) };
      if (part !== null && (part.run !== next.run || part.part !== next.part)) {
        yield [part.run, part.part, packExecutions(found)];
        found = [];
      }
      part = next;
      found.push(execution);
    }
    if (part !== null) yield [part.run, part.part, packExecutions(found)];
  }
  const columns = { run: 'bigint', part: 'bigint', bytes: 'bytea' } as const;
  return { name: 'execution_parts', columns, rows };
}

function cellOf(value: Stored, type: Columns[string] | undefined): CopiedRow[number] {
  if (type === 'boolean') return value === 1;
  if (type === 'uuid' && value instanceof Uint8Array) return uuidOf(value);
  return type === 'text' && typeof value === 'string' ? toPlain(value) : value;
}
