/** `tutti subscriptions listen`: shows events while they pass, without an inbox. */
import { isTransient, isUnreachableError, type JsonRecord } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../problem.ts';
import type { SelectorOptions } from '../resources/selector-options.ts';
import { textAt, valuePath, valuesAt } from '../resources/value-path.ts';
import { cleanLine } from '../run-view/style.ts';
import { createTableWriter } from '../table.ts';

export interface ListenOptions extends ConnectionOptions, SelectorOptions {
  readonly kind?: readonly string[];
  /** Ends after so many. */
  readonly count?: number;
  /** Milliseconds; ends after that time. */
  readonly timeout?: number;
  readonly output: 'table' | 'json';
}

/** Resolves with the exit code: that of a failure where fewer events came than were asked for. */
export async function listenToEvents(options: ListenOptions, io: Io): Promise<number> {
  const stop = new AbortController();
  const stopListening = io.onStop(() => stop.abort());
  const timer =
    options.timeout === undefined ? null : setTimeout(() => stop.abort(TIME_OVER), options.timeout);
  const left = { count: options.count ?? Number.POSITIVE_INFINITY };
  try {
    await listen(options, left, io, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    if (timer !== null) clearTimeout(timer);
    stopListening();
  }
  if (stop.signal.reason !== TIME_OVER || options.count === undefined) return EXIT_CODES.done;
  io.complain(
    `tutti: The time is over, and ${left.count} of ${options.count} events are missing.\n`,
  );
  return EXIT_CODES.failed;
}

const TIME_OVER = 'time is over';
const PAUSE_MS = 1_000;

/** Connects again and again once it was connected; resolves when nothing more is wanted. */
async function listen(
  options: ListenOptions,
  left: { count: number },
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const client = await connect(options, io);
  const show = options.output === 'json' ? jsonWriter(io) : tableWriter(io);
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
          show(item.publication);
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
    await pause(signal);
  }
}

const BROKEN =
  'tutti: The connection is broken. It is tried again; what passes meanwhile is not shown.\n';

/** Servers of others have nothing there, or nothing that can be read, and may say so in words of their own. */
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

/** One document a line. */
const jsonWriter = (io: Io) => (publication: JsonRecord) =>
  io.screen.write(`${JSON.stringify(publication)}\n`);

const COLUMNS = [
  ['TIME', 'metadata.creationTimestamp'],
  ['KIND', 'kind'],
  ['NAME', 'metadata.name'],
  ['WORKFLOW_ID', 'metadata.workflow_id'],
  ['JOB_ID', 'metadata.job_id'],
] as const;

function tableWriter(io: Io) {
  const rowsOf = createTableWriter(COLUMNS.map(([title]) => title));
  return (publication: JsonRecord) => {
    const row = COLUMNS.map(([, path]) => cellOf(publication, path));
    io.screen.write(`${rowsOf([row]).join('\n')}\n`);
  };
}

function cellOf(publication: JsonRecord, path: string): string {
  const steps = valuePath(path) ?? [];
  return valuesAt(publication, steps).length === 0 ? '' : cleanLine(textAt(publication, steps));
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
