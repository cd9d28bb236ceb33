/** Writes in the thread that asks, for a process that ends with its work: the writer thread takes as long to be there as a short run does. */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { createBatchWriter } from './batch-writer.ts';
import { leaveSyncToClose } from './database.ts';
import type { WriterClient, WriterListener } from './writer-client.ts';
import type { WriterData } from './writer-protocol.ts';

/**
 * `db` is that of the owner, who closes it. What was answered survives the end of the process, however it ends; commits wait for the
 * disk only in `close`, so that a machine which stops may take the last ones with it, and the process.
 */
export function createCallingThreadWriter(
  db: DatabaseSync,
  { file, limits }: WriterData,
  listener: WriterListener,
): WriterClient {
  leaveSyncToClose(db);
  const applyBatch = createBatchWriter(db, limits);
  let hasWritten = false;
  return {
    start() {},
    send(operations) {
      hasWritten = true;
      const answers = applyBatch(operations);
      // What was made ready by then shares the next transaction, and nobody who writes without an end keeps others waiting.
      setImmediate(() => listener.answered(answers));
    },
    async close() {
      if (hasWritten) syncLog(`${file}-wal`);
    },
  };
}

/** Steps run as the user does, and may remove what is kept of their run. */
function syncLog(file: string): void {
  if (!existsSync(file)) return;
  const log = openSync(file, 'r+');
  try {
    fsyncSync(log);
  } finally {
    closeSync(log);
  }
}
