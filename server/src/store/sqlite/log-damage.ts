/**
 * Whether the write-ahead log of a server that was killed is damaged. A damaged log has confirmed transactions that SQLite would skip.
 *
 * These traces of a kill or a power cut are no damage:
 * - frames of a transaction that had not ended: there is no end of a transaction behind them,
 * - frames of an earlier generation of the log, which have other salts,
 * - after a power cut, frames of the last transaction in any order. It was not confirmed, since a confirmation waits for the disk. So one
 *   end of a transaction behind a damaged frame may be its end. Two cannot: the first was on the disk before the second began.
 *
 * The index knows better, where it is of the same generation: it tells what was committed. Without it, the loss of the last transaction
 * alone cannot be told from a power cut.
 */
import { type LogIndex, readLogIndex } from './log-index.ts';
import { type LogScan, scanLog } from './log-scan.ts';

/** Ends of transactions behind a frame that is not whole, of which one at least was confirmed. */
const ENDS_OF_DAMAGE = 2;

export interface LogDamage {
  /** Frames that can still be taken: each is a page of the database. */
  readonly whole: number;
  /** Ends of transactions that are lost, as far as they can still be found. */
  readonly endsLost: number;
}

export const logOf = (databaseFile: string): string => `${databaseFile}-wal`;
export const logIndexOf = (databaseFile: string): string => `${databaseFile}-shm`;

/** Null where no confirmed transaction is lost, as far as the files show. Nobody may have the database open. */
export function findLogDamage(databaseFile: string): LogDamage | null {
  const scan = scanLog(logOf(databaseFile));
  const index = readLogIndex(logIndexOf(databaseFile));
  const damage = { whole: scan.committed, endsLost: scan.endsBehind };
  return isDamaged(scan, index) ? damage : null;
}

export function isDamaged(scan: LogScan, index: LogIndex | null): boolean {
  // Without its header nothing of the log is taken: then the database itself has all of it, or not.
  if (index !== null && !scan.hasHeader) return index.committed > index.copied;
  if (index !== null && index.salts === scan.salts) {
    if (index.committed > scan.committed) return true;
    // Behind it there may be transactions that failed, because the disk did.
    if (index.committed === scan.committed) return false;
  }
  return scan.endsBehind >= ENDS_OF_DAMAGE;
}
