/** The task loop of a thread in a `ThreadPool`. A task names its function; one task runs after the other. */
import { parentPort } from 'node:worker_threads';
import {
  refusalToSend,
  type TaskAnswer,
  type TaskMessage,
  type TaskOutput,
} from './thread-pool.ts';

/** A function by its name, loaded with its first task. Its result becomes JSON, except for `bytes`. */
export interface TaskFunction {
  readonly name: string;
  load(): Promise<(input: never) => unknown>;
}

export function answerTasks(table: readonly TaskFunction[]): void {
  const port = parentPort;
  if (port === null) throw new Error('Tasks are carried out in a thread of their own.');
  const answerWith = (answer: TaskAnswer) =>
    port.postMessage(
      answer,
      answer.kind === 'done' && answer.bytes !== null ? [answer.bytes.buffer] : [],
    );
  port.on('message', async (message: TaskMessage) => answerWith(await answerTo(table, message)));
  answerWith({ kind: 'ready' });
}

async function answerTo(
  table: readonly TaskFunction[],
  { name, input }: TaskMessage,
): Promise<TaskAnswer> {
  try {
    const found = table.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no task "${name}".`);
    const carryOut = await found.load();
    // The sender of an input names the function that takes it.
    return { kind: 'done', ...outputOf(await carryOut(input as never)) };
  } catch (error) {
    const refusal = refusalToSend(error);
    if (refusal !== null) return { kind: 'refused', refusal };
    return { kind: 'failed', stack: error instanceof Error ? (error.stack ?? '') : String(error) };
  }
}

function outputOf(value: unknown): TaskOutput {
  if (typeof value !== 'object' || value === null || !('bytes' in value)) {
    return { output: JSON.stringify(value), bytes: null };
  }
  const { bytes, ...rest } = value;
  return bytes instanceof Uint8Array
    ? { output: JSON.stringify(rest), bytes: new Uint8Array(bytes) }
    : { output: JSON.stringify(value), bytes: null };
}
