/** A consistent copy of the store of a server that may be running. */
import { closeSync, openSync, statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { refuseUnusable } from '../store/sqlite/migrate.ts';
import { MIGRATIONS } from '../store/sqlite/migrations.ts';
import { OpenRefusal } from '../store/sqlite/open-refusal.ts';
import { prepareQuery } from '../store/sqlite/query.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import { RecoveryRefusal } from './refusal.ts';

export interface CopiedStore {
  readonly schema: number;
  readonly runs: number;
  readonly liveRuns: number;
  /** Ids of all runs that the copy has. */
  readonly workflowIds: readonly string[];
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** SQLITE_PERM, SQLITE_READONLY and SQLITE_CANTOPEN. */
const NOT_ALLOWED = [3, 8, 14];
const SQLITE_IOERR = 10;
/** Milliseconds that a reader waits for a checkpoint or a start. */
const READER_WAIT_MS = 5_000;

/** Opens the database of a data directory. Throws RecoveryRefusal when there is none that this version knows. */
export function openStore(
  file: string,
  dataDir: string,
  options: { readonly readOnly: boolean },
): DatabaseSync {
  // Throws for what this account may not look at.
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    throw new RecoveryRefusal(
      `There is no data of a server in ${dataDir}.`,
      'name its data directory with --data-dir or TUTTI_DATA_DIR.',
    );
  }
  try {
    return openKnown(file, dataDir, options);
  } catch (error) {
    if (!hasResult(error, [...NOT_ALLOWED, SQLITE_IOERR])) throw error;
    throw new RecoveryRefusal(
      `The database of ${dataDir} cannot be opened: ${error.message}.`,
      hasResult(error, [SQLITE_IOERR]) ? LOOK_AT_DISK : USE_ACCOUNT,
      { cause: error },
    );
  }
}

const USE_ACCOUNT =
  'use the account that runs the server, where files can be written: SQLite needs that also to read.';
const LOOK_AT_DISK = 'look at the disk: whether it is full, or fails.';

function openKnown(
  file: string,
  dataDir: string,
  options: { readonly readOnly: boolean },
): DatabaseSync {
  const db = new DatabaseSync(file, { ...options, timeout: READER_WAIT_MS });
  try {
    refuseUnusable(db, file, MIGRATIONS.length);
    if (schemaOf(db) === 0) throw isEmpty(dataDir);
    return db;
  } catch (error) {
    const isDamage = error instanceof OpenRefusal && !isNewer(db);
    db.close();
    if (!(error instanceof OpenRefusal)) throw error;
    throw new RecoveryRefusal(error.message, 'see "tutti docs operate/backup".', { isDamage });
  }
}

const isEmpty = (dataDir: string): RecoveryRefusal =>
  new RecoveryRefusal(
    `The store of ${dataDir} is empty.`,
    'if there were runs, restore a backup (tutti docs operate/backup); if not, the server fills it when it starts.',
  );

function isNewer(db: DatabaseSync): boolean {
  try {
    return schemaOf(db) > MIGRATIONS.length;
  } catch {
    // The file is no database at all.
    return false;
  }
}

/**
 * Copies the database as it is at one moment into a new file. An open transaction keeps that moment for this reader, while writers go on.
 * Without it, the copy would begin again with each commit.
 */
export async function copyStore(
  db: DatabaseSync,
  target: string,
  signal: AbortSignal,
): Promise<CopiedStore> {
  closeSync(openSync(target, 'wx', 0o600));
  db.exec('BEGIN');
  try {
    const copied = factsOf(db);
    await backup(db, target, {
      rate: RECOVERY_LIMITS.copiedPages,
      progress: () => signal.throwIfAborted(),
    });
    return copied;
  } finally {
    db.exec('COMMIT');
  }
}

function factsOf(db: DatabaseSync): CopiedStore {
  const runs = prepareQuery<{ readonly workflowId: string; readonly live: number }>(
    db,
    'SELECT workflow_id AS workflowId, live FROM workflows ORDER BY id',
  ).all();
  return {
    schema: schemaOf(db),
    runs: runs.length,
    liveRuns: runs.filter(({ live }) => live === 1).length,
    workflowIds: runs.map(({ workflowId }) => workflowId),
  };
}

export function schemaOf(db: DatabaseSync): number {
  const query = prepareQuery<{ readonly version: number }>(
    db,
    'SELECT user_version AS version FROM pragma_user_version',
  );
  return query.get()?.version ?? 0;
}

/** SQLite met bytes that no database has. */
export const isCorrupt = (error: unknown): error is Error =>
  hasResult(error, [SQLITE_CORRUPT, SQLITE_NOTADB]);

/** Results of SQLite, without what extends them. */
function hasResult(error: unknown, results: readonly number[]): error is Error {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return results.includes(code & 0xff);
}

/** Problems that SQLite finds in a file that nobody else uses; empty when there are none. Afterwards it is one file, without a log. */
export function problemsOfCopy(file: string): readonly string[] {
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
    return integrityProblems(db, 'quick_check');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    db.close();
  }
}

export function integrityProblems(
  db: DatabaseSync,
  check: 'quick_check' | 'integrity_check',
): readonly string[] {
  const rows = prepareQuery<Readonly<Record<string, string>>>(db, `PRAGMA ${check}`).all();
  return rows.map((row) => row[check] ?? '').filter((text) => text !== 'ok');
}
