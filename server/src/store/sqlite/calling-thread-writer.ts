/** Writes in the calling thread, for a process that ends with its work. Starting the writer thread takes as long as a short run. */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { createBatchWriter } from './batch-writer.ts';
import { leaveSyncToClose } from './database.ts';
import type { WriterClient, WriterListener } from './writer-client.ts';
import type { WriterData } from './writer-protocol.ts';

/**
 * `db` is that of the owner, who closes it. Answered operations survive any end of the process. Commits wait for the disk only in `close`,
 * so a machine that stops may lose the last ones.
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
      // Operations that come by then share the next transaction. A caller that always writes keeps nobody else waiting.
      setImmediate(() => listener.answered(answers));
    },
    async close() {
      if (hasWritten) syncLog(`${file}-wal`);
    },
  };
}

/** Steps of a local run have the user's rights, and may remove the files of their run. */
function syncLog(file: string): void {
  if (!existsSync(file)) return;
  const log = openSync(file, 'r+');
  try {
    fsyncSync(log);
  } finally {
    closeSync(log);
  }
}
