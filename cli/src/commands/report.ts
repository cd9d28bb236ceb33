/** `tutti report`: saves reports on a run, made for a given definition or by the server itself (clients facts 3.10). */
import { join } from 'node:path';
import type { Client } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { createNamePattern } from '@tutti/selectors';
import { saveAttachments } from '../attachments/save-attachments.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type Column, printList } from '../resources/item-list.ts';
import { collectReports, type PublishedReport } from '../runs/collect-reports.ts';
import { htmlReport, requestReports } from '../runs/html-report.ts';
import { complainOf, reportWarningsOf } from '../runs/report-warnings.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { readNamedBytes } from '../terminal/named-file.ts';
import { UsageError } from '../terminal/problem.ts';
import { asArgument } from '../terminal/shell-argument.ts';

export interface ReportOptions extends ConnectionOptions {
  /** Path of a file with definitions of insights. */
  readonly using?: string | undefined;
  /** Makes the page that needs no definitions. */
  readonly html?: boolean | undefined;
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

/** Saves reports on a run, by default on the newest one. Resolves with the exit code. */
export async function saveReports(
  workflowId: string | undefined,
  options: ReportOptions,
  io: Io,
): Promise<number> {
  const { using, html = false, saveTo: directory, timeout: waitMs, output } = options;
  const { name: pattern, force = false } = options;
  const collect = collectorOf({ using, html, pattern, waitMs });
  const client = await connect(options, io);
  const otherwise = workflowId === undefined ? undefined : byName(workflowId);
  const id = await workflowRef(client, workflowId, { what: 'to report on', otherwise }, io);
  const isRequested = html || using !== undefined;
  const collecting = collect(client, id);
  const collected = await (isRequested ? collecting : waitNotice(collecting, io));
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

async function waitNotice<Result>(work: Promise<Result>, { complain }: Io): Promise<Result> {
  const printNotice = () =>
    complain('Waiting for reports: the run goes on, or they are being made.\n');
  const timer = setTimeout(printNotice, SILENT_MS_MAX);
  return await work.finally(() => clearTimeout(timer));
}

interface Wanted {
  readonly using: string | undefined;
  readonly html: boolean;
  readonly pattern: string;
  readonly waitMs: number;
}

/** The definition is read before the server is asked for anything. */
function collectorOf({ using, html, pattern, waitMs }: Wanted) {
  if (html) return (client: Client, id: string) => htmlReport(client, id, waitMs);
  if (using === undefined) {
    const isWanted = createNamePattern(pattern);
    return (client: Client, id: string) => collectReports(client, id, { isWanted, waitMs });
  }
  const wanted = { definition: new Blob([readNamedBytes(using)]), pattern, waitMs };
  return (client: Client, id: string) => requestReports(client, id, wanted);
}

function itemOf({ name, uuid, type, createdAt }: PublishedReport, path: string | null) {
  return { name, saved_as: path, uuid, type, created_at: createdAt };
}
