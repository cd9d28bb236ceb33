/** Reads of the test cases of a run. */
import type { DatabaseSync } from 'node:sqlite';
import type { WorkflowId } from '@tutti/manifests';
import type { StoredTestCase, TestCaseSummary } from '../store.ts';
import { prepareQuery } from './query.ts';
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

export interface TestCaseReader {
  testCases(workflowId: WorkflowId, offset: number, limit: number): Page<StoredTestCase>;
  testCaseManifests(workflowId: WorkflowId, offset: number, limit: number): readonly string[];
  testCaseSummary(workflowId: WorkflowId): readonly TestCaseSummary[];
}

export function createTestCaseReader(db: DatabaseSync, snapshot: Snapshot): TestCaseReader {
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
  const readManifests = pageOf(createManifestQuery(db));
  return {
    testCases: pageOf(createPageQuery(db)),
    testCaseManifests: (...query) => readManifests(...query).items,
    testCaseSummary: (workflowId) => summary.all(workflowId),
  };
}

function createManifestQuery(db: DatabaseSync): ReadPage<string> {
  const manifests = prepareQuery<{ readonly json: string }>(
    db,
    'SELECT json FROM test_cases WHERE id BETWEEN ? AND ? ORDER BY id',
  );
  return (run, from, to) =>
    manifests.all(rowId(run, from), rowId(run, to - 1)).map(({ json }) => json);
}

function createPageQuery(db: DatabaseSync): ReadPage<StoredTestCase> {
  const cases = prepareQuery<TestCaseOfRun>(
    db,
    `SELECT id, job_id AS jobId, outcome, json, executions
     FROM test_cases WHERE id BETWEEN ? AND ? ORDER BY id`,
  );
  const earlier = prepareQuery<{ readonly id: number; readonly json: string }>(
    db,
    `SELECT test_case AS id, json FROM test_case_history
     WHERE test_case BETWEEN ? AND ? ORDER BY test_case, execution`,
  );
  return (run, from, to) => {
    const range = [rowId(run, from), rowId(run, to - 1)] as const;
    const history = Map.groupBy(earlier.all(...range), (row) => row.id);
    // Each by its name: copying the rest of a row takes longer than reading it.
    return cases.all(...range).map(({ id, jobId, outcome, json, executions }) => ({
      place: rowNumber(id),
      jobId,
      outcome,
      json,
      executions,
      history: history.get(id)?.map((row) => row.json) ?? NO_HISTORY,
    }));
  };
}
