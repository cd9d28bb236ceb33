/** `tutti workflows list`: the runs of a server. */

import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { checkWatchOptions, type WatchOptions } from '../options/watch-option.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { watchItems } from '../resources/watch-items.ts';
import { createWorkflowReader, type WorkflowFilters } from '../runs/chosen-workflows.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface WorkflowsOptions extends ConnectionOptions, WorkflowFilters, WatchOptions {
  readonly output: string;
}

/** Columns of existing clients (client facts 3.2). */
const COLUMNS: Listing['columns'] = [
  { title: 'WORKFLOW_ID', cell: 'metadata.workflow_id' },
  { title: 'STATUS', cell: 'status.phase' },
  { title: 'NAME', cell: 'metadata.name' },
  { title: 'NAMESPACE', cell: 'metadata.namespace', isWide: true },
  { title: 'FIRST_SEEN_TIMESTAMP', cell: 'metadata.creationTimestamp', isWide: true },
];

/** Resolves with the exit code. */
export async function listWorkflows(options: WorkflowsOptions, io: Io): Promise<number> {
  const output = readOutput(options.output);
  checkWatchOptions(options);
  const client = await connect(options, io);
  const read = createWorkflowReader(client, options);
  const listing: Listing = {
    columns: COLUMNS,
    idPath: 'metadata.workflow_id',
    emptyText: asCalled(hasFilters(options) ? NONE_FITS : NONE, io.command),
  };
  if (options.watch === true) {
    const look = (signal: AbortSignal) => read(io.now(), signal);
    return await watchItems({ read: look, listing, output, timeout: options.timeout }, io);
  }
  await printItems(await read(io.now()), listing, output, io);
  return EXIT_CODES.done;
}

const NONE = 'There are no workflows. Start one with: tutti run FILE';
const NONE_FITS = 'No workflow fits. See all of them with: tutti workflows';

const hasFilters = ({
  selector,
  fieldSelector,
  status,
  name,
  namespace,
  since,
  having,
}: WorkflowFilters) =>
  [selector, fieldSelector, status, name, namespace, since, having].some(
    (each) => each !== undefined,
  );
