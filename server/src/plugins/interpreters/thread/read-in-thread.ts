/**
 * Reads a report in a thread of its own, so that the thread for requests stays free. The thread has bounded memory and ends with
 * the report, so an idle server has none.
 */
import { on } from 'node:events';
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { OrchestratorError } from '@tutti/manifests';
import { startThread } from '../../../runtime/start-thread.ts';
import type { ResultsPart, ResultsRequest } from '../read-results.ts';

/** The bytes of the report, in order; the buffer goes with its piece. */
export type ReadingMessage =
  | { readonly kind: 'piece'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' };

/** Each piece is answered by the parts it brought, and then by `taken`. After `ended` or `refused` nothing comes any more. */
export type ReadingAnswer =
  | EncodedPart
  | { readonly kind: 'taken' }
  | { readonly kind: 'ended' }
  /** The report cannot be read any further; why. */
  | { readonly kind: 'refused'; readonly message: string };

/** `results` as JSON: one text passes between threads faster than many small objects. */
interface EncodedPart extends Omit<ResultsPart, 'results'> {
  readonly kind: 'part';
  readonly results: string;
}

export const THREAD_LIMITS = {
  /** In MiB. Reading takes less than 32; the rest is a reserve. */
  memory: 128,
  /** In MiB. Most values become garbage at once; a thread with more room for it only takes more memory. */
  garbage: 16,
  /** Pieces under way: one that is read, and the next. */
  pieces: 2,
} as const;

/** Like `readResults`. An abort ends the thread, and is thrown. A report beyond the thread's memory is `Invalid`. */
export async function* readInThread(
  request: ResultsRequest,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  memory: number = THREAD_LIMITS.memory,
): AsyncGenerator<ResultsPart> {
  const thread = startReading(request, memory);
  try {
    yield* converse(thread, content, signal);
  } catch (error) {
    throw isOutOfMemory(error) ? tooCostly(memory, error) : error;
  } finally {
    await thread.terminate();
  }
}

function startReading(workerData: ResultsRequest, memory: number): Worker {
  // Source and compiled files lie side by side with their own suffix.
  const entry = new URL(`./reading-thread${extname(import.meta.url)}`, import.meta.url);
  return startThread(entry, {
    name: 'report reader',
    workerData,
    resourceLimits: {
      maxOldGenerationSizeMb: memory,
      maxYoungGenerationSizeMb: THREAD_LIMITS.garbage,
    },
  });
}

async function* converse(
  thread: Worker,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ResultsPart> {
  const pieces = content[Symbol.asyncIterator]();
  // Listens before sending; an error of the thread is thrown after its answers.
  const answers = on(thread, 'message', { signal, close: ['exit'] });
  const sendNext = async (): Promise<void> => send(thread, await pieces.next());
  for (let sent = 0; sent < THREAD_LIMITS.pieces; sent += 1) await sendNext();
  for await (const [answer] of answers as AsyncIterable<[ReadingAnswer]>) {
    if (answer.kind === 'taken') await sendNext();
    else if (answer.kind === 'part') yield partOf(answer);
    else if (answer.kind === 'refused') throw new OrchestratorError('Invalid', answer.message);
    else return;
  }
  throw new Error('The thread that reads a report has stopped.');
}

const partOf = ({ kind: _, results, ...rest }: EncodedPart): ResultsPart => ({
  results: JSON.parse(results),
  ...rest,
});

function send(thread: Worker, { done, value }: IteratorResult<Uint8Array>): void {
  const message: ReadingMessage =
    done === true ? { kind: 'end' } : { kind: 'piece', bytes: owned(value) };
  thread.postMessage(message, message.kind === 'piece' ? [message.bytes.buffer] : []);
}

/** The bytes with a buffer that is theirs alone, and may be given away. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooCostly(memory: number, cause: unknown): OrchestratorError {
  return new OrchestratorError('Invalid', `reading it takes more than ${memory} MiB of memory`, {
    cause,
  });
}
