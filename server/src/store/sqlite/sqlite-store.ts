/**
 * The store in one SQLite file. One thread writes, many operations per transaction. Reads run at once in the calling thread, on a
 * connection of its own, and never wait for writes. A process that ends with its work writes in the calling thread too.
 */
import type { DatabaseSync } from 'node:sqlite';
import { OrchestratorError } from '@tutti/manifests';
import type { Clock } from '../../runtime/clock.ts';
import type { Meters } from '../../runtime/meters.ts';
import { nextTurn } from '../../runtime/turns.ts';
import type { Store } from '../store.ts';
import { OutboxWatches } from '../writes/outbox-watch.ts';
import { RecentLogs } from '../writes/recent-logs.ts';
import { submittedWrites } from '../writes/submitted-writes.ts';
import { WriteQueue } from '../writes/write-queue.ts';
import { isDamagedPage } from './damaged-page.ts';
import { openReader } from './database.ts';
import {
  createEarlierExecutionsReader,
  type EarlierExecutionsReader,
} from './earlier-executions-reader.ts';
import type { KeptLog } from './kept-log.ts';
import { SQLITE_LIMITS, type SqliteLimits } from './limits.ts';
import { type OwnedDatabase, ownDatabase, shareDatabase } from './owned-database.ts';
import { Purger } from './purger.ts';
import { createRecordReader, type RecordReader } from './record-reader.ts';
import { createRunReader, type RunReader } from './run-reader.ts';
import { createSnapshot } from './snapshot.ts';
import { createSummaryReader, type SummaryReader } from './summary-reader.ts';
import { createTestCaseReader, type TestCaseReader } from './test-case-reader.ts';
import { createHistoryReader, type HistoryReader } from './test-history-reader.ts';
import { createWriterClient, type WriterClient } from './writer-client.ts';

interface SqliteStoreOptions {
  /** Path of the database; its folder is made if it is missing, and is then this process's alone. */
  readonly file: string;
  readonly limits?: Partial<SqliteLimits>;
  /** Called once if the writer stops by itself. Every later write rejects, so the server had better end. */
  readonly onFailure?: (error: Error) => void;
  /** Called whenever a page of the database cannot be read. The caller that asked for it gets the error, and the store goes on. */
  readonly onDamage?: (error: Error) => void;
  /** Called once if a damaged write-ahead log was found, and kept beside the database. */
  readonly onKeptLog?: (kept: KeptLog) => void;
  /** Measures how long batches take until they are on the disk. */
  readonly meter?: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly meters: Pick<Meters, 'commitSeconds' | 'commitOperations'>;
  };
  /** For a process that ends with its work (calling-thread-writer.ts). */
  readonly writesHere?: boolean;
}

type Reader = RunReader &
  SummaryReader &
  TestCaseReader &
  EarlierExecutionsReader &
  HistoryReader &
  RecordReader;

/**
 * Opens the store. Throws `Conflict` if another server uses the folder. Also throws if the file has a newer version, or is no database of
 * ours.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file } = options;
  const limits = { ...SQLITE_LIMITS, ...options.limits };
  const owned = ownDatabase(file, limits.lockWaitMs);
  try {
    const connect = options.writesHere === true ? await writerHere(owned) : createWriterClient;
    const writing = createWriting(options, limits, connect);
    const opened = createStore(owned, openReader(file), writing, { ...options, limits });
    if (owned.keptLog !== null) options.onKeptLog?.(owned.keptLog);
    opened.tidy();
    return opened.store;
  } catch (error) {
    owned.close();
    throw error;
  }
}

/**
 * Opens a store for reading only, beside other processes that have the database. Every write rejects. Throws `Conflict` where the schema is
 * another one.
 */
export function openReadingStore(file: string): Store {
  const writing = createWriting({ file }, SQLITE_LIMITS, createWriterClient);
  const { store } = createStore(shareDatabase(file), openReader(file), writing, {
    limits: SQLITE_LIMITS,
  });
  const refuse = async () => {
    throw new OrchestratorError('ServiceUnavailable', 'Nobody writes to this data directory now.');
  };
  const refused = { append: refuse, write: refuse, forget: refuse, forgetExecutions: refuse };
  return { ...store, ...refused, expectWrites: () => {} };
}

async function writerHere({ db }: OwnedDatabase): Promise<ConnectWriter> {
  const { createCallingThreadWriter } = await import('./calling-thread-writer.ts');
  return (data, listener) => createCallingThreadWriter(db, data, listener);
}

type ConnectWriter = typeof createWriterClient;

interface Writing {
  readonly queue: WriteQueue;
  readonly writer: WriterClient;
  readonly outbox: OutboxWatches;
  readonly recent: RecentLogs;
}

