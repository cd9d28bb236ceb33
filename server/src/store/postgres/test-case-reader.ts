/** Reads of the test cases of a run. */
import type { WorkflowId } from '@tutti/manifests';
import type { StoredTestCase, TestCaseSummary } from '../store.ts';
import { SEPARATOR } from './batch-statement.ts';
import type { PostgresLimits } from './limits.ts';
import type { Read } from './read.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

interface StoredRow extends Omit<StoredTestCase, 'history' | 'place'> {
  readonly total: number;
  /** Null where the page is empty. */
  readonly place: number | null;
  readonly history: string | null;
}

const HISTORY = 'FROM test_case_history h WHERE h.workflow_id = $1 AND h.place = c.place';

/** Rows up to a size, and the first one whatever its size. Sizes are read of headers, without the texts. */
const selectPage = (size: string, columns: string) =>
  `SELECT r.test_cases AS total, p.* FROM runs r LEFT JOIN LATERAL (
     SELECT ${columns} FROM (
       SELECT place, job_id, outcome, json, executions, counting, sum(${size}) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - ${size} AS before
       FROM test_cases c WHERE workflow_id = $1 AND place >= $2 AND place < $3
     ) c WHERE c.before < $4::bigint) p ON true
   WHERE r.workflow_id = $1 ORDER BY p.place`;

const SELECT_CASES = selectPage(
  `(octet_length(json) + CASE WHEN executions > 1 THEN (SELECT coalesce(sum(octet_length(h.json)), 0) ${HISTORY}) ELSE 0 END)`,
  `place, job_id AS "jobId", outcome, json, executions, counting, CASE WHEN executions > 1 THEN
     (SELECT string_agg(h.json, '${SEPARATOR}' ORDER BY h.execution) ${HISTORY}) END AS history`,
);
const SELECT_MANIFESTS = selectPage('octet_length(json)', 'place, json');

export function createTestCaseReader(read: Read, { testCasesLengthMax }: PostgresLimits) {
  const pageOf = async (
    text: string,
    workflowId: WorkflowId,
    [offset, limit]: readonly [number, number],
  ): Promise<Page<StoredRow>> => {
    const from = Math.max(0, offset);
    const to = Math.min(from + limit, 2 ** 31 - 1);
    const rows = await read<StoredRow>(text, [workflowId, from, to, testCasesLengthMax]);
    const items = rows[0]?.place == null ? [] : rows;
    return { items, total: rows[0]?.total ?? 0 };
  };
  return {
    async testCases(workflowId: WorkflowId, offset: number, limit: number) {
      const { items, total } = await pageOf(SELECT_CASES, workflowId, [offset, limit]);
      return { items: items.map(testCaseOf), total };
    },
    async testCaseManifests(workflowId: WorkflowId, offset: number, limit: number) {
      const { items } = await pageOf(SELECT_MANIFESTS, workflowId, [offset, limit]);
      return items.map(({ json }) => json);
    },
    testCaseSummary: (workflowId: WorkflowId): Promise<readonly TestCaseSummary[]> =>
      read(
        `SELECT c.job_id AS "jobId", c.outcome, c.count FROM test_case_counts c
         JOIN runs r ON r.workflow_id = c.workflow_id WHERE c.workflow_id = $1 AND c.count > 0`,
        [workflowId],
      ),
  };
}

function testCaseOf({
  place,
  jobId,
  outcome,
  json,
  executions,
  counting,
  history,
}: StoredRow): StoredTestCase {
  const others = history === null ? [] : history.split(SEPARATOR);
  return { place: place ?? 0, jobId, outcome, json, executions, counting, history: others };
}
