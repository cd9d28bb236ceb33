/** `tutti report`: saves reports on a run, made for a given definition or by the server itself (clients facts 3.10). */
import { join } from 'node:path';
import type { Client } from '@tutti/client';
import { createNamePattern } from '@tutti/selectors';
import { saveAttachments } from '../attachments/save-attachments.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type Column, printList } from '../resources/item-list.ts';
import { type Collected, collectReports, type PublishedReport } from '../runs/collect-reports.ts';
import { complainOf, reportWarningsOf } from '../runs/report-warnings.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { readNamedBytes } from '../terminal/named-file.ts';
import { UsageError } from '../terminal/problem.ts';
import { asArgument } from '../terminal/shell-argument.ts';
import { cleanLine } from '../terminal/style.ts';

export interface ReportOptions extends ConnectionOptions {
  /** Path of a file with definitions of insights. */
  readonly using?: string | undefined;
  /** Pattern of their names. */
  readonly name: string;
  readonly saveTo: string;
  /** Name of the file of the only one. */
  readonly as?: string | undefined;
  readonly force?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly output: string;
}

const COLUMNS: readonly Column[] = [
  { key: 'name' },
  { key: 'saved_as' },
  { key: 'uuid', isWide: true },
  { key: 'type', isWide: true },
  { key: 'created_at', isWide: true },
];

/** Resolves with the exit code. Without an id it takes the newest run. */
export async function saveReports(
  workflowId: string | undefined,
  options: ReportOptions,
  io: Io,
): Promise<number> {
  const { using, saveTo: directory, force = false, timeout: waitMs, output } = options;
  const definition = using === undefined ? null : new Blob([readNamedBytes(using)]);
  const client = await connect(options, io);
  const otherwise = workflowId === undefined ? undefined : byName(workflowId);
  const id = await workflowRef(client, workflowId, { what: 'to report on', otherwise }, io);
  const collecting = collect(client, id, { definition, pattern: options.name, waitMs });
  const collected = await (definition === null ? tellingWait(collecting, io) : collecting);
  for (const problem of collected.problems) io.complain(`tutti: ${cleanLine(problem)}\n`);
  const files = collected.reports.map((report) => ({ ...report, folder: [] }));
  if (options.as !== undefined && files.length > 1) throw severalReports(files, options.as);
  const at = options.as === undefined ? {} : { at: join(directory, options.as) };
  const wanted = files.map((file) => ({ ...file, ...at }));
  const from = { client, workflowId: id, directory, force };
  const saved = await saveAttachments(from, wanted, io);
  const items = saved.map(({ path, ...report }) => itemOf(report, path));
  if (items.length > 0)
    await printList(COLUMNS, { items }, { format: output, idKey: 'saved_as' }, io);
  complainOf(await reportWarningsOf(client, id), io);
  if (!collected.isComplete) return EXIT_CODES.undecided;
  const isAll = items.length > 0 && saved.every(({ path }) => path !== null);
  return isAll ? EXIT_CODES.done : EXIT_CODES.failed;
}

function severalReports(reports: readonly PublishedReport[], as: string): UsageError {
  const names = reports.map(({ name }) => cleanLine(name)).join(', ');
  return new UsageError(
    `There are ${reports.length} reports, and one can be saved as ${as}: ${names}.`,
    'choose one with --name, or leave --as out.',
  );
}

const byName = (text: string): string =>
  `to save the reports of that name, write: tutti report --name ${asArgument(text)}`;

/** Existing reports arrive at once. Others begin at the end of the run, so a message says that the command waits. */
const SILENT_MS_MAX = 2_000;

async function tellingWait<Result>(work: Promise<Result>, { complain }: Io): Promise<Result> {
  const tell = () => complain('Waiting for reports: the run goes on, or they are being made.\n');
  const timer = setTimeout(tell, SILENT_MS_MAX);
  return await work.finally(() => clearTimeout(timer));
}

interface Wanted {
  readonly definition: Blob | null;
  readonly pattern: string;
  readonly waitMs: number;
}

async function collect(
  client: Client,
  workflowId: string,
  { definition, pattern, waitMs }: Wanted,
): Promise<Collected> {
  if (definition === null) {
    const isWanted = createNamePattern(pattern);
    return await collectReports(client, workflowId, { isWanted, waitMs });
  }
  const promised = await client.requestInsights(workflowId, { definition, pattern });
  const { requestId, expected, warnings } = promised;
  if (requestId === null || expected.length === 0) {
    const problems = [`The definition has no insight whose name fits "${pattern}".`];
    return { reports: [], problems, isComplete: true };
  }
  const count = expected.length;
  const collected = await collectReports(client, workflowId, { requestId, count, waitMs });
  return { ...collected, problems: [...warnings, ...collected.problems] };
}

function itemOf({ name, uuid, type, createdAt }: PublishedReport, path: string | null) {
  return { name, saved_as: path, uuid, type, created_at: createdAt };
}
