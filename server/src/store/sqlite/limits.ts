/** The bounds of the SQLite store, each named; tests and unusual installations override single ones. */
import type { QueueLimits } from '../writes/write-queue.ts';

export interface SqliteLimits extends QueueLimits {
  /** Text of the events of one read, in UTF-16 code units; a larger single event is read alone. */
  readonly eventsLengthMax: number;
  /** Ends of all followed logs that are kept in memory, in bytes: some of the largest commits. */
  readonly recentLogBytesMax: number;
  /** Text of the test cases of one read with their earlier executions, in UTF-16 code units. A larger single one is read alone. */
  readonly testCasesLengthMax: number;
  /** Earlier executions kept for one test case of one run; the oldest go first. */
  readonly testCaseHistoryMax: number;
  /** Keys of a smallest part of the index of test cases (test-case-index.ts). An append changes most of its pages. */
  readonly indexPartRows: number;
  /** Runs of one namespace and name whose executions of test cases count for later runs; the oldest go first. */
  readonly testRunsMax: number;
  /** Executions of one test case in earlier runs that are shown; the newest. */
  readonly earlierExecutionsMax: number;
  /** Rows removed per transaction when runs are forgotten, so that appends wait some milliseconds at most. */
  readonly purgeRowsMax: number;
  /** Milliseconds to wait until another server has left the data directory. */
  readonly lockWaitMs: number;
  /** Copies of damaged write-ahead logs beside the database; with more of them the database is not opened. */
  readonly keptLogsMax: number;
  /** Size of a database that is copied with its damaged log, in bytes. If it is larger, only the log is kept. */
  readonly keptDatabaseBytesMax: number;
}

export const SQLITE_LIMITS: SqliteLimits = {
  batchOperationsMax: 512,
  batchSizeMax: 4 * 1024 * 1024,
  queueOperationsMax: 100_000,
  queueSizeMax: 256 * 1024 * 1024,
  eventsLengthMax: 1024 * 1024,
  recentLogBytesMax: 16 * 1024 * 1024,
  testCasesLengthMax: 1024 * 1024,
  testCaseHistoryMax: 100,
  indexPartRows: 2_048,
  testRunsMax: 20,
  earlierExecutionsMax: 50,
  purgeRowsMax: 2_000,
  lockWaitMs: 1_000,
  keptLogsMax: 8,
  keptDatabaseBytesMax: 1024 ** 3,
};
