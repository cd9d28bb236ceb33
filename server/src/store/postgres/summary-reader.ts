/** Reads lists of runs, with what the summary of each says. */
import type { WorkflowId } from '@tutti/manifests';
import { likePattern, RECENT_LIMITS } from '../run-query.ts';
import type { RunConditions, RunName, RunOrder, RunQuery, SummarizedRun } from '../store.ts';
import type { Parameter } from './connection.ts';
import { fromPlain, toPlain } from './plain-text.ts';
import type { Read } from './read.ts';

const ORDERS = {
  started: 'place',
  name: 'name',
  duration: 'duration_ms',
  failures: 'failures',
} as const satisfies Record<RunOrder, string>;

interface StoredSummary extends Omit<SummarizedRun, 'tests'> {
  readonly tests: SummarizedRun['tests'] | null;
}

/** The rows of a list are found first: those that are passed over need no summary. */
const selectRows = (where: string, { order, isDescending }: RunQuery): string => {
  const direction = isDescending ? 'DESC' : 'ASC';
  const sorted = (table: string) =>
    `ORDER BY ${table}.${ORDERS[order]} ${direction}, ${table}.place ${direction}`;
  return `SELECT r.place, r.workflow_id AS "workflowId", r.name, r.namespace, r.status, r.created_at AS "createdAt",
     r.completed_at AS "completedAt", s.json AS summary, s.failure,
     s.failure_line AS "failureLine",
     (SELECT json_object_agg(c.outcome, c.n) FROM (SELECT outcome, sum(count) AS n FROM test_case_counts
        WHERE workflow_id = r.workflow_id GROUP BY outcome HAVING sum(count) > 0) c) AS tests
   FROM (SELECT f.* FROM runs f ${where} ${sorted('f')} LIMIT $1 OFFSET $2) r
   LEFT JOIN run_summaries s ON s.workflow_id = r.workflow_id ${sorted('r')}`;
};

export function createSummaryReader(read: Read) {
  return {
    async summarizedRuns(query: RunQuery): Promise<readonly SummarizedRun[]> {
      const { where, values } = whereOf(query, [query.limit, query.offset]);
      const rows = await read<StoredSummary>(selectRows(where, query), values);
      return rows.map(({ tests, name, namespace, ...run }) => ({
        ...run,
        name: fromPlain(name),
        namespace: fromPlain(namespace),
        tests: tests ?? {},
      }));
    },
    async countRuns(query: RunConditions): Promise<number> {
      const { where, values } = whereOf(query, []);
      const [row] = await read<{ readonly total: number }>(
        `SELECT count(*) AS total FROM runs f ${where}`,
        values,
      );
      return row?.total ?? 0;
    },
    async recentDurations(names: readonly RunName[]): Promise<readonly (readonly number[])[]> {
      const rows = await read<{ readonly durations: readonly number[] | null }>(
        `SELECT (SELECT json_agg(d.duration_ms) FROM (
           SELECT l.duration_ms FROM (SELECT place, duration_ms, status FROM runs
             WHERE namespace = t.namespace AND name = t.name ORDER BY place DESC LIMIT ${RECENT_LIMITS.looks}) l
           WHERE l.status = 'DONE' ORDER BY l.place DESC LIMIT ${RECENT_LIMITS.durations}) d) AS durations
         FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t(namespace, name, nr) ORDER BY t.nr`,
        [names.map((each) => toPlain(each.namespace)), names.map((each) => toPlain(each.name))],
      );
      return rows.map(({ durations }) => durations ?? []);
    },
    async unsummarizedRuns(before: number, looks: number) {
      const rows = await read<{
        readonly place: number;
        readonly id: WorkflowId;
        readonly has: boolean;
      }>(
        `SELECT r.place, r.workflow_id AS id, s.workflow_id IS NOT NULL AS has
         FROM runs r LEFT JOIN run_summaries s ON s.workflow_id = r.workflow_id
         WHERE r.place < $1 ORDER BY r.place DESC LIMIT $2`,
        [before, looks],
      );
      const items = rows.flatMap(({ id, has }) => (has ? [] : [id]));
      return { items, place: rows.at(-1)?.place ?? null };
    },
  };
}

function whereOf(query: RunConditions, first: readonly Parameter[]) {
  const conditions: string[] = [];
  const values: Parameter[] = [...first];
  const add = (condition: (place: string) => string, value: Parameter) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const { namespaces, statuses, name, search, since, until, before, places } = query;
  if (namespaces !== undefined) {
    add((list) => `f.namespace = ANY (${list}::text[])`, namespaces.map(toPlain));
  }
  if (statuses !== undefined) add((list) => `f.status = ANY (${list}::text[])`, statuses);
  if (places !== undefined) add((list) => `f.place = ANY (${list}::bigint[])`, places);
  if (name !== undefined) add((text) => `f.name = ${text}`, toPlain(name));
  if (search !== undefined) {
    const either = (text: string) =>
      `(f.name ILIKE ${text} OR f.workflow_id::text LIKE lower(${text}))`;
    add(either, likePattern(toPlain(search)));
  }
  if (since !== undefined) add((time) => `f.created_at >= ${time}`, since);
  if (until !== undefined) add((time) => `f.created_at < ${time}`, until);
  if (before !== undefined) add((place) => `f.place < ${place}`, before);
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
