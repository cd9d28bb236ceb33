/**
 * Keeps a damaged write-ahead log before SQLite passes over the rest of it. The copies have their own names beside the database, such as
 * `tutti.db.damaged-20260131T235959`, with `-wal` and `-shm`. SQLite opens them unchanged.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { systemClock } from '../../runtime/clock.ts';
import { SQLITE_LIMITS } from './limits.ts';
import { type LogDamage, logIndexOf, logOf } from './log-damage.ts';
import { OpenRefusal } from './open-refusal.ts';

export interface KeptLog extends LogDamage {
  /** The copy; that of its log ends with `-wal`. */
  readonly path: string;
  /** Whether the database was copied, too. */
  readonly hasDatabase: boolean;
}

/** Keeps a copy of a damaged write-ahead log. Throws `OpenRefusal` if too many are kept already. */
export function keepDamagedLog(databaseFile: string, damage: LogDamage): KeptLog {
  const kept = keptLogsOf(databaseFile);
  if (kept.length >= SQLITE_LIMITS.keptLogsMax) {
    throw new OpenRefusal(
      `The write-ahead log of ${databaseFile} is damaged, and ${kept.length} damaged ones are kept beside it. ` +
        'Look at the disk, and move the files with "damaged" in their names to another place.',
    );
  }
  const target = targetOf(databaseFile);
  copy(logIndexOf(databaseFile), logIndexOf(target));
  const hasDatabase = isRoomFor(databaseFile) && copy(databaseFile, target);
  copy(logOf(databaseFile), logOf(target));
  return { ...damage, path: target, hasDatabase };
}

/** Names of the copies beside a database; those of their logs and indexes begin with them. */
export function keptLogsOf(databaseFile: string): readonly string[] {
  const folder = dirname(databaseFile);
  if (!existsSync(folder)) return [];
  const begin = `${basename(databaseFile)}.damaged-`;
  const names = readdirSync(folder).filter((name) => name.startsWith(begin));
  return [...new Set(names.map((name) => name.replace(/-(?:wal|shm)$/, '')))];
}

/** The line of the server's log and of the doctor. */
export function damageText({ whole, endsLost }: LogDamage): string {
  const lost =
    endsLost === 0 ? 'what followed cannot be read' : `${endsLost} transactions behind it are lost`;
  return `The write-ahead log of the store is damaged behind entry ${whole}: ${lost}.`;
}

/** The line of the server's log after a start without the rest. */
export function keptLogText(kept: KeptLog): string {
  const copies = kept.hasDatabase ? 'It is kept with a copy of the database' : 'It is kept';
  return `${damageText(kept)} ${copies} as ${kept.path}, and the server goes on with what is whole. Look at the disk and for missing runs; see "When the write-ahead log is damaged" in "tutti docs operate/backup".`;
}

function targetOf(databaseFile: string): string {
  const time = systemClock.timestamp().replace(/\..*$/, '').replace(/[-:]/g, '');
  const names = [
    time,
    ...Array.from({ length: SQLITE_LIMITS.keptLogsMax }, (_, n) => `${time}-${n}`),
  ];
  const paths = names.map((name) => `${databaseFile}.damaged-${name}`);
  const free = paths.find((path) => !existsSync(logOf(path)) && !existsSync(logIndexOf(path)));
  if (free === undefined) throw new Error('Each name for a damaged log is taken.');
  return free;
}

/** The log alone is kept of a large database: it has each page that it changed as a whole. */
function isRoomFor(databaseFile: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(databaseFile));
  const size = statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0;
  return size <= SQLITE_LIMITS.keptDatabaseBytesMax && size < (bavail * bsize) / 2;
}

/** Answers whether there was such a file. Nothing is left of a copy that fails. */
function copy(file: string, target: string): boolean {
  if (!existsSync(file)) return false;
  try {
    copyFileSync(file, target, constants.COPYFILE_FICLONE);
    const copied = openSync(target, 'r+');
    fsyncSync(copied);
    closeSync(copied);
    return true;
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}
