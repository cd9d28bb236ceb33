/** Writes the test cases of a run, in the transaction of their events. */
import { parseTimestamp } from '@tutti/manifests';
import type { Client } from 'pg';
import { createKeyHash, type HashKey } from '../test-case-keys.ts';
import type { RunChange } from './batch-plan.ts';
import { query } from './connection.ts';
import { nameHashOf } from './key-hash.ts';
import type { PostgresLimits } from './limits.ts';
import { type StoredCase, type StoredExecution, TestCaseChanges } from './test-case-changes.ts';

type Limits = Pick<PostgresLimits, 'testCaseHistoryMax' | 'testRunsMax'>;

export async function writeTestCases(
  client: Client,
  { workflowId, tests }: RunChange,
  limits: Limits,
): Promise<void> {
  const hashKey = createKeyHash();
  const [run] = await query<HeadOfRun>(
    client,
    'SELECT place, name, namespace, created_at AS "createdAt", test_cases AS count FROM runs WHERE workflow_id = $1',
    [workflowId],
  );
  if (run === undefined) throw new Error('A run has test cases and no row.');
  const known = await knownCases(client, workflowId, keysOf(tests, hashKey));
  const changes = new TestCaseChanges(run.count, known, limits.testCaseHistoryMax);
  for (const { cases, errors } of tests) {
    for (const row of cases) changes.addExecution(bufferOf(hashKey(row.key)), row);
    for (const row of errors) changes.addErrors(bufferOf(hashKey(row.key)), row);
  }
  if (run.count === 0 && changes.count > 0)
    await beginHistory(client, { workflowId, ...run }, limits);
  await writeCases(client, workflowId, changes);
  await writeExecutions(client, workflowId, changes);
}

interface HeadOfRun {
  readonly place: number;
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: string;
  readonly count: number;
}

const bufferOf = (key: Uint8Array): Buffer => Buffer.from(key);

function keysOf(tests: RunChange['tests'], hashKey: HashKey): readonly Buffer[] {
  const keys = tests.flatMap(({ cases, errors }) => [...cases, ...errors]);
  return keys.map(({ key }) => bufferOf(hashKey(key)));
}

async function knownCases(client: Client, workflowId: string, keys: readonly Buffer[]) {
  const cases = await query<StoredCase>(
    client,
    `SELECT key, place, job_id AS "jobId", outcome, json, executions, precedence, counting
     FROM test_cases WHERE workflow_id = $1 AND key = ANY ($2)`,
    [workflowId, keys],
  );
  const repeated = cases.filter(({ executions }) => executions > 1).map(({ place }) => place);
  if (repeated.length === 0) return { cases, history: [] };
  const history = await query<StoredExecution>(
    client,
    `SELECT place, execution, json FROM test_case_history WHERE workflow_id = $1 AND place = ANY ($2)`,
    [workflowId, repeated],
  );
  return { cases, history };
}

async function writeCases(
  client: Client,
  workflowId: string,
  changes: TestCaseChanges,
): Promise<void> {
  const { cases, history, counts, dropped } = changes;
  await query(
    client,
    `INSERT INTO test_cases (workflow_id, place, key, job_id, outcome, executions, precedence, counting, json)
     SELECT $1, * FROM unnest($2::int[], $3::bytea[], $4::text[], $5::text[], $6::int[], $7::bigint[], $8::int[], $9::text[])
     ON CONFLICT (workflow_id, place) DO UPDATE SET job_id = excluded.job_id, outcome = excluded.outcome,
       executions = excluded.executions, precedence = excluded.precedence, counting = excluded.counting, json = excluded.json`,
    [
      workflowId,
      cases.map(({ place }) => place),
      cases.map(({ key }) => key),
      cases.map(({ jobId }) => jobId),
      cases.map(({ outcome }) => outcome),
      cases.map(({ executions }) => executions),
      cases.map(({ precedence }) => precedence),
      cases.map(({ counting }) => counting),
      cases.map(({ json }) => json),
    ],
  );
  if (history.length > 0) {
    await query(
      client,
      `INSERT INTO test_case_history (workflow_id, place, execution, json)
       SELECT $1, * FROM unnest($2::int[], $3::int[], $4::text[])
       ON CONFLICT (workflow_id, place, execution) DO UPDATE SET json = excluded.json`,
      [
        workflowId,
        history.map(({ place }) => place),
        history.map(({ execution }) => execution),
        history.map(({ json }) => json),
      ],
    );
  }
  if (dropped.length > 0) {
    await query(
      client,
      `DELETE FROM test_case_history h USING unnest($2::int[], $3::int[]) AS t(place, before)
       WHERE h.workflow_id = $1 AND h.place = t.place AND h.execution < t.before`,
      [workflowId, dropped.map(({ place }) => place), dropped.map(({ before }) => before)],
    );
  }
  await query(
    client,
    `WITH counted AS (INSERT INTO test_case_counts AS c (workflow_id, job_id, outcome, count)
       SELECT $1, * FROM unnest($2::text[], $3::text[], $4::int[])
       ON CONFLICT (workflow_id, job_id, outcome) DO UPDATE SET count = c.count + excluded.count)
     UPDATE runs SET test_cases = $5, failures = failures + $6, unfolded = events WHERE workflow_id = $1`,
    [
      workflowId,
      counts.map(({ jobId }) => jobId),
      counts.map(({ outcome }) => outcome),
      counts.map(({ count }) => count),
      changes.count,
      failuresIn(counts),
    ],
  );
}

