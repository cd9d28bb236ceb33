/** Brings a database to the newest schema, or refuses it. */
import type { DatabaseSync } from 'node:sqlite';
import { OpenRefusal } from './open-refusal.ts';
import { prepareQuery } from './query.ts';
import { inTransaction } from './transaction.ts';

/** Marks the file as ours, so that another application's database is not written to. The letters `TuSt`. */
const APPLICATION_ID = 0x54755374;
const SQLITE_NOTADB = 26;

/** Throws OpenRefusal for a database of a newer version and for a file that is something else; changes nothing. */
export function refuseUnusable(db: DatabaseSync, file: string, migrationsKnown: number): void {
  const version = versionOf(db, file);
  const tables = prepareQuery<{ count: number }>(db, 'SELECT count(*) AS count FROM sqlite_schema');
  const isEmpty = version === 0 && tables.get()?.count === 0;
  if (!isEmpty && readPragma(db, 'application_id') !== APPLICATION_ID) {
    throw new OpenRefusal(`The file ${file} is a database, but not one of this server.`);
  }
  if (version > migrationsKnown) {
    throw new OpenRefusal(
      `The database ${file} was written by a newer version (its schema is ${version}, this version knows ` +
        `${migrationsKnown}). Start the newer version again, or restore a copy made before it ran.`,
    );
  }
}

/** Throws OpenRefusal for a database of an older version; changes nothing. */
export function refuseOlder(db: DatabaseSync, file: string, migrationsKnown: number): void {
  const version = readPragma(db, 'user_version');
  if (version >= migrationsKnown) return;
  throw new OpenRefusal(
    `The database ${file} is of an older version (its schema is ${version}, this version has ${migrationsKnown}).`,
    'older',
  );
}

/** Applies the steps that the database has not seen, each in a transaction of its own. So an interrupted start resumes where it was. */
export function migrate(db: DatabaseSync, migrations: readonly string[]): void {
  const version = readPragma(db, 'user_version');
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue;
    inTransaction(db, () => {
      db.exec(step);
      db.exec(`PRAGMA user_version = ${index + 1}; PRAGMA application_id = ${APPLICATION_ID}`);
    });
  }
}

function versionOf(db: DatabaseSync, file: string): number {
  try {
    return readPragma(db, 'user_version');
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_NOTADB))
      throw error;
    throw new OpenRefusal(`The file ${file} is not a database.`);
  }
}

function readPragma(db: DatabaseSync, name: 'user_version' | 'application_id'): number {
  const row = prepareQuery<{ value: number }>(db, `SELECT ${name} AS value FROM pragma_${name}`);
  return row.get()?.value ?? 0;
}
