/**
 * The store in one SQLite file. One thread writes, many operations per transaction; reads run at once in the calling thread, on
 * a connection of its own, and never wait for writes. A process that ends with its work writes in the calling thread too.
 */
import type { DatabaseSync } from 'node:sqlite';
import { OrchestratorError, type Timestamp } from '@tutti/manifests';
import { delegated } from '../delegated.ts';
import type { Append, AppendResult, Store, Write } from '../store.ts';
import { type CommitMeter, CommitWatch } from './commit-watch.ts';
import { isDamagedPage } from './damaged-page.ts';
import { openReader } from './database.ts';
import {
  createEarlierExecutionsReader,
  type EarlierExecutionsReader,
} from './earlier-executions-reader.ts';
import type { KeptLog } from './kept-log.ts';
import { SQLITE_LIMITS, type SqliteLimits } from './limits.ts';
import { appendSize, writeSize } from './operation-size.ts';
import { OutboxWatches } from './outbox-watch.ts';
import { type OwnedDatabase, ownDatabase, shareDatabase } from './owned-database.ts';
import { Purger } from './purger.ts';
import { createRecordReader, type RecordReader } from './record-reader.ts';
import { createRunReader, type RunReader } from './run-reader.ts';
import { createSnapshot } from './snapshot.ts';
import { createTestCaseReader, type TestCaseReader } from './test-case-reader.ts';
import { WriteQueue } from './write-queue.ts';
import { createWriterClient, type WriterClient } from './writer-client.ts';

export interface SqliteStoreOptions {
  /** Path of the database; its folder is made if it is missing, and is then this process's alone. */
  readonly file: string;
  readonly limits?: Partial<SqliteLimits>;
  /** Called once if the writer stops by itself. Every later write rejects, so the server had better end. */
  readonly onFailure?: (error: Error) => void;
  /** Called whenever a page of the database cannot be read. What asked for it gets the error, and the store goes on. */
  readonly onDamage?: (error: Error) => void;
  /** Called once if a damaged write-ahead log was found, and kept beside the database. */
  readonly onKeptLog?: (kept: KeptLog) => void;
  readonly meter?: CommitMeter;
  /** For a process that ends with its work (calling-thread-writer.ts). */
  readonly writesHere?: boolean;
}

type Reader = RunReader & TestCaseReader & EarlierExecutionsReader & RecordReader;

/** Throws `Conflict` when another server uses the folder, or the file is of a newer version or no database of ours. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file } = options;
  const limits = { ...SQLITE_LIMITS, ...options.limits };
  const owned = ownDatabase(file, limits.lockWaitMs);
  try {
    const connect = options.writesHere === true ? await writerHere(owned) : createWriterClient;
    const writing = createWriting(options, limits, connect);
    const store = new SqliteStore(owned, openReader(file), writing, { ...options, limits });
    if (owned.keptLog !== null) options.onKeptLog?.(owned.keptLog);
    store.resumePurge();
    return store;
  } catch (error) {
    owned.close();
    throw error;
  }
}

/** For who only reads, whoever else has the database. Every write rejects. Throws `Conflict` where the schema is another one. */
export function openReadingStore(file: string): Store {
  const owned = shareDatabase(file);
  const store = new SqliteStore(
    owned,
    openReader(file),
    createWriting({ file }, SQLITE_LIMITS, createWriterClient),
    { limits: SQLITE_LIMITS },
  );
  const refuse = async () => {
    throw new OrchestratorError('ServiceUnavailable', 'Nobody writes to this data directory now.');
  };
  return {
    ...delegated(store),
    append: refuse,
    write: refuse,
    forget: refuse,
    forgetExecutions: refuse,
    expectWrites: () => {},
  };
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
}

function createWriting(
  { file, meter, onFailure, onDamage }: SqliteStoreOptions,
  limits: SqliteLimits,
  connect: ConnectWriter,
): Writing {
  const commits = meter === undefined ? null : new CommitWatch(meter);
  const outbox = new OutboxWatches();
  const queue = new WriteQueue({
    limits,
    answered: (operation, answer) => {
      if (answer.outcome === 'failed' && answer.isDamaged) onDamage?.(new Error(answer.why));
      outbox.show(operation, answer);
    },
    send: (operations) => {
      commits?.begin();
      writer.send(operations);
    },
  });
  const writer = connect(
    { file, limits },
    {
      answered: (answers) => {
        commits?.end(answers.length);
        queue.answered(answers);
      },
      failed: (error) => {
        queue.fail(error);
        onFailure?.(error);
      },
    },
  );
  return { queue, writer, outbox };
}

/** Open until `close` is called; from then on every call rejects. */
class SqliteStore implements Store {
  readonly #owned: OwnedDatabase;
  readonly #queue: WriteQueue;
  readonly #writer: WriterClient;
  readonly #outbox: OutboxWatches;
  readonly #db: DatabaseSync;
  readonly #reader: Reader;
  readonly #purger: Purger;
  readonly #onDamage: (error: Error) => void;
  #closing: Promise<void> | null = null;

