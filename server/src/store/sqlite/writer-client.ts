/** Starts the writer thread and speaks with it. */
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { OrchestratorError } from '@tutti/manifests';
import { startThread } from '../../runtime/start-thread.ts';
import { noRoomFor } from './full-disk.ts';
import type {
  WriterAnswer,
  WriterData,
  WriterMessage,
  WriterOperation,
  WriterRequest,
} from './writer-protocol.ts';

/** Bounds for a broken thread, far above its use: a batch holds a few MiB of text. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

export interface WriterListener {
  answered(answers: readonly WriterAnswer[]): void;
  /** The thread is gone without having been asked to go; nothing will be answered any more. */
  failed(error: Error): void;
}

export interface WriterClient {
  send(operations: readonly WriterOperation[]): void;
  /** Resolves when the database is closed and its lock is free. All answers must have come before. */
  close(): Promise<void>;
}

/** Resolves when the database is open; throws `Conflict` when it must not be used, with what to do about it. */
export async function startWriter(
  data: WriterData,
  listener: WriterListener,
): Promise<WriterClient> {
  // Source and compiled files lie side by side with their own suffix.
  const entry = new URL(`./writer-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = startThread(entry, {
    name: 'store writer',
    workerData: data,
    resourceLimits: RESOURCE_LIMITS,
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await opened(worker, data.file);
  let isClosing = false;
  worker.on('message', (message: WriterMessage) => {
    if (message.kind === 'answers') listener.answered(message.answers);
  });
  const fail = (cause?: unknown) => {
    if (!isClosing) listener.failed(new Error('The writer of the store has stopped.', { cause }));
  };
  worker.on('error', fail);
  worker.on('exit', () => fail());
  const post = (request: WriterRequest) => worker.postMessage(request);
  return {
    send: (operations) => post({ kind: 'batch', operations }),
    close() {
      isClosing = true;
      post({ kind: 'close' });
      return exited;
    },
  };
}

function opened(worker: Worker, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The writer of the store did not start.')));
    worker.once('message', (message: WriterMessage) => {
      worker.removeAllListeners('error');
      if (message.kind === 'full') reject(noRoomFor(file));
      else if (message.kind === 'refused') reject(new OrchestratorError('Conflict', message.why));
      else resolve();
    });
  });
}
