/**
 * Sends batches through the one connection of the writer. A connection that breaks leaves a batch in doubt, which is sent again on a new one.
 * The number in the row of the writer says whether the first attempt was stored.
 */
import type { Client } from 'pg';
import type { DatabaseMeters, LostWriter } from '../../runtime/meters.ts';
import type { WriterAnswer, WriterOperation } from '../writes/operations.ts';
import {
  type BatchPlan,
  outboxDoneOf,
  outboxEntriesOf,
  type PlannedOperation,
  planBatch,
  type RemovedEntry,
} from './batch-plan.ts';
import { type StatementRow, statementOf } from './batch-statement.ts';
import { query } from './connection.ts';
import { codeOf, isFullDisk, isLost, isUnsent } from './database-failure.ts';
import { hideExecutions, hideRuns } from './forget.ts';
import type { PostgresLimits } from './limits.ts';
import { writeTestCases } from './test-case-writer.ts';
import { writeHistory } from './test-history-writer.ts';
import type { WriterConnection } from './writer-connection.ts';

/** The server may not write any more: another one took the database, or the database lost confirmed batches. */
export class WriterLost extends Error {
  override readonly name = 'WriterLost';
  readonly reason: LostWriter;

  constructor(reason: LostWriter) {
    super(WHY_LOST[reason]);
    this.reason = reason;
  }
}

const WHY_LOST: Readonly<Record<LostWriter, string>> = {
  taken: 'Another server has taken the database.',
  'went-back':
    'The database has lost batches that it had confirmed, as after a failover to a standby that lagged.',
};

export interface BatchWriterOptions {
  readonly connection: WriterConnection;
  readonly limits: PostgresLimits;
  /** Null of a replica that does not write yet: `become` gives it one. */
  readonly writer: number | null;
  readonly meters?: DatabaseMeters | undefined;
}

/** One batch, without its number. */
interface Batch {
  readonly plan: BatchPlan;
  /** Further statements, in one transaction with the first. */
  readonly after: ((client: Client) => Promise<void>) | null;
}

interface StoredWriter {
  /** Null where the database does not have the writer. */
  readonly alive: boolean | null;
  readonly batch: number | null;
  readonly newest: number | null;
}

const NO_WRITER: StoredWriter = { alive: null, batch: null, newest: null };

type Prepare = (client: Client) => Promise<Batch>;

