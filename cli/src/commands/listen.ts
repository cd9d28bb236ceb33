/** `tutti subscriptions listen`: shows events while they pass, without an inbox. */
import { setTimeout as pause } from 'node:timers/promises';
import { isTransient, isUnreachableError, type JsonRecord } from '@tutti/client';
import { EVENT_VERSIONS, isOrchestratorError } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import type { SelectorOptions } from '../options/selector-options.ts';
import { type Output, readOutput } from '../resources/output.ts';
import type { Listing } from '../resources/print-items.ts';
import { valuePath, valuesAt } from '../resources/value-path.ts';
import { createRowFormatter } from '../resources/watch-view.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { untilStopped } from '../terminal/until-stopped.ts';

export interface ListenOptions extends ConnectionOptions, SelectorOptions {
  readonly kind?: readonly string[];
  /** Ends after this number of events. */
  readonly count?: number;
  /** Milliseconds; ends after that time. */
  readonly timeout?: number;
  readonly output: string;
}

interface Listening {
  readonly output: Output;
  readonly left: { count: number };
}

/** Prints the events of a subscription as they pass, up to a count. Resolves with the exit code. */
export async function listenToEvents(options: ListenOptions, io: Io): Promise<number> {
  const { count, timeout } = options;
  const output = readOutput(options.output);
  const left = { count: count ?? Number.POSITIVE_INFINITY };
  const late = () =>
    io.complain(`tutti: The time is over, and ${left.count} of ${count} events are missing.\n`);
  const ending = { timeout, ...(count !== undefined && { late }) };
  const follow = (signal: AbortSignal) => listen(options, { output, left }, io, signal);
  return await untilStopped(follow, ending, io);
}

const PAUSE_MS = 1_000;

/** Reconnects once it was connected; resolves when no more events are wanted. */
async function listen(
  options: ListenOptions,
  { output, left }: Listening,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const client = await connect(options, io);
  const textOf = createPresenter(output);
  const selection = { fieldSelector: fieldsOf(options), labelSelector: options.selector };
  for (let opened = 0; ; ) {
    try {
      for await (const item of client.publications(selection, { signal })) {
        if (item.type === 'open') {
          opened += 1;
          io.complain(opened === 1 ? 'Listening. Ctrl-C ends it.\n' : 'The server is back.\n');
        } else if (item.type === 'missed') {
          io.complain(`tutti: ${item.count} events passed faster than they were read.\n`);
        } else {
          io.screen.write(await textOf(item.publication));
          left.count -= 1;
          if (left.count === 0) return;
          await io.drained();
        }
      }
      io.complain(BROKEN);
    } catch (error) {
      signal.throwIfAborted();
      if (isUnknown(error)) throw noStream();
      if (opened === 0 || !isTransient(error)) throw error;
    }
    await pause(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

const BROKEN =
  'tutti: The connection is broken. It is tried again; what passes meanwhile is not shown.\n';

/** Other servers have no such route, or return something unreadable, with words of their own. */
function isUnknown(error: unknown): boolean {
  if (isOrchestratorError(error)) return ['NotFound', 'MethodNotAllowed'].includes(error.reason);
  return isUnreachableError(error) && /answered (?:40[45]\b|without a stream)/.test(error.message);
}

const noStream = (): UsageError =>
  new UsageError(
    'This server does not show events as they pass.',
    'have them sent to an inbox: tutti subscriptions create --endpoint URL',
  );

/** Kinds are conditions like others. */
function fieldsOf({ kind = [], fieldSelector }: ListenOptions): string | undefined {
  const kinds = kind.length === 0 ? [] : [`kind in (${kind.join(', ')})`];
  const conditions = [...kinds, ...(fieldSelector === undefined ? [] : [fieldSelector])];
  return conditions.length === 0 ? undefined : conditions.join(',');
}

/** Width of the longest known kind. */
const KIND_WIDTH = Math.max(...Object.keys(EVENT_VERSIONS).map((kind) => kind.length));

const LISTING: Listing = {
  columns: [
    { title: 'TIME', cell: 'metadata.creationTimestamp' },
    { title: 'KIND', cell: 'kind', leastWidth: KIND_WIDTH },
    { title: 'NAME', cell: 'metadata.name' },
    { title: 'WORKFLOW_ID', cell: 'metadata.workflow_id' },
    { title: 'JOB_ID', cell: 'metadata.job_id' },
    { title: 'NAMESPACE', cell: 'metadata.namespace', isWide: true },
    { title: 'STEP_ID', cell: 'metadata.step_id', isWide: true },
  ],
  // Events have no ids of their own; commands take that of their run.
  idPath: 'metadata.workflow_id',
  emptyText: '',
};

/** Prints a row, a document or an id for each publication; no id if it concerns no run. */
function createPresenter(output: Output) {
  const rows = createRowFormatter(LISTING, output);
  const idPath = valuePath(LISTING.idPath) ?? [];
  return (publication: JsonRecord) =>
    output.kind === 'name' && valuesAt(publication, idPath).length === 0 ? '' : rows([publication]);
}
