/** `tutti workflows list` and `tutti status`: the runs of a server or of this machine, newest first. */
import { type Client, isUnreachableError, type JsonRecord } from '@tutti/client';
import { actorIn, parseTimestamp } from '@tutti/manifests';
import { formatAge, formatDuration } from '@tutti/run-view/text';
import {
  type Connection,
  type ConnectionOptions,
  connectBy,
  DEFAULT_DATA_DIR,
  findConnection,
  namedDataDirOf,
} from '../connection/connection.ts';
import { answersItself } from '../connection/running-server.ts';
import { checkWatchOptions, type WatchOptions } from '../options/watch-option.ts';
import { type Output, readOutput } from '../resources/output.ts';
import { type Listing, printItems, type ResourceColumn } from '../resources/print-items.ts';
import { NOTHING, textAt, valuesAt } from '../resources/value-path.ts';
import { watchItems } from '../resources/watch-items.ts';
import { createWorkflowReader, idOf, type WorkflowFilters } from '../runs/chosen-workflows.ts';
import { createDetailsReader, type RunDetails } from '../runs/run-details.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { Paint, Style } from '../terminal/style.ts';

export interface WorkflowsOptions extends ConnectionOptions, WorkflowFilters, WatchOptions {
  readonly output: string;
}

/** Rows of a table without `--limit`: each costs two requests. */
export const LISTED_RUNS_MAX = 50;

/** Lists runs. Resolves with the exit code. */
export async function listWorkflows(options: WorkflowsOptions, io: Io): Promise<number> {
  const output = readOutput(options.output);
  checkWatchOptions(options);
  const connection = await findConnection(options, io);
  const client = await connectBy(connection, options, io);
  try {
    return await list(
      client,
      { options, output, directory: directoryOf(connection, options, io) },
      io,
    );
  } catch (error) {
    // Nobody named a server, so a missing one is no mistake.
    const isNamed = connection.source !== 'the default' || namedDataDirOf(options, io.env);
    if (isNamed || !isUnreachableError(error) || error.problem === 'answer') throw error;
    if (output.kind === 'json' || output.kind === 'yaml') io.screen.write('[]\n');
    const none = `There are no runs in ${DEFAULT_DATA_DIR}, and no server answers at ${connection.url}.`;
    io.complain(asCalled(`${none} ${START}\n`, io.command));
    return EXIT_CODES.done;
  }
}

interface Asked {
  readonly options: WorkflowsOptions;
  readonly output: Output;
  readonly directory: string | null;
}

async function list(
  client: Client,
  { options, output, directory }: Asked,
  io: Io,
): Promise<number> {
  const read = createWorkflowReader(client, options);
  const hasDetails = output.kind === 'table' || output.kind === 'wide';
  const readDetails = createDetailsReader(client);
  let details: ReadonlyMap<string, RunDetails> = new Map();
  const isShort = output.kind === 'table' && io.screen.isTerminal;
  const listing: Listing = {
    columns: columnsOf((run) => details.get(idOf(run)), { isShort, nowMs: () => io.now() }),
    idPath: 'metadata.workflow_id',
    painted: paintedRow,
    emptyText: asCalled(hasFilters(options) ? NONE_FITS : noneText(directory), io.command),
  };
  if (options.watch === true) {
    const look = async (signal: AbortSignal) => {
      const runs = await read(io.now(), signal);
      if (hasDetails) details = await readDetails(runs.slice(-LISTED_RUNS_MAX), signal);
      return runs;
    };
    return await watchItems({ read: look, listing, output, timeout: options.timeout }, io);
  }
  const runs = (await read(io.now())).toReversed();
  const shown = hasDetails && options.limit === undefined ? runs.slice(0, LISTED_RUNS_MAX) : runs;
  if (hasDetails) details = await readDetails(shown);
  await printItems(shown, listing, output, io);
  if (shown.length < runs.length) {
    io.complain(
      asCalled(
        `The ${shown.length} newest of ${runs.length}; for more: tutti workflows --limit ${runs.length}\n`,
        io.command,
      ),
    );
  }
  return EXIT_CODES.done;
}

