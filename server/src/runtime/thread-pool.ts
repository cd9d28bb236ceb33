/**
 * Runs tasks in threads, so that the thread for requests stays free. Each task has a deadline, and its thread bounded memory. A
 * task beyond a bound ends with its thread; other tasks continue. Each share has a queue of its own and never gets the last
 * thread, so large senders delay only themselves.
 */
import type { Worker } from 'node:worker_threads';
import { type FailureReason, isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { type ShareBounds, ShareQueue } from './share-queue.ts';
import { startThread } from './start-thread.ts';

export interface ThreadPoolLimits extends ShareBounds {
  readonly threads: number;
  /** Timeout of one task. */
  readonly seconds: number;
  /** Memory of one thread, in MiB. */
  readonly memory: number;
  /** Time after which an idle thread ends. */
  readonly idleSeconds: number;
}

export interface ThreadPoolOptions {
  /** The file that `answerTasks` runs in. */
  readonly entry: URL;
  /** Name of the threads in lists of the process. */
  readonly name: string;
  readonly limits: ThreadPoolLimits;
}

export interface ThreadTask {
  /** Name of the function in the thread. */
  readonly name: string;
  readonly input: unknown;
  /** Names the document in messages: `The workflow`. */
  readonly what: string;
  /** The share that it counts for. */
  readonly share: string;
  /** Memory of its input while it waits, in bytes. */
  readonly bytes: number;
  /** A part of the input for this task alone. A large one is transferred, and not copied. */
  readonly given?: Uint8Array;
}

/** A message to a thread. */
export interface TaskMessage {
  readonly name: string;
  readonly input: unknown;
}

/** `output` is JSON: one text passes between threads faster than many objects. `bytes` is transferred beside it. */
export type TaskAnswer =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'done' } & TaskOutput)
  | { readonly kind: 'refused'; readonly refusal: TaskRefusal }
  | { readonly kind: 'failed'; readonly stack: string };

export interface TaskOutput {
  readonly output: string;
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

export interface TaskRefusal {
  readonly reason: FailureReason;
  readonly message: string;
  readonly details: object | null;
}

interface Asked extends ThreadTask {
  readonly resolve: (output: TaskOutput) => void;
  readonly reject: (error: unknown) => void;
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #queue: ShareQueue<Asked>;
  readonly #idle: PooledThread[] = [];
  readonly #all = new Set<PooledThread>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#queue = new ShareQueue(options.limits);
  }

  /** Resolves with the output as JSON. Throws the task's refusal; `Invalid` for a broken bound; `TooManyRequests` and `ServiceUnavailable`. */
  run(task: ThreadTask): Promise<TaskOutput> {
    return new Promise((resolve, reject) => {
      this.#queue.add({ ...task, resolve, reject });
      this.#begin();
    });
  }

  /** Ends all threads and drops their tasks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #begin(): void {
    if (this.#isClosed) return;
    while (this.#idle.length > 0 || this.#all.size < this.#options.limits.threads) {
      const asked = this.#queue.next();
      if (asked === null) return;
      void this.#carryOut(this.#idle.pop() ?? this.#started(), asked);
    }
  }

  #started(): PooledThread {
    const thread: PooledThread = new PooledThread(this.#options, () => {
      this.#all.delete(thread);
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
      this.#begin();
    });
    this.#all.add(thread);
    return thread;
  }

  async #carryOut(thread: PooledThread, asked: Asked): Promise<void> {
    try {
      asked.resolve(await thread.run(asked));
    } catch (error) {
      asked.reject(error);
    } finally {
      this.#queue.ended(asked);
      if (thread.isAlive) this.#idle.push(thread);
      this.#begin();
    }
  }
}

const MIB = 1024 * 1024;
/** Interval of memory checks of a busy thread. */
const MEMORY_LOOK_MS = 25;
/**
 * V8's own limit is larger by this factor. If a thread reaches it in one allocation, V8 ends the whole process. So the pool checks first,
 * and ends only the thread.
 */
const HARD_LIMIT_FACTOR = 8;

/** One thread, with one task at a time. */
class PooledThread {
  readonly #options: ThreadPoolOptions;
  readonly #worker: Worker;
  readonly #gone: () => void;
  /** Resolves when its code is loaded, which takes seconds on a busy disk and does not count for a task. */
  readonly #ready = Promise.withResolvers<void>();
  #isAlive = true;
  #idle: NodeJS.Timeout | null = null;
  #settle: ((answer: TaskAnswer | Error) => void) | null = null;

