/** `tutti status`: the workflows of a server, or the progress of one. */
import type { Client } from '@tutti/client';
import { emptyRunView, reduceRunView } from '@tutti/run-view';
import { cleanLine } from '@tutti/run-view/text';
import { type ConnectionOptions, connectBy, findConnection } from '../connection/connection.ts';
import { displayOf, withDisplayDefaults } from '../options/display-options.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import { checkLimit } from '../options/time-limit.ts';
import type { Display } from '../run-view/display.ts';
import { progressLine } from '../run-view/progress.ts';
import { jobTable, summaryLines } from '../run-view/summary.ts';
import { collectTestCases } from '../runs/collect-test-cases.ts';
import { runEnding } from '../runs/not-over.ts';
import { complainOf } from '../runs/report-warnings.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { untilStopped } from '../terminal/until-stopped.ts';

export interface StatusListOptions extends Omit<StatusOptions, 'output'> {
  readonly output: string;
}

export interface StatusOptions extends ConnectionOptions {
  /** Prints the execution log and nothing else. */
  readonly log?: boolean;
  /** With `log`: follows the log until the workflow ends. */
  readonly follow?: boolean;
  /** With `follow`: milliseconds. */
  readonly timeout?: number | undefined;
  readonly output: 'table' | 'json' | 'yaml';
  /** As in `Display`; if absent, the value of the context. */
  readonly jobDepth?: number | undefined;
  readonly maxCommandLength?: number | undefined;
}

/** Shows one run, or lists runs. Resolves with the exit code. */
export async function showStatus(
  workflowId: string | undefined,
  options: StatusListOptions,
  io: Io,
): Promise<number> {
  if (options.log === true && workflowId === undefined) {
    throw new UsageError(
      '--log prints the log of one workflow, and no id is given.',
      'see the ids with "tutti workflows", then: tutti status ID --log',
    );
  }
  if (options.follow === true && options.log !== true) {
    throw new UsageError(
      '--follow goes with --log.',
      'tutti status ID --log --follow prints the log as it comes.',
    );
  }
  checkLimit(options.timeout, '--follow', options.follow === true);
  if (workflowId !== undefined) return await showOneStatus(workflowId, oneOptions(options), io);
  const { listWorkflows } = await import('./workflows.ts');
  const { timeout: _ofFollow, ...list } = options;
  return await listWorkflows(list, io);
}

/** Throws `UsageError` for a format of lists. */
function oneOptions(options: StatusListOptions): StatusOptions {
  const { output } = options;
  if (output === 'table' || output === 'json' || output === 'yaml') return { ...options, output };
  throw new UsageError(
    `One workflow is shown as table, json or yaml, not as "${output}".`,
    'leave the id out to list all of them.',
  );
}

/** The status of one run; without an id, of the latest. */
export async function showOneStatus(
  text: string | undefined,
  options: StatusOptions,
  io: Io,
): Promise<number> {
  const connection = await findConnection(options, io);
  const client = await connectBy(connection, options, io);
  const workflowId = await workflowRef(client, text, { what: 'to show' }, io);
  if (options.output !== 'table')
    await printInFull(await client.document({ workflowId }), options, io);
  else if (options.log === true) return await printLog(client, workflowId, options, io);
  else {
    const display = displayOf(withDisplayDefaults(options, connection.context));
    await showWorkflow(client, workflowId, display, io);
  }
  return EXIT_CODES.done;
}

async function printInFull(document: object, { output }: StatusOptions, io: Io): Promise<void> {
  if (output === 'yaml') await printYaml(document, io);
  else printDocument(document, io);
}

async function printLog(
  client: Client,
  workflowId: string,
  { follow = false, timeout }: StatusOptions,
  io: Io,
): Promise<number> {
  const print = async (signal?: AbortSignal) => {
    for await (const piece of client.logs(workflowId, { follow, signal })) io.screen.write(piece);
  };
  if (follow) return await untilStopped(print, runEnding(client, workflowId, timeout, io), io);
  await print();
  return EXIT_CODES.done;
}

async function showWorkflow(
  client: Client,
  workflowId: string,
  display: Display,
  io: Io,
): Promise<void> {
  const { jobDepth, commandLength } = display;
  const { events, status } = await client.status(workflowId);
  const view = events.reduce(reduceRunView, { ...emptyRunView, commandLength });
  const { paint } = io.screen;
  const shown = view.phase === 'CANCELED' ? 'CANCELED' : status;
  const title = `Workflow "${cleanLine(view.name)}" (${workflowId}) in namespace ${view.namespace}: ${shown}`;
  io.screen.write(`${paint('bold', title)}\n`);
  if (view.canceledBy !== null) {
    const why = view.reason === null ? '' : `: ${view.reason}`;
    io.screen.write(`${cleanLine(`It was canceled by ${view.canceledBy}${why}`)}\n`);
  }
  if (status === 'DONE' || status === 'FAILED') {
    const collected = await collectTestCases(client, workflowId, { untilComplete: false });
    const { items: testCases, isComplete, warnings } = collected;
    const mayBeMissing = warnings.length > 0;
    const ended = { view, status, testCases, isComplete, mayBeMissing, jobDepth };
    io.screen.write(`${summaryLines(ended, paint, io.command).join('\n')}\n`);
    complainOf(warnings, io);
    return;
  }
  const jobs = jobTable([...view.jobs.values()], paint, jobDepth);
  // The line has no width limit: it is printed once and may wrap.
  const progress = progressLine(view, io.now(), Number.MAX_SAFE_INTEGER, { jobDepth });
  io.screen.write(`\n${[...jobs, '', progress].join('\n')}\n`);
}
