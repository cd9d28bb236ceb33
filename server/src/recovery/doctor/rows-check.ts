/** Rows of the store that belong to no run. */
import type { DatabaseSync } from 'node:sqlite';
import { countOf } from '@tutti/manifests';
import { MIGRATIONS } from '../../store/sqlite/migrations.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { ROWS_PER_RUN } from '../../store/sqlite/row-ids.ts';
import { schemaOf } from '../store-copy.ts';
import type { Aside } from './aside.ts';
import { type Check, type Finding, NOT_READ } from './check.ts';
import { OLDER } from './runs-check.ts';

interface Part {
  readonly table: string;
  /** Column that its rows begin with: a number of a run, or of a row that belongs to one. */
  readonly key: string;
  readonly rowsPerRun: number;
  /** Data of test cases that is kept for later runs, beyond their own run. */
  readonly isHistory?: boolean;
}

const PARTS: readonly Part[] = [
  { table: 'events', key: 'id', rowsPerRun: ROWS_PER_RUN },
  { table: 'log_pages', key: 'id', rowsPerRun: ROWS_PER_RUN },
  { table: 'log_parts', key: 'run', rowsPerRun: 1 },
  { table: 'log_marks', key: 'run', rowsPerRun: 1 },
  { table: 'test_cases', key: 'id', rowsPerRun: ROWS_PER_RUN },
  { table: 'test_case_history', key: 'test_case', rowsPerRun: ROWS_PER_RUN },
  { table: 'test_executions', key: 'test_case', rowsPerRun: ROWS_PER_RUN, isHistory: true },
  { table: 'test_case_keys', key: 'run', rowsPerRun: 1, isHistory: true },
  { table: 'attachments', key: 'run', rowsPerRun: 1 },
  { table: 'jobs', key: 'run', rowsPerRun: 1 },
  { table: 'test_case_counts', key: 'run', rowsPerRun: 1 },
  { table: 'broken_reports', key: 'run', rowsPerRun: 1 },
  { table: 'run_summaries', key: 'run', rowsPerRun: 1 },
];

export const rowsCheck: Check = {
  name: 'rows',
  about: 'rows of the store that belong to no run',
  run({ db, aside }) {
    if (db === null) return NOT_READ;
    if (schemaOf(db) < MIGRATIONS.length) return { ...NOT_READ, notes: [OLDER] };
    const leaving = countIn(db, 'forgotten_runs');
    const strays = straysIn(db);
    return {
      facts: { documents: countIn(db, 'documents'), 'waiting for inboxes': countIn(db, 'outbox') },
      notes:
        leaving === 0 ? [] : [`${countOf(leaving, 'run')} of which rows are still to be removed.`],
      findings: [
        ...lostBodies(db, aside),
        ...[...strays].map(
          ([run, tables]): Finding => ({
            what: `Rows of run ${run}, which is not there, are in ${tables.join(', ')}.`,
            repair: 'has the server remove them after its next start',
            advice: null,
            mend: () => {
              aside.keepDatabase(db);
              db.prepare('INSERT OR IGNORE INTO forgotten_runs (id) VALUES (?)').run(run);
            },
          }),
        ),
      ],
    };
  },
};

function countIn(db: DatabaseSync, table: string): number {
  const query = prepareQuery<{ readonly count: number }>(
    db,
    `SELECT count(*) AS count FROM ${table}`,
  );
  return query.get()?.count ?? 0;
}

/** Tables by the numbers of runs that have rows there, and nothing else. */
function straysIn(db: DatabaseSync): ReadonlyMap<number, readonly string[]> {
  const strays = new Map<number, string[]>();
  db.exec('BEGIN');
  try {
    for (const part of PARTS) {
      const query = prepareQuery<{ readonly run: number }>(db, straysQuery(part));
      for (const { run } of query.all()) {
        strays.set(run, [...(strays.get(run) ?? []), part.table]);
      }
    }
    return strays;
  } finally {
    db.exec('COMMIT');
  }
}

/** Steps from one run to the next by the key, so that it does not read every row. */
function straysQuery({ table, key, rowsPerRun, isHistory = false }: Part): string {
  const known = ['workflows', 'forgotten_runs'].map((name) => `SELECT id FROM ${name}`);
  if (isHistory) known.push('SELECT run FROM test_runs');
  return `
    WITH RECURSIVE runs (run) AS (
      SELECT min(${key}) / ${rowsPerRun} FROM ${table}
      UNION ALL
      SELECT (SELECT min(${key}) / ${rowsPerRun} FROM ${table} WHERE ${key} >= (runs.run + 1) * ${rowsPerRun})
      FROM runs WHERE runs.run IS NOT NULL
    )
    SELECT run FROM runs WHERE run IS NOT NULL AND run NOT IN (${known.join(' UNION ')})`;
}

const WITHOUT_BODY =
  'outbox WHERE shared_body IS NOT NULL AND shared_body NOT IN (SELECT id FROM shared_bodies)';
const WITHOUT_ENTRY =
  'shared_bodies WHERE id NOT IN (SELECT shared_body FROM outbox WHERE shared_body IS NOT NULL)';

function lostBodies(db: DatabaseSync, aside: Aside): readonly Finding[] {
  const removal = (rows: string): (() => void) => {
    return () => {
      aside.keepDatabase(db);
      db.exec(`DELETE FROM ${rows}`);
    };
  };
  const entries = countOfRows(db, WITHOUT_BODY);
  const bodies = countOfRows(db, WITHOUT_ENTRY);
  return [
    ...(entries === 0
      ? []
      : [
          {
            what: `${countOf(entries, 'entry')} of the outbox cannot be delivered: the publication is not there.`,
            repair: 'removes them',
            advice: null,
            mend: removal(WITHOUT_BODY),
          },
        ]),
    ...(bodies === 0
      ? []
      : [
          {
            what: `${countOf(bodies, 'publication')} in the store waits for no inbox.`,
            repair: 'removes it',
            advice: null,
            mend: removal(WITHOUT_ENTRY),
          },
        ]),
  ];
}

function countOfRows(db: DatabaseSync, rows: string): number {
  const query = prepareQuery<{ readonly count: number }>(
    db,
    `SELECT count(*) AS count FROM ${rows}`,
  );
  return query.get()?.count ?? 0;
}
