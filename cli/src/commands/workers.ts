/** `tutti workers`: the workers on the results of a run, such as interpreters (clients facts 3.9). */
import type { Client, JsonRecord } from '@tutti/client';
import { formatDuration } from '@tutti/run-view/text';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { checkWatchOptions, type WatchOptions } from '../options/watch-option.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { watchItems } from '../resources/watch-items.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { renderProblem } from '../terminal/problem.ts';

export interface WorkersOptions extends ConnectionOptions, WatchOptions {
  readonly output: string;
}

const LISTING: Listing = {
  columns: [
    { title: 'WORKER_ID', cell: 'worker_id' },
    { title: 'WORKFLOW_ID', cell: 'workflow_id', isWide: true },
  ],
  idPath: 'worker_id',
  emptyText: 'No worker is active.',
};

/** Lists the workers of a run, by default of the newest one. Resolves with the exit code. */
export async function listWorkers(
  text: string | undefined,
  options: WorkersOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  checkWatchOptions(options);
  const client = await connect(options, io);
  const id = await workflowRef(client, text, { what: 'to show the workers of' }, io);
  let isOver = false;
  const read = async (signal?: AbortSignal): Promise<readonly JsonRecord[]> => {
    const { items, status } = await client.workers(id, { signal });
    isOver = options.watch === true && status === 'IDLE' && (await hasEnded(client, id, signal));
    return items.map((worker) => ({ worker_id: worker, workflow_id: id }));
  };
  if (options.watch !== true) {
    await printItems(await read(), LISTING, output, io);
    return EXIT_CODES.done;
  }
  const late = (timeoutMs: number) => io.complain(lateText(id, timeoutMs, io));
  const ending = { timeout: options.timeout, late };
  return await watchItems({ read, listing: LISTING, output, isOver: () => isOver, ...ending }, io);
}

function lateText(id: string, timeoutMs: number, { command }: Io): string {
  const what = `After ${formatDuration(timeoutMs)} workflow ${id} still goes on, or workers are active.`;
  const next = `wait longer, or see how it stands with "tutti workflows show ${id}".`;
  return renderProblem({ what, why: [], next }, command);
}

/** Reports are read after the end of a run, too, so its end alone says nothing about workers. */
async function hasEnded(
  client: Client,
  workflowId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const fieldSelector = 'kind in (WorkflowCompleted,WorkflowCanceled)';
  for await (const { status } of client.eventPages(workflowId, { fieldSelector, signal })) {
    return status === 'DONE' || status === 'FAILED';
  }
  return false;
}
