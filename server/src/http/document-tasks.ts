/**
 * Reading and checking documents of others. A small one is read where it is; any other in a thread, since the worst of them take
 * seconds, in which nobody else would be answered.
 */
import type { ThreadPool, ThreadPoolLimits, ThreadTask } from '../runtime/thread-pool.ts';
import { nextTurn } from '../runtime/turns.ts';

/** A function that threads have, too. What it answers can be written as JSON. */
export interface DocumentTask<Input, Output> {
  /** In the table of the threads. */
  readonly name: string;
  load(): Promise<(input: Input) => Output>;
}

export type DocumentAsker = Omit<ThreadTask, 'name' | 'input'>;

export interface DocumentTasks {
  /** Throws what the task refuses, and `Invalid` for a document that takes more time or memory than one may. */
  run<Input, Output>(
    task: DocumentTask<Input, Output>,
    input: Input,
    asker: DocumentAsker,
  ): Promise<Output>;
  close(): Promise<void>;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const DOCUMENT_TASK_LIMITS = {
  /**
   * A document that is read without a thread, in bytes. The worst that was measured of this size takes 45 ms of a processor, with
   * functions that were not compiled yet: braces that open and never close.
   */
  bytesHere: 4 * KIB,
  /** JSON that is only parsed, in bytes: 10 ms at worst. */
  jsonBytesHere: 256 * KIB,
} as const;

/** Limits of the threads that read documents. */
export const DOCUMENT_THREAD_LIMITS: ThreadPoolLimits = {
  /** One sender, with all subjects of its namespaces, never has both, so that the documents of others are read all the same. */
  threads: 2,
  ofShare: 1,
  /** The largest documents that are accepted take two seconds on a slow machine. */
  seconds: 10,
  /** Of one thread, in MiB. The largest documents that are accepted take half of it. */
  memory: 384,
  /** A thread takes a tenth of a second to start, and 40 MiB of memory. */
  idleSeconds: 30,
  /** Documents that wait; those of one sender are read one after the other. */
  waitingOfShare: 256,
  waiting: 1_024,
  waitingBytes: 256 * MIB,
};

/** Reads all documents where they are: in tests, and in processes that answer nobody else. */
export const readHere: DocumentTasks = {
  run: async (task, input) => (await task.load())(input),
  close: async () => undefined,
};

/** `makePool` is called with the first document that is not small. */
export function createDocumentTasks(makePool: () => Promise<ThreadPool>): DocumentTasks {
  let pool: Promise<ThreadPool> | null = null;
  return {
    run: async (task, input, asker) => {
      if (asker.bytes <= DOCUMENT_TASK_LIMITS.bytesHere) return (await task.load())(input);
      pool ??= makePool();
      const answer = await (await pool).run({ name: task.name, input, ...asker });
      const output = JSON.parse(answer.output);
      // What is done with a large answer gets a turn of its own.
      if (answer.output.length > DOCUMENT_TASK_LIMITS.jsonBytesHere) await nextTurn();
      return answer.bytes === null ? output : { ...output, bytes: answer.bytes };
    },
    close: async () => (await pool)?.close(),
  };
}
