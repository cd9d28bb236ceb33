/** Speaks with the writer thread. */
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../runtime/start-thread.ts';
import type { WriterAnswer, WriterOperation } from '../writes/operations.ts';
import { handedOver, pack } from './packed-operation.ts';
import type { WriterData, WriterMessage, WriterRequest } from './writer-protocol.ts';

/** Bounds for a broken thread, far above its use: a batch holds a few MiB of text. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

export interface WriterListener {
  answered(answers: readonly WriterAnswer[]): void;
  /** The thread is gone without having been asked to go; nothing will be answered any more. */
  failed(error: Error): void;
}

interface Writer {
  send(operations: readonly WriterOperation[]): void;
  /** Resolves when the connection of the thread is closed. All answers must have come before. */
  close(): Promise<void>;
}

export interface WriterClient extends Writer {
  /** Starts the thread early, before a write that will come soon. */
  start(): void;
}

/** The thread starts with the first batch, or earlier by `start`. It takes 12 MiB, and a server that nobody uses writes nothing. */
export function createWriterClient(data: WriterData, listener: WriterListener): WriterClient {
  let writer: Writer | null = null;
  const start = () => {
    writer ??= startWriter(data, listener);
    return writer;
  };
  return {
    start,
    send: (operations) => start().send(operations),
    async close() {
      await writer?.close();
    },
  };
}

function startWriter(data: WriterData, listener: WriterListener): Writer {
  // Source and compiled files lie side by side with their own suffix.
  const entry = new URL(`./writer-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = startThread(entry, {
    name: 'store writer',
    workerData: data,
    resourceLimits: RESOURCE_LIMITS,
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let isClosing = false;
  worker.on('message', (message: WriterMessage) => {
    if (message.kind === 'answers') listener.answered(message.answers);
  });
  const fail = (cause?: unknown) => {
    if (!isClosing) listener.failed(new Error('The writer of the store has stopped.', { cause }));
  };
  worker.on('error', fail);
  worker.on('exit', () => fail());
  return {
    // The channel holds messages until the thread listens.
    send(operations) {
      const packed = operations.map(pack);
      post(worker, { kind: 'batch', operations: packed }, handedOver(packed));
    },
    close() {
      isClosing = true;
      post(worker, { kind: 'close' });
      return exited;
    },
  };
}

function post(worker: Worker, request: WriterRequest, memory: readonly ArrayBuffer[] = []): void {
  worker.postMessage(request, memory);
}
