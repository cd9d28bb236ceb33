/** The thread that checks the pages of a database, once: a large one takes seconds. */
import { parentPort, workerData } from 'node:worker_threads';
import { openReader } from './database.ts';

/** The first problem says enough. */
function problemIn(file: string): string | null {
  const db = openReader(file);
  try {
    const found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    return found === 'ok' ? null : String(found);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    db.close();
  }
}

parentPort?.postMessage(problemIn(workerData));
