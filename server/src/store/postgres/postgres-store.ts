/** The store in a PostgreSQL database. One connection writes, many operations per statement; others read. */
import { setTimeout as delay } from 'node:timers/promises';
import { isOrchestratorError, OrchestratorError, type WorkflowId } from '@tutti/manifests';
import type { Client } from 'pg';
import type { Clock } from '../../runtime/clock.ts';
import type { Meters } from '../../runtime/meters.ts';
import type { DatabaseStore } from '../database-signs.ts';
import type { WriterOperation } from '../writes/operations.ts';
import { OutboxWatches } from '../writes/outbox-watch.ts';
import { RecentLogs } from '../writes/recent-logs.ts';
import { submittedWrites } from '../writes/submitted-writes.ts';
import { WriteQueue } from '../writes/write-queue.ts';
import { BatchWriter, WriterLost } from './batch-writer.ts';
import { connectChecked } from './checked-connection.ts';
import { end, query, ReadConnections } from './connection.ts';
import { createSigns, noteLostWriter } from './create-signs.ts';
import { connectProblem, startProblem } from './database-failure.ts';
import { type DatabasePlace, parseDatabasePlace } from './database-place.ts';
import { createEarlierExecutionsReader } from './earlier-executions-reader.ts';
import { Purger, SELECT_EXPIRED } from './forget.ts';
import { POSTGRES_LIMITS, type PostgresLimits } from './limits.ts';
import { createLogReader, createPlaceReader } from './log-reader.ts';
import { migrate, usableSchema } from './migrate.ts';
import { dayOf, makePartitions } from './partitions.ts';
import { createRead, createSnapshot, type Read } from './read.ts';
import { createRecordReader } from './record-reader.ts';
import { createRunReader } from './run-reader.ts';
import { createSummaryReader } from './summary-reader.ts';
import { createTestCaseReader } from './test-case-reader.ts';
import { createHistoryReader } from './test-history-reader.ts';
import { setUpWriter, tryLock, WriterConnection } from './writer-connection.ts';

export interface PostgresStoreOptions {
  /** Address of the database, without a password. */
  readonly url: string;
  readonly limits?: Partial<PostgresLimits>;
  /** Called once when nothing can be written any more: the server had better end. */
  readonly onFailure?: (error: Error) => void;
  /** Called once each time the database is away for longer than requests wait. */
  readonly onAway?: (error: Error) => void;
  /** Measures how long batches take until they are stored. */
  readonly meter?: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly meters: Pick<Meters, 'commitSeconds' | 'commitOperations' | 'database'>;
  };
  /** The time of day, for partitions. */
  readonly now?: () => number;
}

/** The store of a replica. It answers reads, and refuses changes until the replica is the active one. */
export interface ReplicaStore extends DatabaseStore {
  /** Writes from now on, as the writer of that number. Until `hasBegun`, nothing is refused because the database is away: it waits. */
  beginWriting(writer: number): void;
  /** From now on, what waits for a database that is away is refused in time. */
  hasBegun(): void;
  /** The writer may end at any time now, which is no failure. */
  endWriting(): void;
}

/** Opens the store. Throws with the problem and what to do where the database cannot be used, or another server uses it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<DatabaseStore> {
  return await open(options, false);
}

/** The same for one of several servers that share the database. */
export async function openReplicaStore(options: PostgresStoreOptions): Promise<ReplicaStore> {
  return await open(options, true);
}

async function open(options: PostgresStoreOptions, isShared: boolean): Promise<ReplicaStore> {
  const limits = { ...POSTGRES_LIMITS, ...options.limits };
  const place = parseDatabasePlace(options.url);
  const client = await connectChecked(place, limits);
  try {
    await setUpWriter(client, limits);
    await ownDatabase(client, { isShared, address: place.address, waitMs: limits.ownerWaitMs });
    const reads = new ReadConnections(place, limits);
    const cleaning = new ReadConnections(place, {
      ...limits,
      readConnectionsMax: 1,
      patienceMs: limits.cleaningMs,
    });
    const partitions = new Partitions(cleaning, limits.partitionDays, options.now ?? Date.now);
    await migrate(client, place.address, () => partitions.make(client));
    const writer = isShared ? null : await takeOver(client);
    return await createStore(options, {
      ...{ place, limits, reads, cleaning, client, isShared, writer, partitions },
    });
  } catch (error) {
    end(client);
    throw startProblem(error, place.address) ?? error;
  }
}

