/**
 * Sends batches through the one connection of the writer. A connection that breaks leaves a batch in doubt, which is sent again on a new one.
 * The number in the row of the writer says whether the first attempt was stored.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
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
import { connect, end, query } from './connection.ts';
import { codeOf, isFullDisk, isLost, isUnsent, unavailable } from './database-failure.ts';
import type { DatabasePlace } from './database-place.ts';
import { hideExecutions, hideRuns } from './forget.ts';
import type { PostgresLimits } from './limits.ts';
import { writeTestCases } from './test-case-writer.ts';

/** The server may not write any more: another one took the database, or the database lost confirmed batches. */
export class WriterLost extends Error {
  override readonly name = 'WriterLost';
}

export interface BatchWriterOptions {
  readonly place: DatabasePlace;
  readonly limits: PostgresLimits;
  /** Null of a replica that does not write yet: `become` gives it one. */
  readonly writer: number | null;
  /** The database is away for longer than requests wait. Called again and again. */
  readonly onAway: (refusal: Error, isFirst: boolean) => void;
}

/** One batch, without its number. */
interface Batch {
  readonly plan: BatchPlan;
  /** Further statements, in one transaction with the first. */
  readonly after: ((client: Client) => Promise<void>) | null;
}

type Prepare = (client: Client) => Promise<Batch>;

/** Held by the server that owns the database, against accidents. */
export const OWNER_LOCK = 0x54755374;

/** Positions of the outbox that are drawn at a time. */
const POSITIONS = 1_024;
const NOTHING = { firstPosition: 0, removed: [] };

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #client: Client | null;
  #writer: number | null;
  #batch = 0;
  #positions = { next: 0, end: 0 };
  #awaySinceMs: number | null = null;
  /** Told of the time away. */
  #isAway = false;
  #isClosing = false;

  constructor(client: Client, options: BatchWriterOptions) {
    this.#client = this.#watched(client);
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

  /** The database waits for nobody who is away: what is in doubt stays so. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    await query(client, 'DELETE FROM writers WHERE writer = $1', [this.#writer]).catch(
      () => undefined,
    );
    await client.end().catch(() => undefined);
  }

  /** A wait for the database ends now, with a refusal. */
  giveUp(): void {
    this.#isClosing = true;
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
      const seq = await this.#patiently(find);
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
    const after = async (connection: Client) => {
      for (const run of tested) await writeTestCases(connection, run, this.#options.limits);
    };
    return { plan, after: tested.length === 0 ? null : after };
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
    const batch = await this.#patiently(prepare);
    const number = this.#batch + 1;
    for (let isInDoubt = false; ; ) {
      try {
        const client = await this.#connected(isInDoubt);
        if (isInDoubt && (await this.#isStored(client, number))) {
          this.#batch = number;
          return batch.plan.answers(await logBytesOf(client, batch.plan));
        }
        const logBytes = await this.#send(client, batch, number);
        this.#batch = number;
        return batch.plan.answers(logBytes);
      } catch (error) {
        if (isLost(error)) {
          isInDoubt ||= !isUnsent(error);
          this.#drop();
          continue;
        }
        if (error instanceof WriterLost || refusalOf(error) !== null) throw error;
        // A refused batch of a connection before may be stored meanwhile.
        const isOther = await this.#patientlyStored(number);
        if (!isOther) throw error;
        this.#batch = number;
        return batch.plan.answers(
          await this.#patiently((client) => logBytesOf(client, batch.plan)),
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
    const [row] = await query<{ readonly alive: boolean; readonly batch: number }>(
      client,
      'SELECT alive, batch FROM writers WHERE writer = $1',
      [this.#writer],
    );
    if (row === undefined || row.batch < number - 1) {
      throw new WriterLost(
        'The database has lost batches that it had confirmed, as after a failover to a standby that lagged.',
      );
    }
    if (!row.alive) throw new WriterLost('Another server has taken the database.');
    return row.batch === number;
  }

  #patientlyStored(number: number): Promise<boolean> {
    return this.#patiently((client) => this.#isStored(client, number));
  }

  /** Work that stores nothing of a batch. It is done again where a connection breaks. */
  async #patiently<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work(await this.#connected(false));
      } catch (error) {
        if (!isLost(error)) throw error;
        this.#drop();
      }
    }
  }

  /** The connection, or a new one. A wait ends after a time, with a refusal, unless something is in doubt. */
  async #connected(isInDoubt: boolean): Promise<Client> {
    const { place, limits, onAway } = this.#options;
    while (this.#client === null) {
      try {
        const client = await connectWriter(place, limits);
        // Whether it is ours again or not: the row of the writer is what counts. Replicas share the lock elsewhere.
        if (this.#options.writer !== null)
          await query(client, 'SELECT pg_try_advisory_lock($1)', [OWNER_LOCK]);
        this.#client = this.#watched(client);
      } catch (error) {
        this.#awaySinceMs ??= performance.now();
        const refusal = unavailable(error);
        if (this.#isOverdue()) {
          onAway(refusal, !this.#isAway);
          this.#isAway = true;
        }
        if (this.#isClosing || (!isInDoubt && this.#isOverdue())) throw refusal;
        await delay(limits.retryMs);
      }
    }
    this.#awaySinceMs = null;
    this.#isAway = false;
    return this.#client;
  }

  /** A connection that ends while nothing is sent leaves nothing in doubt. */
  #watched(client: Client): Client {
    client.on('end', () => {
      if (this.#client === client) this.#drop();
    });
    return client;
  }

  #isOverdue(): boolean {
    const since = this.#awaySinceMs;
    return since !== null && performance.now() - since > this.#options.limits.patienceMs;
  }

  #drop(): void {
    if (this.#client !== null) end(this.#client);
    this.#client = null;
    this.#awaySinceMs ??= performance.now();
  }
}

/**
 * The plan of a batch is kept while tables grow. So it has to use indexes, also where tables are small. A server that stands still within a
 * transaction keeps its row locked. The one that takes over would wait for it.
 */
export async function connectWriter(place: DatabasePlace, limits: PostgresLimits): Promise<Client> {
  const client = await connect(place, limits, limits.batchMs);
  await client.query(
    `SET enable_seqscan = off; SET random_page_cost = 0.1; SET idle_in_transaction_session_timeout = ${limits.idleTransactionMs}`,
  );
  return client;
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