/** Difference in the number of test cases that failed. */
const failuresIn = (counts: TestCaseChanges['counts']): number =>
  counts.reduce(
    (sum, { outcome, count }) => sum + (outcome === 'failure' || outcome === 'error' ? count : 0),
    0,
  );

async function writeExecutions(
  client: Client,
  workflowId: string,
  { executions, dropped }: TestCaseChanges,
): Promise<void> {
  const microseconds = (text: string) => Math.round((parseTimestamp(text) ?? 0) * 1_000);
  await query(
    client,
    `INSERT INTO test_executions (workflow_id, key, execution, place, outcome, duration_ms, started_us, ended_us, precedence)
     SELECT $1, * FROM unnest($2::bytea[], $3::int[], $4::int[], $5::text[], $6::float8[], $7::bigint[], $8::bigint[], $9::bigint[])`,
    [
      workflowId,
      executions.map(({ key }) => key),
      executions.map(({ execution }) => execution),
      executions.map(({ place }) => place),
      executions.map(({ row }) => row.outcome),
      executions.map(({ row }) => row.durationMs),
      executions.map(({ row }) => microseconds(row.startedAt)),
      executions.map(({ row }) => microseconds(row.endedAt)),
      executions.map(({ row }) => row.precedence),
    ],
  );
  if (dropped.length === 0) return;
  await query(
    client,
    `DELETE FROM test_executions e USING unnest($2::bytea[], $3::int[], $4::int[]) AS t(key, before, counting)
     WHERE e.workflow_id = $1 AND e.key = t.key AND e.execution < t.before AND e.execution <> t.counting`,
    [
      workflowId,
      dropped.map(({ key }) => key),
      dropped.map(({ before }) => before),
      dropped.map(({ counting }) => counting),
    ],
  );
}

/** Its executions count for later runs from now on. The run that is no longer among the newest of its name goes, if only its history is left. */
async function beginHistory(
  client: Client,
  { workflowId, place, name, namespace, createdAt }: HeadOfRun & { readonly workflowId: string },
  { testRunsMax }: Limits,
): Promise<void> {
  const nameHash = nameHashOf({ namespace, name });
  // A forgotten run with this id may have left some.
  await query(client, 'DELETE FROM test_executions WHERE workflow_id = $1', [workflowId]);
  await query(
    client,
    `INSERT INTO test_runs (workflow_id, run, name_hash, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workflow_id) DO UPDATE SET run = excluded.run, name_hash = excluded.name_hash, created_at = excluded.created_at`,
    [workflowId, place, nameHash, createdAt],
  );
  await query(
    client,
    `WITH surplus AS (DELETE FROM test_runs WHERE workflow_id IN (
         SELECT workflow_id FROM test_runs WHERE name_hash = $1 ORDER BY run DESC LIMIT 1 OFFSET $2)
       AND NOT EXISTS (SELECT FROM runs WHERE runs.workflow_id = test_runs.workflow_id) RETURNING workflow_id)
     INSERT INTO forgotten_runs SELECT workflow_id FROM surplus ON CONFLICT DO NOTHING`,
    [nameHash, testRunsMax],
  );
}