  constructor(
    owned: OwnedDatabase,
    db: DatabaseSync,
    { queue, writer, outbox }: Writing,
    {
      limits,
      onDamage = () => undefined,
    }: Pick<SqliteStoreOptions, 'onDamage'> & {
      readonly limits: SqliteLimits;
    },
  ) {
    this.#onDamage = onDamage;
    this.#owned = owned;
    this.#db = db;
    this.#queue = queue;
    this.#writer = writer;
    this.#outbox = outbox;
    const snapshot = createSnapshot(db);
    this.#reader = {
      ...createRunReader(db, snapshot, limits),
      ...createTestCaseReader(db, snapshot, limits),
      ...createEarlierExecutionsReader(db, snapshot, limits),
      ...createRecordReader(db),
    };
    this.#purger = new Purger(async () => {
      const answer = await this.#queue.submit({ kind: 'purge' }, 0);
      return answer.outcome === 'more';
    });
  }

  async append(append: Append): Promise<AppendResult> {
    this.#assertOpen();
    const answer = await this.#queue.submit({ kind: 'append', append }, appendSize(append));
    const { outcome } = answer;
    if (outcome === 'appended' || outcome === 'conflict') return { outcome, seq: answer.seq };
    throw new Error(`The writer answered an append with '${answer.outcome}'.`);
  }

  async write(write: Write): Promise<void> {
    this.#assertOpen();
    await this.#queue.submit({ kind: 'write', write }, writeSize(write));
  }

  expectWrites(): void {
    if (this.#closing === null) this.#writer.start();
  }

  async forget(workflowIds: Parameters<Store['forget']>[0]): Promise<void> {
    this.#assertOpen();
    if (workflowIds.length === 0) return;
    await this.#queue.submit({ kind: 'forget', workflowIds }, 0);
    await this.#purger.run();
  }

  async forgetExecutions(before: Timestamp): Promise<void> {
    this.#assertOpen();
    // This is asked every minute, and the thread is not to be started for nothing.
    if (this.#reader.hasExpiredExecutions(before))
      await this.#queue.submit({ kind: 'forget-executions', before }, 0);
    if (this.#reader.hasForgottenRuns()) await this.#purger.run();
  }

  /** Removes what a stopped server had hidden but not removed. */
  resumePurge(): void {
    if (!this.#reader.hasForgottenRuns()) return;
    // A failure is the writer's, which says so to everyone who writes; the rest stays for the next start.
    this.#purger.run().catch(() => undefined);
  }

  workflow: Store['workflow'] = (id) => this.#read((reader) => reader.workflow(id));
  workflows: Store['workflows'] = () => this.#read((reader) => reader.workflows());
  liveWorkflowIds: Store['liveWorkflowIds'] = () =>
    this.#read((reader) => reader.liveWorkflowIds());
  surplusWorkflowIds: Store['surplusWorkflowIds'] = (surplus) =>
    this.#read((reader) => reader.surplusWorkflowIds(surplus));
  events: Store['events'] = (id, fromSeq, limit) =>
    this.#read((reader) => reader.events(id, fromSeq, limit));
  firstEvents: Store['firstEvents'] = (ids, length) =>
    this.#read((reader) => reader.firstEvents(ids, length));
  log: Store['log'] = (id, start, end) => this.#read((reader) => reader.log(id, start, end));
  attachment: Store['attachment'] = (id, attachmentId) =>
    this.#read((reader) => reader.attachment(id, attachmentId));
  jobs: Store['jobs'] = (id) => this.#read((reader) => reader.jobs(id));
  testCases: Store['testCases'] = (id, offset, limit) =>
    this.#read((reader) => reader.testCases(id, offset, limit));
  testCaseManifests: Store['testCaseManifests'] = (id, offset, limit) =>
    this.#read((reader) => reader.testCaseManifests(id, offset, limit));
  testCaseSummary: Store['testCaseSummary'] = (id) =>
    this.#read((reader) => reader.testCaseSummary(id));
  brokenReports: Store['brokenReports'] = (id, limit) =>
    this.#read((reader) => reader.brokenReports(id, limit));
  earlierExecutions: Store['earlierExecutions'] = (id, places) =>
    this.#read((reader) => reader.earlierExecutions(id, places));
  history: Store['history'] = (id, fromSeq, limit) => this.events(id, fromSeq, limit);

  document: Store['document'] = (collection, key) =>
    this.#read((reader) => reader.document(collection, key));

  documents: Store['documents'] = (collection) =>
    this.#read((reader) => reader.documents(collection));
  outbox: Store['outbox'] = (...query) => this.#read((reader) => reader.outbox(...query));
  outboxBody: Store['outboxBody'] = (position) =>
    this.#read((reader) => reader.outboxBody(position));
  outboxBytes: Store['outboxBytes'] = (position) =>
    this.#read((reader) => reader.outboxBytes(position));
  watchOutbox: Store['watchOutbox'] = (watch) => this.#outbox.add(watch);
  outboxSurplus: Store['outboxSurplus'] = (id, kept, limit) =>
    this.#read((reader) => reader.outboxSurplus(id, kept, limit));
  outboxSubscriptions: Store['outboxSubscriptions'] = () =>
    this.#read((reader) => reader.outboxSubscriptions());
  outboxSizes: Store['outboxSizes'] = () => this.#read((reader) => reader.outboxSizes());
  figures: Store['figures'] = () =>
    this.#read((reader) => ({ ...reader.figures(), waitingOperations: this.#queue.waiting }));

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#purger.stop();
    await this.#queue.drained();
    this.#db.close();
    await this.#writer.close();
    this.#owned.close();
  }

  async #read<Result>(read: (reader: Reader) => Result): Promise<Result> {
    this.#assertOpen();
    try {
      return read(this.#reader);
    } catch (error) {
      if (isDamagedPage(error)) this.#onDamage(error);
      throw error;
    }
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new Error('The store is closed.');
  }
}