/** The problem with a database, for `tutti doctor`; null if there is none. A server may use it meanwhile. */
export async function lookAtDatabase(url: string): Promise<string | null> {
  const place = parseDatabasePlace(url);
  try {
    const client = await connectChecked(place, POSTGRES_LIMITS);
    try {
      await usableSchema(client, place.address);
      return null;
    } finally {
      await client.end();
    }
  } catch (error) {
    if (isOrchestratorError(error)) return error.message;
    return connectProblem(error, place.address);
  }
}

const OWNER_POLL_MS = 100;

interface Owning {
  readonly isShared: boolean;
  readonly address: string;
  readonly waitMs: number;
}

/** Replicas share the lock, so that no server without `cluster.address` comes between. */
export async function ownDatabase(
  client: Client,
  { isShared, address, waitMs }: Owning,
): Promise<void> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    if (await tryLock(client, isShared)) return;
    if (performance.now() >= untilMs) break;
    await delay(OWNER_POLL_MS);
  }
  const what = isShared
    ? `Another server uses the database ${address} alone. Give it a cluster.address, too, and start it again.`
    : `Another server uses the database ${address}. Stop that server, or give this one a database of its own. Servers that share a database need cluster.address.`;
  throw new OrchestratorError('Conflict', what);
}

/** From now on no batch of another writer passes. A batch under way is waited for. */
async function takeOver(client: Client): Promise<number> {
  await query(client, 'UPDATE writers SET alive = false WHERE alive');
  await query(client, 'DELETE FROM writers WHERE NOT alive');
  const [row] = await query<{ readonly writer: number }>(
    client,
    'INSERT INTO writers DEFAULT VALUES RETURNING writer',
  );
  if (row === undefined) throw new Error('The database gave no writer.');
  return row.writer;
}

interface Opened {
  readonly place: DatabasePlace;
  readonly limits: PostgresLimits;
  readonly reads: ReadConnections;
  /** For work that nobody waits for. */
  readonly cleaning: ReadConnections;
  readonly client: Client;
  readonly isShared: boolean;
  /** Null while there is none. */
  readonly writer: number | null;
  readonly partitions: Partitions;
}

/** Time between two tries while a table is in use, in milliseconds. */
const PARTITION_RETRY_MS = 60_000;

/** Makes the partitions of coming days, when a day begins. */
class Partitions {
  readonly #reads: ReadConnections;
  readonly #days: number;
  readonly #now: () => number;
  /** The day that the last ones were made on. */
  #last = 0;
  #triedMs = 0;

  constructor(reads: ReadConnections, days: number, now: () => number) {
    this.#reads = reads;
    this.#days = days;
    this.#now = now;
  }

