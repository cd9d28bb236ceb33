/** Reads of the test cases of a run. */
import type { DatabaseSync } from 'node:sqlite';
import type { WorkflowId } from '@tutti/manifests';
import type { StoredTestCase, TestCaseSummary } from '../store.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareQuery, type Reads } from './query.ts';
import { rowId, rowNumber } from './row-ids.ts';
import type { Snapshot } from './snapshot.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Test cases number `from` to `to` (exclusive) of a run, which are their places in the list. */
type ReadPage<Item> = (run: number, from: number, to: number) => readonly Item[];

type ReadRunPage<Item> = (workflowId: WorkflowId, offset: number, limit: number) => Page<Item>;

interface TestCaseOfRun extends Omit<StoredTestCase, 'history' | 'place'> {
  readonly id: number;
}

const NO_HISTORY: readonly string[] = [];

export type TestCaseReader = Reads<'testCases' | 'testCaseManifests' | 'testCaseSummary'>;

/** Rows that are read at a time, until there is enough text. */
const ROWS = 50;

export function createTestCaseReader(
  db: DatabaseSync,
  snapshot: Snapshot,
  { testCasesLengthMax: lengthMax }: Pick<SqliteLimits, 'testCasesLengthMax'>,
): TestCaseReader {
  const count = prepareQuery<{ readonly run: number; readonly total: number }>(
    db,
    'SELECT id AS run, test_cases AS total FROM workflows WHERE workflow_id = ?',
  );
  const summary = prepareQuery<TestCaseSummary>(
    db,
    `SELECT c.job_id AS jobId, c.outcome, c.count
     FROM test_case_counts c JOIN workflows w ON w.id = c.run WHERE w.workflow_id = ? AND c.count > 0`,
  );
  const pageOf = <Item>(readPage: ReadPage<Item>): ReadRunPage<Item> => {
    return (workflowId, offset, limit) =>
      snapshot(() => {
        const known = count.get(workflowId);
        if (known === undefined) return { items: [], total: 0 };
        const from = Math.max(0, offset);
        const to = Math.min(from + limit, known.total);
        return { items: from < to ? readPage(known.run, from, to) : [], total: known.total };
      });
  };
  const readManifests = pageOf(createManifestQuery(db, lengthMax));
  return {
    testCases: pageOf(createPageQuery(db, lengthMax)),
    testCaseManifests: (...query) => readManifests(...query).items,
    testCaseSummary: (workflowId) => summary.all(workflowId),
  };
}

function createManifestQuery(db: DatabaseSync, lengthMax: number): ReadPage<string> {
  const manifests = prepareQuery<{ readonly json: string }>(
    db,
    'SELECT json FROM test_cases WHERE id BETWEEN ? AND ? ORDER BY id',
  );
  return (run, from, to) => {
    const items: string[] = [];
    let length = 0;
    for (let at = from; at < to; at += ROWS) {
      for (const { json } of manifests.all(...idsOf(run, at, Math.min(at + ROWS, to)))) {
        items.push(json);
        length += json.length;
        if (length >= lengthMax) return items;
      }
    }
    return items;
  };
}

const idsOf = (run: number, from: number, to: number): [number, number] => [
  rowId(run, from),
  rowId(run, to - 1),
];

function createPageQuery(db: DatabaseSync, lengthMax: number): ReadPage<StoredTestCase> {
  const cases = prepareQuery<TestCaseOfRun>(
    db,
    `SELECT id, job_id AS jobId, outcome, json, executions, coalesce(counting, executions) AS counting
     FROM test_cases WHERE id BETWEEN ? AND ? ORDER BY id`,
  );
  const earlier = prepareQuery<{ readonly id: number; readonly json: string }>(
    db,
    `SELECT test_case AS id, json FROM test_case_history
     WHERE test_case BETWEEN ? AND ? ORDER BY test_case, execution`,
  );
  const withHistory = (rows: readonly TestCaseOfRun[]): readonly StoredTestCase[] => {
    const [first, last] = [rows[0]?.id ?? 0, rows.at(-1)?.id ?? 0];
    const history = Map.groupBy(earlier.all(first, last), (row) => row.id);
    // Each by its name: copying the rest of a row takes longer than reading it.
    return rows.map(({ id, jobId, outcome, json, executions, counting }) => ({
      place: rowNumber(id),
      jobId,
      outcome,
      json,
      executions,
      counting,
      history: history.get(id)?.map((row) => row.json) ?? NO_HISTORY,
    }));
  };
  return (run, from, to) => {
    const items: StoredTestCase[] = [];
    let length = 0;
    for (let at = from; at < to; at += ROWS) {
      const rows = cases.all(...idsOf(run, at, Math.min(at + ROWS, to)));
      for (const group of groupsOf(rows)) {
        for (const item of withHistory(group)) {
          items.push(item);
          length += lengthOf(item);
          if (length >= lengthMax) return items;
        }
      }
    }
    return items;
  };
}

const lengthOf = ({ json, history }: StoredTestCase): number =>
  history.reduce((sum, text) => sum + text.length, json.length);

/** Neighbours that have so many executions together, or one that has more. */
function* groupsOf(rows: readonly TestCaseOfRun[]): Generator<readonly TestCaseOfRun[]> {
  let start = 0;
  let executions = 0;
  for (const [index, row] of rows.entries()) {
    if (index > start && executions + row.executions > ROWS) {
      yield rows.slice(start, index);
      start = index;
      executions = 0;
    }
    executions += row.executions;
  }
  if (start < rows.length) yield rows.slice(start);
}