function createWriting(
  { file, meter, onFailure, onDamage }: SqliteStoreOptions,
  limits: SqliteLimits,
  connect: ConnectWriter,
): Writing {
  // One batch is on its way to the writer at a time.
  let sentAtMs = 0;
  const outbox = new OutboxWatches();
  const recent = new RecentLogs(limits.recentLogBytesMax);
  const queue = new WriteQueue({
    limits,
    answered: (operation, answer) => {
      if (answer.outcome === 'failed' && answer.isDamaged) onDamage?.(new Error(answer.why));
      outbox.show(operation, answer);
      recent.show(operation, answer);
    },
    send: (operations) => {
      sentAtMs = meter?.clock.monotonicMs() ?? 0;
      writer.send(operations);
    },
  });
  const writer = connect(
    { file, limits },
    {
      answered: (answers) => {
        meter?.meters.commitSeconds.observe((meter.clock.monotonicMs() - sentAtMs) / 1000);
        meter?.meters.commitOperations.observe(answers.length);
        queue.answered(answers);
      },
      failed: (error) => {
        queue.fail(error);
        onFailure?.(error);
      },
    },
  );
  return { queue, writer, outbox, recent };
}

/** Reads of the current state, with the signatures of the store. */
type Reads = {
  readonly [Name in keyof Reader]: (
    ...query: Parameters<Reader[Name]>
  ) => Promise<ReturnType<Reader[Name]>>;
};

function createReader(db: DatabaseSync, recent: RecentLogs, limits: SqliteLimits): Reader {
  const snapshot = createSnapshot(db);
  const runs = createRunReader(db, snapshot, limits);
  return {
    ...runs,
    log: (...slice) => recent.read(...slice) ?? runs.log(...slice),
    ...createSummaryReader(db),
    ...createTestCaseReader(db, snapshot, limits),
    ...createEarlierExecutionsReader(db, snapshot, limits),
    ...createHistoryReader(db),
    ...createRecordReader(db),
  };
}

/** Open until `close` is called; from then on every call rejects. */
function createStore(
  owned: OwnedDatabase,
  db: DatabaseSync,
  { queue, writer, outbox, recent }: Writing,
  { limits, onDamage }: { readonly limits: SqliteLimits } & Pick<SqliteStoreOptions, 'onDamage'>,
): { readonly store: Store; readonly tidy: () => void } {
  const reader = createReader(db, recent, limits);
  let closing: Promise<void> | null = null;
  const assertOpen = () => {
    if (closing !== null) throw new Error('The store is closed.');
  };
  const reads = readsOf(reader, assertOpen, onDamage);
  const submit: WriteQueue['submit'] = async (operation, size) => {
    assertOpen();
    return await queue.submit(operation, size);
  };
  const purger = new Purger(
    async () => (await queue.submit({ kind: 'purge' }, 0)).outcome === 'more',
  );
  const close = async () => {
    purger.stop();
    await queue.drained();
    db.close();
    await writer.close();
    owned.close();
  };
  /** Removes what is forgotten, and merges the indexes of runs that are over, also what a stopped server has left. */
  const tidy = () => {
    // A failure is the writer's, which says so to everyone who writes; the rest stays for the next start.
    if (reader.hasUntidyRuns()) purger.run().catch(() => undefined);
  };
  const writes = submittedWrites(submit);
  const store: Store = {
    ...reads,
    history: reads.events,
    followLog: (workflowId) => recent.follow(workflowId),
    figures: async () => ({ ...(await figuresOf(reads)), waitingOperations: queue.waiting }),
    watchOutbox: (watch) => outbox.add(watch),
    ...writes,
    append: async (append) => {
      const result = await writes.append(append);
      if (append.projection.workflow?.live === false && closing === null) tidy();
      return result;
    },
    expectWrites: () => {
      if (closing === null) writer.start();
    },
    forget: async (workflowIds) => {
      assertOpen();
      if (workflowIds.length === 0) return;
      await submit({ kind: 'forget', workflowIds }, 0);
      await purger.run();
    },
    forgetExecutions: async (before) => {
      assertOpen();
      // This is asked every minute, and the thread is not to be started for nothing.
      if (reader.hasExpiredExecutions(before))
        await submit({ kind: 'forget-executions', before }, 0);
      if (reader.hasUntidyRuns()) await purger.run();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
  return { store, tidy };
}

/** Rows that are counted in one turn: some milliseconds. */
const ROWS_PER_TURN = 20_000;

async function figuresOf({ runFigures, outboxCounts }: Reads) {
  const sum = { runs: 0, events: 0 };
  for (let after: number | null = 0; after !== null; ) {
    const { runs, events, last } = await runFigures(after, ROWS_PER_TURN);
    sum.runs += runs;
    sum.events += events;
    after = runs < ROWS_PER_TURN ? null : last;
    if (after !== null) await nextTurn();
  }
  return { ...sum, outbox: await outboxCounts() };
}

function readsOf(
  reader: Reader,
  assertOpen: () => void,
  onDamage: SqliteStoreOptions['onDamage'],
): Reads {
  const reads = Object.entries(reader).map(([name, read]) => {
    // Each is called with what its own type says.
    const query = read as (...given: readonly unknown[]) => unknown;
    const guarded = async (...given: readonly unknown[]) => {
      assertOpen();
      try {
        return query(...given);
      } catch (error) {
        if (isDamagedPage(error)) onDamage?.(error);
        throw error;
      }
    };
    return [name, guarded];
  });
  return Object.fromEntries(reads);
}