/** Beginning of an id with the time in milliseconds: enough for commands, and short enough for a row. */
const SHORT_ID = 'xxxxxxxx-xxxx'.length;
const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;

interface Look {
  /** Shows the beginnings of ids. */
  readonly isShort: boolean;
  readonly nowMs: () => number;
}

/** The id and the status stand first, as scripts for existing clients expect. */
function columnsOf(
  detailsOf: (run: JsonRecord) => RunDetails | undefined,
  { isShort, nowMs }: Look,
): readonly ResourceColumn[] {
  return [
    { title: 'WORKFLOW_ID', cell: (run) => (isShort ? idOf(run).slice(0, SHORT_ID) : idOf(run)) },
    { title: 'STATUS', cell: (run) => statusOf(run, detailsOf(run)) },
    { title: 'TESTS', cell: (run) => testsOf(detailsOf(run)) },
    { title: 'DURATION', cell: (run) => durationOf(run, detailsOf(run), nowMs()), isRunning: true },
    { title: 'AGE', cell: (run) => ageOf(run, nowMs()), isRunning: true },
    { title: 'ACTOR', cell: actorOf },
    { title: 'NAMESPACE', cell: 'metadata.namespace', isWide: true },
    { title: 'STARTED', cell: (run) => textAt(run, STARTED).slice(0, SECONDS), isWide: true },
    { title: 'NAME', cell: 'metadata.name' },
  ];
}

const STYLES: Readonly<Record<string, Style>> = {
  DONE: 'green',
  FAILED: 'red',
  CANCELED: 'yellow',
  RUNNING: 'cyan',
  PENDING: 'dim',
};
/** The status is the second word of a row. */
const STATUS = new RegExp(`^(\\S+ +)(${Object.keys(STYLES).join('|')})\\b`);

const paintedRow = (row: string, paint: Paint): string =>
  row.replace(STATUS, (_, id, status) => `${id}${paint(STYLES[status] ?? 'dim', status)}`);

const STARTED = ['metadata', 'creationTimestamp'];

const statusOf = (run: JsonRecord, details: RunDetails | undefined): string =>
  details?.isCanceled === true ? 'CANCELED' : textAt(run, ['status', 'phase']);

function testsOf(details: RunDetails | undefined): string {
  if (details === undefined || details.tests === 0) return NOTHING;
  const { tests, failedTests } = details;
  return failedTests === 0 ? `${tests}` : `${tests}, ${failedTests} failed`;
}

function durationOf(run: JsonRecord, details: RunDetails | undefined, nowMs: number): string {
  const startedAt = parseTimestamp(textAt(run, STARTED));
  const isOn = textAt(run, ['status', 'phase']) === 'RUNNING';
  const endedAt = details?.endedAt ?? (isOn ? nowMs : null);
  return startedAt === null || endedAt === null ? NOTHING : formatDuration(endedAt - startedAt);
}

function ageOf(run: JsonRecord, nowMs: number): string {
  const startedAt = parseTimestamp(textAt(run, STARTED));
  return startedAt === null ? NOTHING : formatAge(nowMs - startedAt);
}

/** Subject of the token that started the run. */
function actorOf(run: JsonRecord): string {
  const [metadata] = valuesAt(run, ['metadata']);
  const actor = typeof metadata === 'object' && metadata !== null ? actorIn(metadata) : null;
  return actor?.subject ?? NOTHING;
}

/** The data directory that is read without a server; null for the runs of a server. */
function directoryOf({ source }: Connection, options: ConnectionOptions, { env }: Io) {
  const isOfDirectory = source === 'the default' || source === 'the data directory';
  const dataDir = namedDataDirOf(options, env) ?? DEFAULT_DATA_DIR;
  return isOfDirectory && answersItself(dataDir) ? dataDir : null;
}

const START = 'Start one with: tutti run FILE';
const noneText = (directory: string | null): string =>
  directory === null
    ? `There are no workflows. ${START}`
    : `There are no runs in ${directory}. ${START}`;
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
