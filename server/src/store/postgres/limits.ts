/** The bounds of the PostgreSQL store, each named; tests override single ones. */
import { SQLITE_LIMITS, type SqliteLimits } from '../sqlite/limits.ts';

export interface PostgresLimits
  extends Omit<
    SqliteLimits,
    'indexPartRows' | 'lockWaitMs' | 'keptLogsMax' | 'keptDatabaseBytesMax'
  > {
  /** Connections for reads, beside the one of the writer. */
  readonly readConnectionsMax: number;
  /** Time that a request waits for a database that is away, in milliseconds. Then it is refused. */
  readonly patienceMs: number;
  /** Time for the removal of the rows of one run, or for new partitions, in milliseconds. */
  readonly cleaningMs: number;
  /** Time between two tries to reach the database, in milliseconds. */
  readonly retryMs: number;
  /** Time for one connection, in milliseconds. It is tried again; a lost packet is sent again after one second. */
  readonly connectMs: number;
  /** The same for the first one, at the start of the server. */
  readonly firstConnectMs: number;
  /** Time until the next host of several is tried beside a silent one, in milliseconds. */
  readonly turnMs: number;
  /** Time between two looks whether the database works on what it has not answered, in milliseconds. */
  readonly lookMs: number;
  /** Time for one statement of a batch, in milliseconds. The batch is then sent again on a new connection. */
  readonly batchMs: number;
  /** Time that a transaction of the writer may stand still, in milliseconds. The database then undoes it and closes the connection. */
  readonly idleTransactionMs: number;
  /** Time to wait until another server has left the database, in milliseconds. */
  readonly ownerWaitMs: number;
  /** Folding events of one read, whatever their size. */
  readonly foldingEventsMax: number;
  /** Days ahead that have partitions. */
  readonly partitionDays: number;
}

const { indexPartRows, lockWaitMs, keptLogsMax, keptDatabaseBytesMax, ...SHARED } = SQLITE_LIMITS;

export const POSTGRES_LIMITS: PostgresLimits = {
  ...SHARED,
  readConnectionsMax: 8,
  patienceMs: 10_000,
  cleaningMs: 3_600_000,
  retryMs: 200,
  connectMs: 2_000,
  firstConnectMs: 10_000,
  turnMs: 500,
  lookMs: 1_000,
  batchMs: 60_000,
  idleTransactionMs: 1_000,
  ownerWaitMs: 10_000,
  foldingEventsMax: 5_000,
  partitionDays: 7,
};
