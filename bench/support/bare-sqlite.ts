/** The upper limit of SQLite: only the rows of an accepted run, with many runs per durable transaction. */
import { DatabaseSync } from 'node:sqlite';

/** Rate of written runs, `batch` of them per transaction; each has these texts. */
export function bareSqliteRate(
  file: string,
  texts: readonly string[],
  { runs, batch }: { readonly runs: number; readonly batch: number },
): number {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
  db.exec('CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT)');
  db.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, json TEXT)');
  const insertRun = db.prepare('INSERT INTO runs (name) VALUES (?)');
  const insertEvent = db.prepare('INSERT INTO events (kind, json) VALUES (?, ?)');
  const start = performance.now();
  for (let done = 0; done < runs; done += batch) {
    db.exec('BEGIN');
    for (let run = 0; run < batch; run += 1) {
      insertRun.run('benchmark');
      for (const text of texts) insertEvent.run('Workflow', text);
    }
    db.exec('COMMIT');
  }
  const elapsedMs = performance.now() - start;
  db.close();
  return (runs / elapsedMs) * 1000;
}
