/** Reads lists of runs, with what the summary of each says. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { WorkflowId } from '@tutti/manifests';
import { likePattern, RECENT_LIMITS } from '../run-query.ts';
import type { RunConditions, RunOrder, RunQuery, SummarizedRun } from '../store.ts';
import { createQueries, prepareQuery, type Reads } from './query.ts';

export type SummaryReader = Reads<
  'summarizedRuns' | 'countRuns' | 'recentDurations' | 'unsummarizedRuns'
>;

interface StoredSummary extends Omit<SummarizedRun, 'tests'> {
  readonly tests: string | null;
}

const ORDERS = {
  started: 'id',
  name: 'name',
  duration: 'duration_ms',
  failures: 'failures',
} as const satisfies Record<RunOrder, string>;

/** The rows of a list are found first: those that are passed over need no summary. */
const selectRows = (where: string, { order, isDescending }: RunQuery): string => {
  const direction = isDescending ? 'DESC' : 'ASC';
  const sorted = (table: string) =>
    `ORDER BY ${table}.${ORDERS[order]} ${direction}, ${table}.id ${direction}`;
  return `SELECT w.id AS place, w.workflow_id AS workflowId, w.name, w.namespace, w.status, w.created_at AS createdAt,
     w.completed_at AS completedAt, s.json AS summary, s.failure,
     s.failure_line AS failureLine,
     (SELECT json_group_object(outcome, n) FROM (SELECT outcome, sum(count) AS n FROM test_case_counts
        WHERE run = w.id GROUP BY outcome HAVING n > 0)) AS tests
   FROM (SELECT f.id FROM workflows f ${where} ${sorted('f')} LIMIT ? OFFSET ?) p
   CROSS JOIN workflows w ON w.id = p.id LEFT JOIN run_summaries s ON s.run = w.id ${sorted('w')}`;
};

export function createSummaryReader(db: DatabaseSync): SummaryReader {
  const rows = createQueries<StoredSummary>(db);
  const counts = createQueries<{ readonly total: number }>(db);
  return {
    summarizedRuns(query) {
      const { where, values } = whereOf(query);
      const found = rows(selectRows(where, query)).all(...values, query.limit, query.offset);
      return found.map(({ tests, ...run }) => ({ ...run, tests: JSON.parse(tests ?? '{}') }));
    },
    countRuns(query) {
      const { where, values } = whereOf(query);
      return (
        counts(`SELECT count(*) AS total FROM workflows f ${where}`).get(...values)?.total ?? 0
      );
    },
    recentDurations: createDurationsQuery(db),
    unsummarizedRuns: createUnsummarizedQuery(db),
  };
}

function whereOf(query: RunConditions) {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...given: readonly SQLInputValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  const among = (column: string, list: readonly (string | number)[]) =>
    add(`f.${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(list));
  const { namespaces, statuses, name, search, since, until, before, places } = query;
  if (namespaces !== undefined) among('namespace', namespaces);
  if (statuses !== undefined) among('status', statuses);
  if (places !== undefined) among('id', places);
  if (name !== undefined) add('f.name = ?', name);
  if (search !== undefined) {
    const pattern = likePattern(search);
    add(`(f.name LIKE ? ESCAPE '\\' OR f.workflow_id LIKE ? ESCAPE '\\')`, pattern, pattern);
  }
  if (since !== undefined) add('f.created_at >= ?', since);
  if (until !== undefined) add('f.created_at < ?', until);
  if (before !== undefined) add('f.id < ?', before);
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}

function createDurationsQuery(db: DatabaseSync): SummaryReader['recentDurations'] {
  const query = prepareQuery<{ readonly ms: number }>(
    db,
    `SELECT duration_ms AS ms FROM (SELECT id, duration_ms, status FROM workflows
       WHERE namespace = ? AND name = ? ORDER BY id DESC LIMIT ${RECENT_LIMITS.looks})
     WHERE status = 'DONE' ORDER BY id DESC LIMIT ${RECENT_LIMITS.durations}`,
  );
  return (names) =>
    names.map(({ namespace, name }) => query.all(namespace, name).map(({ ms }) => ms));
}

function createUnsummarizedQuery(db: DatabaseSync): SummaryReader['unsummarizedRuns'] {
  const query = prepareQuery<{
    readonly place: number;
    readonly id: WorkflowId;
    readonly has: 0 | 1;
  }>(
    db,
    `SELECT w.id AS place, w.workflow_id AS id, s.run IS NOT NULL AS has
     FROM workflows w LEFT JOIN run_summaries s ON s.run = w.id WHERE w.id < ? ORDER BY w.id DESC LIMIT ?`,
  );
  return (before, looks) => {
    const rows = query.all(before, looks);
    const items = rows.flatMap(({ id, has }) => (has === 0 ? [id] : []));
    return { items, place: rows.at(-1)?.place ?? null };
  };
}