/** Positions of the outbox that are drawn at a time. */
const POSITIONS = 1_024;
const NOTHING = { firstPosition: 0, removed: [] };

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  readonly #connection: WriterConnection;
  #writer: number | null;
  #batch = 0;
  #positions = { next: 0, end: 0 };

  constructor(options: BatchWriterOptions) {
    this.#connection = options.connection;
    this.#options = options;
    this.#writer = options.writer;
  }

  get isWriting(): boolean {
    return this.#writer !== null;
  }

  /** Writes as that writer, whose row is of this replica alone, from now on. */
  become(writer: number): void {
    this.#writer = writer;
  }

  /** Answers in the order of the operations. Rejects with `WriterLost` when nothing can be written any more. */
  async write(operations: readonly WriterOperation[]): Promise<readonly WriterAnswer[]> {
    const answers: WriterAnswer[] = [];
    for (let at = 0; at < operations.length; ) {
      const planned = plannedFrom(operations, at);
      const [next] = operations.slice(at, at + 1);
      if (planned.length > 0) answers.push(...(await this.#writeAll(planned)));
      else if (next !== undefined) answers.push(await this.#forget(next));
      at += Math.max(1, planned.length);
    }
    return answers;
  }

  async close(): Promise<void> {
    await this.#connection.close((client) =>
      query(client, 'DELETE FROM writers WHERE writer = $1', [this.#writer]),
    );
  }

  /** An operation that fails takes nothing else with it: the others are then written one by one. */
  async #writeAll(operations: readonly PlannedOperation[]): Promise<readonly WriterAnswer[]> {
    try {
      return await this.#commit((client) => this.#prepare(client, operations));
    } catch (error) {
      if (error instanceof WriterLost) throw error;
      const refusal = refusalOf(error);
      if (refusal !== null) return operations.map(() => failed(error, refusal));
      const [only] = operations;
      if (operations.length === 1 && only !== undefined) return [await this.#answerOf(only, error)];
    }
    const answers: WriterAnswer[] = [];
    for (const operation of operations) answers.push(...(await this.#writeAll([operation])));
    return answers;
  }

  /** The answer to an operation that was refused alone. */
  async #answerOf(operation: PlannedOperation, error: unknown): Promise<WriterAnswer> {
    if (operation.kind !== 'append') return failed(error);
    const { workflowId, expectedSeq } = operation.append;
    const find = async (client: Client) => {
      const found = await query<{ readonly events: number }>(
        client,
        'SELECT events FROM runs WHERE workflow_id = $1',
        [workflowId],
      );
      return found[0]?.events ?? 0;
    };
    try {
      const seq = await this.#connection.patiently(find);
      const isConflict = codeOf(error) === 'TU001' || seq !== expectedSeq;
      return isConflict ? { outcome: 'conflict', seq } : failed(error);
    } catch (other) {
      return failed(other, refusalOf(other));
    }
  }

  async #forget(operation: WriterOperation): Promise<WriterAnswer> {
    const { limits } = this.#options;
    const after = async (client: Client) => {
      if (operation.kind === 'forget') await hideRuns(client, operation.workflowIds, limits);
      if (operation.kind === 'forget-executions') await hideExecutions(client, operation.before);
    };
    try {
      await this.#commit(async () => ({ plan: planBatch([], NOTHING), after }));
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof WriterLost) throw error;
      return failed(error, refusalOf(error));
    }
  }

  async #prepare(client: Client, operations: readonly PlannedOperation[]): Promise<Batch> {
    const firstPosition = await this.#drawPositions(client, outboxEntriesOf(operations));
    const done = outboxDoneOf(operations);
    const removed = done.length === 0 ? [] : await entriesAt(client, done);
    const plan = planBatch(operations, { firstPosition, removed });
    const tested = [...plan.runs.values()].filter(({ tests }) => tests.length > 0);
    const history = operations.flatMap((operation) =>
      operation.kind === 'write' ? (operation.write.testHistory ?? []) : [],
    );
    const after = async (connection: Client) => {
      for (const run of tested) await writeTestCases(connection, run, this.#options.limits);
      for (const write of history) await writeHistory(connection, write, this.#options.limits);
    };
    return { plan, after: tested.length + history.length === 0 ? null : after };
  }

  async #drawPositions(client: Client, count: number): Promise<number> {
    if (this.#positions.end - this.#positions.next < count) {
      const drawn = Math.max(count, POSITIONS);
      const [row] = await query<{ readonly end: number }>(
        client,
        `UPDATE counters SET n = n + $1 WHERE what = 'outbox' RETURNING n AS "end"`,
        [drawn],
      );
      if (row === undefined) throw new Error('The database has no counter of the outbox.');
      this.#positions = { next: row.end - drawn, end: row.end };
    }
    const first = this.#positions.next;
    this.#positions.next += count;
    return first;
  }

  /** Stores a batch, once, whatever happens to connections. */
  async #commit(prepare: Prepare): Promise<readonly WriterAnswer[]> {
    const { meters } = this.#options;
    const batch = await this.#connection.patiently(prepare);
    const number = this.#batch + 1;
    for (let isInDoubt = false; ; ) {
      const client = await this.#connection.connected(isInDoubt);
      try {
        if (isInDoubt) {
          const isStored = await this.#isStored(client, number);
          meters?.doubts.add(isStored ? 'stored' : 'sent-again');
          if (isStored) {
            this.#batch = number;
            return batch.plan.answers(await logBytesOf(client, batch.plan));
          }
        }
        const logBytes = await this.#send(client, batch, number);
        this.#batch = number;
        return batch.plan.answers(logBytes);
      } catch (error) {
        if (isLost(error)) {
          isInDoubt ||= !isUnsent(error);
          this.#connection.drop(client, error);
          continue;
        }
        if (error instanceof WriterLost || refusalOf(error) !== null) throw error;
        // A refused batch of a connection before may be stored meanwhile.
        const isOther = await this.#patientlyStored(number);
        if (!isOther) throw error;
        this.#batch = number;
        return batch.plan.answers(
          await this.#connection.patiently((client) => logBytesOf(client, batch.plan)),
        );
      }
    }
  }

  async #send(
    client: Client,
    { plan, after }: Batch,
    number: number,
  ): Promise<ReadonlyMap<string, number>> {
    // Nothing comes before there is a writer.
    const writer = this.#writer ?? 0;
    const { name, text, parameters } = statementOf(plan, { writer, batch: number });
    const send = () => client.query<StatementRow>({ name, text, values: [...parameters] });
    if (after === null) return logBytesIn((await send()).rows);
    await query(client, 'BEGIN');
    try {
      const { rows } = await send();
      await after(client);
      await query(client, 'COMMIT');
      return logBytesIn(rows);
    } catch (error) {
      if (!isLost(error)) await query(client, 'ROLLBACK');
      throw error;
    }
  }

  /** Whether that batch is stored. Throws `WriterLost` where this writer has ended. */
  async #isStored(client: Client, number: number): Promise<boolean> {
    const writer = this.#writer ?? 0;
    const [row] = await query<StoredWriter>(
      client,
      `SELECT alive, batch, (SELECT max(writer) FROM writers) AS newest
       FROM (SELECT $1::bigint AS mine) m LEFT JOIN writers ON writer = mine`,
      [writer],
    );
    const { alive, batch, newest } = row ?? NO_WRITER;
    const isTaken = alive === false || (alive === null && newest !== null && newest > writer);
    if (isTaken) throw new WriterLost('taken');
    if (batch === null || batch < number - 1) throw new WriterLost('went-back');
    return batch === number && (await this.#isKept(client, number));
  }

  /**
   * The database shows what a synchronous standby may lack, if the connection broke while its commit waited for that standby. So a further
   * commit waits. Throws `WriterLost` where this writer has ended.
   */
  async #isKept(client: Client, number: number): Promise<true> {
    const [kept] = await query(
      client,
      'UPDATE writers SET batch = batch WHERE writer = $1 AND alive AND batch = $2 RETURNING 1',
      [this.#writer ?? 0, number],
    );
    if (kept === undefined) throw new WriterLost('taken');
    return true;
  }

  #patientlyStored(number: number): Promise<boolean> {
    return this.#connection.patiently((client) => this.#isStored(client, number));
  }
}

