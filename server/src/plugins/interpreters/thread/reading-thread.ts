/** The thread that reads one large report, and ends with it. */
import { on } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isOrchestratorError } from '@tutti/manifests';
import { type ResultsRequest, readResults } from '../read-results.ts';
import type { ReadingAnswer, ReadingMessage } from './read-in-thread.ts';

async function read(port: MessagePort, request: ResultsRequest): Promise<void> {
  const answer = (message: ReadingAnswer) => port.postMessage(message);
  try {
    for await (const { results, ...rest } of readResults(request, piecesFrom(port, answer))) {
      answer({ kind: 'part', results: JSON.stringify(results), ...rest });
    }
    answer({ kind: 'ended' });
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    answer({ kind: 'refused', message: error.message });
  } finally {
    port.close();
  }
}

async function* piecesFrom(
  port: MessagePort,
  answer: (message: ReadingAnswer) => void,
): AsyncGenerator<Uint8Array> {
  for await (const [message] of on(port, 'message') as AsyncIterable<[ReadingMessage]>) {
    if (message.kind === 'end') return;
    yield message.bytes;
    answer({ kind: 'taken' });
  }
}

if (parentPort === null) throw new Error('Large reports are read in a thread of their own.');
// Executables have scripts, which cannot wait here. A rejection ends the thread with its error.
void read(parentPort, workerData);