  constructor(options: ThreadPoolOptions, gone: () => void) {
    const { entry, name, limits } = options;
    this.#options = options;
    this.#gone = gone;
    this.#worker = startThread(entry, {
      name,
      resourceLimits: { maxOldGenerationSizeMb: limits.memory * HARD_LIMIT_FACTOR },
    });
    this.#worker.on('message', (answer: TaskAnswer) => {
      if (answer.kind === 'ready') this.#ready.resolve();
      else this.#settle?.(answer);
    });
    this.#worker.on('error', (error: Error) => this.#lost(error));
    this.#worker.on('exit', () => this.#lost(new Error(`The ${name} thread has stopped.`)));
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async run({ what, name, input, given: bytes }: ThreadTask): Promise<TaskOutput> {
    const { seconds, memory } = this.#options.limits;
    const { promise: answer, resolve: settle } = Promise.withResolvers<TaskAnswer | Error>();
    this.#settle = settle;
    this.#work();
    const late = () => settle(tooCostly(what, `${seconds} seconds`));
    let deadline: NodeJS.Timeout | undefined;
    void this.#ready.promise.then(() => {
      if (this.#settle === settle) deadline = setTimeout(late, seconds * 1000);
    });
    const large = () => settle(tooCostly(what, `${memory} MiB of memory`));
    const watch = setInterval(() => void this.#watchMemory(large), MEMORY_LOOK_MS);
    const message: TaskMessage = { name, input };
    this.#worker.postMessage(message, bytes === undefined ? [] : buffersOf(bytes));
    const given = await answer;
    clearTimeout(deadline);
    clearInterval(watch);
    this.#settle = null;
    if (given instanceof Error) {
      await this.end();
      throw isOutOfMemory(given) ? tooCostly(what, `${memory} MiB of memory`, given) : given;
    }
    this.#rest();
    return outputOf(given);
  }

  async end(): Promise<void> {
    this.#lost(new Error(`The ${this.#options.name} thread was stopped.`));
    await this.#worker.terminate();
  }

  async #watchMemory(tooLarge: () => void): Promise<void> {
    // A thread that ends meanwhile has none.
    const heap = await this.#worker.getHeapStatistics().catch(() => null);
    if (heap !== null && heap.used_heap_size > this.#options.limits.memory * MIB) tooLarge();
  }

  #work(): void {
    clearTimeout(this.#idle ?? undefined);
    this.#worker.ref();
  }

  /** Lets the process end, and ends itself after a while. */
  #rest(): void {
    if (!this.#isAlive) return;
    this.#worker.unref();
    this.#idle = setTimeout(() => void this.end(), this.#options.limits.idleSeconds * 1000).unref();
  }

  #lost(error: Error): void {
    this.#settle?.(error);
    if (!this.#isAlive) return;
    this.#isAlive = false;
    clearTimeout(this.#idle ?? undefined);
    this.#gone();
  }
}

function outputOf(answer: TaskAnswer): TaskOutput {
  switch (answer.kind) {
    case 'done':
      return answer;
    case 'refused': {
      const { reason, message, details } = answer.refusal;
      throw new OrchestratorError(reason, message, { details });
    }
    case 'failed':
      throw new Error(`A task failed in its thread: ${answer.stack}`);
    case 'ready':
      throw new Error('A thread began twice.');
  }
}

/** Small buffers are copied: other bytes of a connection may lie in them. */
const HANDED_OVER_BYTES = 256 * 1024;

function buffersOf({ buffer }: Uint8Array): ArrayBuffer[] {
  const isLarge = buffer instanceof ArrayBuffer && buffer.byteLength >= HANDED_OVER_BYTES;
  return isLarge ? [buffer] : [];
}

const isOutOfMemory = (error: Error): boolean =>
  'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooCostly = (what: string, bound: string, cause?: Error): OrchestratorError =>
  new OrchestratorError(
    'Invalid',
    `${what} takes more than ${bound} to read and check. Make it smaller, or divide it.`,
    { cause },
  );

/** The refusal in the form for another thread; null for other errors. */
export function refusalToSend(error: unknown): TaskRefusal | null {
  if (!isOrchestratorError(error)) return null;
  const { reason, message, details } = error;
  return { reason, message, details };
}