function plannedFrom(
  operations: readonly WriterOperation[],
  from: number,
): readonly PlannedOperation[] {
  const planned: PlannedOperation[] = [];
  for (const operation of operations.slice(from)) {
    if (operation.kind !== 'append' && operation.kind !== 'write') break;
    planned.push(operation);
  }
  return planned;
}

const entriesAt = (client: Client, positions: readonly number[]) =>
  query<RemovedEntry>(
    client,
    'SELECT position, subscription_id AS "subscriptionId", bytes FROM outbox WHERE position = ANY ($1)',
    [positions],
  );

async function logBytesOf(client: Client, { runs }: BatchPlan) {
  return logBytesIn(
    await query<StatementRow>(
      client,
      'SELECT workflow_id AS "workflowId", log_bytes AS "logBytes" FROM runs WHERE workflow_id = ANY ($1)',
      [[...runs.keys()]],
    ),
  );
}

const logBytesIn = (rows: readonly StatementRow[]): ReadonlyMap<string, number> =>
  new Map(rows.map(({ workflowId, logBytes }) => [workflowId ?? '', logBytes ?? 0]));

/** The refusal of a database that is away; null for other failures. */
const refusalOf = (error: unknown): Error | null =>
  error instanceof Error && error.name === 'OrchestratorError' ? error : null;

function failed(error: unknown, refusal: Error | null = null): WriterAnswer {
  const why = error instanceof Error ? error.message : String(error);
  const is = { isDiskFull: isFullDisk(error), isDamaged: false };
  return { outcome: 'failed', why, ...is, ...(refusal === null ? {} : { refusal }) };
}
