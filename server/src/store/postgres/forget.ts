/**
 * Forgetting a run has two parts. It is hidden at once, in a batch of the writer. Its rows then go on another connection, so that no write
 * waits. Days without runs go first, with all their rows. Rows that are left when the server stops go after the next start.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import type { Client } from 'pg';
import { RUN_MASKS } from '../store.ts';
import { query, type ReadConnections } from './connection.ts';
import { keyHashOf } from './key-hash.ts';
import type { PostgresLimits } from './limits.ts';
import { dayOf, dropEmptyDays } from './partitions.ts';

export async function hideRuns(
  client: Client,
  workflowIds: readonly WorkflowId[],
  { testRunsMax }: Pick<PostgresLimits, 'testRunsMax'>,
): Promise<void> {
  await query(
    client,
    `WITH gone AS (DELETE FROM runs WHERE workflow_id = ANY ($1) RETURNING workflow_id)
     INSERT INTO forgotten_runs SELECT workflow_id FROM gone ON CONFLICT DO NOTHING`,
    [workflowIds],
  );
  // A run that is no longer among the newest of its name keeps nothing.
  await query(
    client,
    `DELETE FROM test_runs t WHERE t.workflow_id = ANY ($1) AND EXISTS (
       SELECT FROM test_runs newer WHERE newer.name_hash = t.name_hash AND newer.run > t.run LIMIT 1 OFFSET $2)`,
    [workflowIds, testRunsMax - 1],
  );
  await query(client, 'DELETE FROM documents WHERE collection = $1 AND key_hash = ANY ($2)', [
    RUN_MASKS,
    workflowIds.map(keyHashOf),
  ]);
}

export async function hideExecutions(client: Client, before: Timestamp): Promise<void> {
  await query(
    client,
    `WITH gone AS (DELETE FROM test_runs t WHERE ${EXPIRED} RETURNING workflow_id)
     INSERT INTO forgotten_runs SELECT workflow_id FROM gone ON CONFLICT DO NOTHING`,
    [before],
  );
}

/** Forgotten runs that were made before a time: their executions have had theirs. */
const EXPIRED =
  't.created_at < $1 AND NOT EXISTS (SELECT FROM runs r WHERE r.workflow_id = t.workflow_id)';

export const SELECT_EXPIRED = `SELECT EXISTS (SELECT FROM test_runs t WHERE ${EXPIRED}) AS found`;

const TABLES: readonly string[] = [
  'events',
  'log_parts',
  'log_marks',
  'attachments',
  'jobs',
  'broken_reports',
  'test_cases',
  'test_case_history',
  'test_case_counts',
  'run_summaries',
];

export class Purger {
  readonly #reads: ReadConnections;
  readonly #now: () => number;
  #last: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(reads: ReadConnections, now: () => number) {
    this.#reads = reads;
    this.#now = now;
  }

  /** Resolves when the rows of all runs that are forgotten by now are gone. */
  run(): Promise<void> {
    const next = this.#last.catch(() => undefined).then(() => this.#purge());
    this.#last = next;
    return next;
  }

  /** Waits for the run under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#last.catch(() => undefined);
  }

  async #purge(): Promise<void> {
    if (this.#isStopped) return;
    await this.#reads.use((client) => dropEmptyDays(client, dayOf(this.#now())));
    while (!this.#isStopped) {
      const isMore = await this.#reads.use(purgeOne);
      if (!isMore) return;
    }
  }
}

/** False when there is none. */
async function purgeOne(client: Client): Promise<boolean> {
  const [run] = await query<{ readonly workflowId: string; readonly isKept: boolean }>(
    client,
    `SELECT f.workflow_id AS "workflowId", t.workflow_id IS NOT NULL AS "isKept"
     FROM forgotten_runs f LEFT JOIN test_runs t ON t.workflow_id = f.workflow_id LIMIT 1`,
  );
  if (run === undefined) return false;
  const { workflowId, isKept } = run;
  for (const table of isKept ? TABLES : [...TABLES, 'test_executions']) {
    await query(client, `DELETE FROM ${table} WHERE workflow_id = $1`, [workflowId]);
  }
  await query(client, 'DELETE FROM forgotten_runs WHERE workflow_id = $1', [workflowId]);
  return true;
}
