/** The writer thread: opens the database, then turns each batch it is sent into one transaction and one answer. */
import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { releaseStartupMemory } from '../../runtime/startup-memory.ts';
import { createBatchWriter } from './batch-writer.ts';
import { configureWriter, lockDatabase, openDatabase } from './database.ts';
import { isFullDisk } from './full-disk.ts';
import type { FileLock } from './lock-file.ts';
import { migrate, refuseUnusable } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import {
  OpenRefusal,
  type WriterData,
  type WriterMessage,
  type WriterRequest,
} from './writer-protocol.ts';

function serve(port: MessagePort, { file, limits }: WriterData): void {
  const lock = lockDatabase(file, limits.lockWaitMs);
  const db = openOwned(file, lock);
  const applyBatch = createBatchWriter(db, limits);
  port.on('message', (request: WriterRequest) => {
    if (request.kind === 'batch') {
      send(port, { kind: 'answers', answers: applyBatch(request.operations) });
      return;
    }
    // The lock last: nobody else may open the database before it is closed.
    db.close();
    lock.release();
    port.close();
  });
  send(port, { kind: 'ready' });
  releaseStartupMemory();
}

function openOwned(file: string, lock: FileLock): DatabaseSync {
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(file);
    refuseUnusable(db, file, MIGRATIONS.length);
    configureWriter(db, file);
    migrate(db, MIGRATIONS);
    return db;
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
}

function send(port: MessagePort, message: WriterMessage): void {
  port.postMessage(message);
}

function start(port: MessagePort, data: WriterData): void {
  try {
    serve(port, data);
  } catch (error) {
    if (isFullDisk(error)) send(port, { kind: 'full' });
    else if (error instanceof OpenRefusal) send(port, { kind: 'refused', why: error.message });
    else throw error;
  }
}

if (parentPort === null) throw new Error('The writer runs in a thread of its own.');
start(parentPort, workerData);
