/**
 * Collects operations into batches for the writer (group commit).
 *
 * Open: an operation waits until the code that runs now has finished. So calls made in one go share a transaction, with all others that
 * wait. While the writer is at work, further operations wait for its answer. They then go out as one batch: the busier the writer, the more
 * operations share one wait for the disk. Failed: everything that waits or is on its way is rejected, and so is all that comes later.
 */
import { OrchestratorError } from '@tutti/manifests';
import { noRoom } from './no-room.ts';
import type { WriterAnswer, WriterOperation } from './operations.ts';

interface Waiting {
  readonly operation: WriterOperation;
  readonly size: number;
  readonly sinceMs: number;
  readonly resolve: (answer: WriterAnswer) => void;
  readonly reject: (error: Error) => void;
}

export interface QueueLimits {
  /** Operations that share one transaction. */
  readonly batchOperationsMax: number;
  /** Text that one transaction takes, in UTF-16 code units; a larger single operation goes alone. */
  readonly batchSizeMax: number;
  /** Operations that wait for the writer; more are refused with `ServiceUnavailable`. */
  readonly queueOperationsMax: number;
  /** Text that waits for the writer, in UTF-16 code units; more is refused with `ServiceUnavailable`. */
  readonly queueSizeMax: number;
}

export interface WriteQueueOptions {
  readonly limits: QueueLimits;
  /** Sends a batch to the writer, which answers it as a whole. */
  readonly send: (operations: readonly WriterOperation[]) => void;
  /** Sees each operation of a batch with its answer, in their order, before any caller gets one. */
  readonly answered?: (operation: WriterOperation, answer: WriterAnswer) => void;
  /** Calls back when the code that runs now, with all it has made ready, has finished. */
  readonly defer?: (flush: () => void) => void;
}

export class WriteQueue {
  readonly #limits: QueueLimits;
  readonly #send: (operations: readonly WriterOperation[]) => void;
  readonly #defer: (flush: () => void) => void;
  readonly #answered: NonNullable<WriteQueueOptions['answered']>;
  readonly #drained: (() => void)[] = [];
  #waiting: Waiting[] = [];
  #inFlight: readonly Waiting[] = [];
  #waitingSize = 0;
  #isFlushPlanned = false;
  #failure: Error | null = null;

  constructor({ limits, send, answered, defer = process.nextTick }: WriteQueueOptions) {
    this.#limits = limits;
    this.#answered = answered ?? (() => undefined);
    this.#send = send;
    this.#defer = defer;
  }

  /** Operations that are not on their way yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Time that the oldest operation without an answer has waited, in milliseconds; 0 if there is none. */
  get oldestMs(): number {
    const oldest = this.#inFlight[0] ?? this.#waiting[0];
    return oldest === undefined ? 0 : performance.now() - oldest.sinceMs;
  }

  /** `size` is the length of the texts in it. Rejects when the queue is full, the writer failed, or the operation did. */
  submit(operation: WriterOperation, size: number): Promise<WriterAnswer> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (!this.#hasRoom(size)) return Promise.reject(queueIsFull());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, size, sinceMs: performance.now(), resolve, reject });
      this.#waitingSize += size;
      this.#planFlush();
    });
  }

  /** The writer's answers to the batch that is on its way. */
  answered(answers: readonly WriterAnswer[]): void {
    const batch = this.#inFlight;
    this.#inFlight = [];
    this.#flush();
    for (const [index, { operation }] of batch.entries()) {
      const answer = answers[index];
      if (answer !== undefined) this.#answered(operation, answer);
    }
    for (const [index, waiting] of batch.entries()) settle(waiting, answers[index]);
    this.#notifyDrained();
  }

  /** No operation will be answered any more. Nobody knows whether those under way were stored. */
  fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    const lost = [...this.#inFlight, ...this.#waiting];
    this.#inFlight = [];
    this.#waiting = [];
    this.#waitingSize = 0;
    for (const waiting of lost) waiting.reject(error);
    this.#notifyDrained();
  }

  /** Rejects all waiting operations, of which nothing was stored. The batch under way goes on. */
  refuseWaiting(error: Error): void {
    this.#waitingSize = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#notifyDrained();
  }

  /** Resolves when nothing waits and nothing is on its way. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#notifyDrained();
    });
  }

  #hasRoom(size: number): boolean {
    // One operation is taken at any size: waiting would not make it smaller.
    if (this.#waiting.length === 0) return true;
    const { queueOperationsMax, queueSizeMax } = this.#limits;
    return this.#waiting.length < queueOperationsMax && this.#waitingSize + size <= queueSizeMax;
  }

  #planFlush(): void {
    if (this.#isFlushPlanned || this.#inFlight.length > 0) return;
    this.#isFlushPlanned = true;
    this.#defer(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0 || this.#inFlight.length > 0) return;
    this.#inFlight = this.#takeBatch();
    this.#send(this.#inFlight.map((waiting) => waiting.operation));
  }

  #takeBatch(): readonly Waiting[] {
    const { batchOperationsMax, batchSizeMax } = this.#limits;
    let size = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count === batchOperationsMax || (count > 0 && size + waiting.size > batchSizeMax)) break;
      size += waiting.size;
      count += 1;
    }
    this.#waitingSize -= size;
    return this.#waiting.splice(0, count);
  }

  #notifyDrained(): void {
    if (this.#waiting.length > 0 || this.#inFlight.length > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

function settle(waiting: Waiting, answer: WriterAnswer | undefined): void {
  if (answer === undefined) waiting.reject(new Error('The writer gave no answer.'));
  else if (answer.outcome === 'failed') {
    const { why, isDiskFull, refusal } = answer;
    waiting.reject(refusal ?? (isDiskFull ? noRoom(why) : new Error(why)));
  } else waiting.resolve(answer);
}

function queueIsFull(): OrchestratorError {
  return new OrchestratorError(
    'ServiceUnavailable',
    'The store cannot keep up with what it is given. Try again later.',
  );
}
