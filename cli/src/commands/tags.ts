/** `tutti tags`: the tags of `runs-on` in a run, and the test cases of their jobs (client facts 3.7). */
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface TagsOptions extends ConnectionOptions {
  readonly scope?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly output: string;
}

const COUNTS = 'status.testCaseStatusSummary';
const LISTING: Listing = {
  columns: [
    { title: 'NAME', cell: 'metadata.name' },
    { title: 'JOBS', cell: 'status.jobCount' },
    { title: 'SUCCESS', cell: `${COUNTS}.success` },
    { title: 'FAILURE', cell: `${COUNTS}.failure` },
    { title: 'TOTAL', cell: 'status.testCaseCount' },
    { title: 'ERROR', cell: `${COUNTS}.error`, isWide: true },
    { title: 'SKIPPED', cell: `${COUNTS}.skipped`, isWide: true },
  ],
  idPath: 'metadata.name',
  emptyText: 'There are no tags: no job has ended yet.',
};

/** Lists the tags of a run, by default of the newest one. Resolves with the exit code. */
export async function listTags(
  text: string | undefined,
  { scope, timeout: waitMs, ...options }: TagsOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  const client = await connect(options, io);
  const id = await workflowRef(client, text, { what: 'to show tags of' }, io);
  const { items, status } = await client.runItems(id, 'tags', { scope, waitMs });
  await printItems(items, LISTING, output, io);
  if (status === 'COMPLETE' || status === 'INTERRUPTED') return EXIT_CODES.done;
  io.complain('tutti: These are not all: the run goes on, or its reports are still being read.\n');
  return EXIT_CODES.undecided;
}
