/** The writer thread: turns each batch it is sent into one transaction and one answer. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { releaseWhenIdle } from '../../runtime/startup-memory.ts';
import { createBatchWriter } from './batch-writer.ts';
import { configureWriter, openDatabase } from './database.ts';
import { unpack } from './packed-operation.ts';
import type { WriterData, WriterMessage, WriterRequest } from './writer-protocol.ts';

function serve(port: MessagePort, { file, limits }: WriterData): void {
  const db = openDatabase(file);
  configureWriter(db);
  const applyBatch = createBatchWriter(db, limits);
  const release = releaseWhenIdle();
  port.on('message', (request: WriterRequest) => {
    release.postpone();
    if (request.kind === 'batch') {
      send(port, { kind: 'answers', answers: applyBatch(request.operations.map(unpack)) });
      return;
    }
    db.close();
    port.close();
  });
  send(port, { kind: 'ready' });
}

function send(port: MessagePort, message: WriterMessage): void {
  port.postMessage(message);
}

if (parentPort === null) throw new Error('The writer runs in a thread of its own.');
serve(parentPort, workerData);