  async make(client: Client): Promise<void> {
    const today = dayOf(this.#now());
    const isWhole = await makePartitions(
      client,
      Array.from({ length: this.#days }, (_, ahead) => today + ahead),
    );
    if (isWhole) this.#last = today;
  }

  /** Before runs begin. It is tried again after a failure: there are partitions for days to come. */
  lookAhead(): void {
    const now = this.#now();
    if (dayOf(now) === this.#last || now - this.#triedMs < PARTITION_RETRY_MS) return;
    this.#triedMs = now;
    this.#reads.use((client) => this.make(client)).catch(() => undefined);
  }
}

async function createQueue(
  { meter, onFailure, onAway }: PostgresStoreOptions,
  { place, limits, client, isShared, writer, partitions, cleaning, reads }: Opened,
) {
  const outbox = new OutboxWatches();
  const recent = new RecentLogs(limits.recentLogBytesMax);
  const ending = { isExpected: false };
  const queue: WriteQueue = new WriteQueue({
    limits,
    answered: (operation, answer) => {
      outbox.show(operation, answer);
      recent.show(operation, answer);
    },
    send: (operations) => void send(operations),
  });
  const meters = meter?.meters.database;
  const connection = new WriterConnection({
    place,
    limits,
    isShared,
    meters,
    onAway: (refusal, isFirst) => {
      if (!reads.isPatient) queue.refuseWaiting(refusal);
      if (isFirst) onAway?.(refusal);
    },
  });
  await connection.use(client);
  const batches = new BatchWriter({ connection, limits, writer, meters });
  const send = async (operations: readonly WriterOperation[]) => {
    partitions.lookAhead();
    const sentAtMs = meter?.clock.monotonicMs() ?? 0;
    try {
      const answers = await connection.watch(() => batches.write(operations));
      meter?.meters.commitSeconds.observe((meter.clock.monotonicMs() - sentAtMs) / 1000);
      meter?.meters.commitOperations.observe(answers.length);
      queue.answered(answers);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      const isNews = !ending.isExpected;
      if (isNews && failure instanceof WriterLost) await noteLostWriter(cleaning, failure.reason);
      queue.fail(failure instanceof WriterLost ? unavailable(failure) : failure);
      if (isNews) onFailure?.(failure);
    }
  };
  return { queue, batches, connection, outbox, recent, ending };
}

/** The refusal for clients: another replica can do now what this one cannot. */
const unavailable = (cause: WriterLost): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    `${cause.message} This change may be stored or not. Try again.`,
    { cause },
  );

type Reader = ReturnType<typeof createReader>;

function createReader(reads: ReadConnections, recent: RecentLogs, limits: PostgresLimits) {
  const read = createRead(reads);
  const readLog = createLogReader(read);
  return {
    ...createRunReader(read, limits),
    log: async (workflowId: WorkflowId, start: number, end: number) =>
      recent.read(workflowId, start, end) ?? (await readLog(workflowId, start, end)),
    ...createSummaryReader(read),
    logPlace: createPlaceReader(read),
    ...createTestCaseReader(read, limits),
    ...createEarlierExecutionsReader(createSnapshot(reads), limits),
    ...createHistoryReader(read),
    ...createRecordReader(read),
  };
}

/** Open until `close` is called; from then on every call rejects. */
async function createStore(options: PostgresStoreOptions, opened: Opened): Promise<ReplicaStore> {
  const { place, limits, reads, cleaning } = opened;
  const writing = await createQueue(options, opened);
  const { queue, batches, connection, outbox, recent, ending } = writing;
  const purger = new Purger(cleaning, options.now ?? Date.now);
  const read = createRead(reads);
  let closing: Promise<void> | null = null;
  const assertOpen = () => {
    if (closing !== null) throw new Error('The store is closed.');
  };
  const { storedFigures, ...reader } = guarded(createReader(reads, recent, limits), assertOpen);
  const submit: WriteQueue['submit'] = async (operation, size) => {
    assertOpen();
    if (!batches.isWriting) throw new OrchestratorError('ServiceUnavailable', NOT_ACTIVE);
    return await queue.submit(operation, size);
  };
  const close = async () => {
    const giveUp = setTimeout(() => {
      connection.giveUp();
      void cleaning.giveUp();
    }, limits.patienceMs);
    await Promise.all([queue.drained(), purger.stop()]);
    clearTimeout(giveUp);
    await Promise.all([batches.close(), reads.close(), cleaning.close()]);
  };
  // A stopped server may have left rows of forgotten runs. A failure leaves them for the next start.
  const purge = () => void purger.run().catch(() => undefined);
  if (batches.isWriting) purge();
  return {
    ...reader,
    beginWriting: (writer) => {
      batches.become(writer);
      reads.isPatient = true;
      purge();
    },
    hasBegun: () => {
      reads.isPatient = false;
    },
    endWriting: () => {
      ending.isExpected = true;
    },
    database: createSigns({ place, queue, connection, read }),
    followLog: (workflowId) => recent.follow(workflowId),
    figures: async () => ({ waitingOperations: queue.waiting, ...(await storedFigures()) }),
    watchOutbox: (watch) => outbox.add(watch),
    ...submittedWrites(submit),
    expectWrites: () => {},
    forget: async (workflowIds) => {
      assertOpen();
      if (workflowIds.length === 0) return;
      await submit({ kind: 'forget', workflowIds }, 0);
      await purger.run();
    },
    forgetExecutions: async (before) => {
      assertOpen();
      if (await hasExpired(read, before)) await submit({ kind: 'forget-executions', before }, 0);
      await purger.run();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

const NOT_ACTIVE = 'Another replica is the active one, which alone makes changes.';

async function hasExpired(read: Read, before: string): Promise<boolean> {
  const [row] = await read<{ readonly found: boolean }>(SELECT_EXPIRED, [before]);
  return row?.found === true;
}

/** The same reads, which reject once the store is closed. */
function guarded(reader: Reader, assertOpen: () => void): Reader {
  const reads = Object.entries(reader).map(([name, read]) => {
    // Each is called with what its own type says.
    const call = read as (...given: readonly unknown[]) => unknown;
    const guardedRead = async (...given: readonly unknown[]) => {
      assertOpen();
      return await call(...given);
    };
    return [name, guardedRead];
  });
  return Object.fromEntries(reads);
}
