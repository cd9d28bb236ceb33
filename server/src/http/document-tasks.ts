/**
 * Reads and checks documents of clients. A small one is read on this thread, larger ones in another thread. The worst take
 * seconds, which would block all other requests.
 */
import type { ThreadPool, ThreadPoolLimits, ThreadTask } from '../runtime/thread-pool.ts';
import { doInTurn, nextTurn } from '../runtime/turns.ts';

/** A function that threads can run, too. Its result can be written as JSON. */
export interface DocumentTask<Input, Output> {
  /** In the table of the threads. */
  readonly name: string;
  load(): Promise<(input: Input) => Output>;
}

export type DocumentAsker = Omit<ThreadTask, 'name' | 'input'>;

export interface DocumentTasks {
  /** Throws the task's refusal, and `Invalid` for a document that needs too much time or memory. */
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
   * Largest document that is read without a thread, in bytes. The worst one (braces that open and never close) takes 45 ms of
   * processor time, before its code is compiled.
   */
  bytesHere: 4 * KIB,
  /** JSON that is only parsed, in bytes: 10 ms at worst. */
  jsonBytesHere: 256 * KIB,
} as const;

/** Limits of the threads that read documents. */
export const DOCUMENT_THREAD_LIMITS: ThreadPoolLimits = {
  /** One sender never gets both threads, so documents of others are always read. */
  threads: 2,
  ofShare: 1,
  /** The largest documents that are accepted take two seconds on a slow machine. */
  seconds: 10,
  /** Memory of one thread, in MiB. The largest accepted documents need half of it. */
  memory: 384,
  /** A thread takes a tenth of a second to start, and 40 MiB of memory. */
  idleSeconds: 30,
  /** Limits of waiting documents; those of one sender are read one after the other. */
  waitingOfShare: 256,
  waiting: 1_024,
  waitingBytes: 256 * MIB,
};

/** Reads all documents on this thread: for tests, and for processes without other clients. */
export const readHere: DocumentTasks = {
  run: async (task, input) => (await task.load())(input),
  close: async () => undefined,
};

/** `makePool` is called with the first document that is not small. */
export function createDocumentTasks(makePool: () => Promise<ThreadPool>): DocumentTasks {
  let pool: Promise<ThreadPool> | null = null;
  return {
    run: async (task, input, asker) => {
      if (asker.bytes <= DOCUMENT_TASK_LIMITS.bytesHere) {
        const read = await task.load();
        return await doInTurn(asker.share, () => read(input));
      }
      pool ??= makePool();
      const answer = await (await pool).run({ name: task.name, input, ...asker });
      const output = JSON.parse(answer.output);
      // The work on a large answer gets a turn of its own.
      if (answer.output.length > DOCUMENT_TASK_LIMITS.jsonBytesHere) await nextTurn();
      return answer.bytes === null ? output : { ...output, bytes: answer.bytes };
    },
    close: async () => (await pool)?.close(),
  };
}
