/** `tutti logs`: the execution log of a run, or a part of it. */
import type { Client } from '@tutti/client';
import { parseTimestamp } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import { type ConnectionOptions, connectBy, findConnection } from '../connection/connection.ts';
import { findStart } from '../logs/find-start.ts';
import { createJobNames, type JobNames } from '../logs/job-names.ts';
import { createLineSearch } from '../logs/line-search.ts';
import { createLineSplitter, type LogLine, readLogLine } from '../logs/log-line.ts';
import { createLinePrinter } from '../logs/print-line.ts';
import { withDisplayDefaults } from '../options/display-options.ts';
import type { Moment } from '../options/moments.ts';
import { checkLimit } from '../options/time-limit.ts';
import { runEnding } from '../runs/not-over.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { untilStopped } from '../terminal/until-stopped.ts';

export interface LogsOptions extends ConnectionOptions {
  readonly follow?: boolean;
  /** With `follow`: milliseconds. */
  readonly timeout?: number | undefined;
  /** Patterns. */
  readonly job?: string | undefined;
  readonly step?: string | undefined;
  readonly since?: Moment | undefined;
  readonly tail?: number | undefined;
  /** A regular expression. */
  readonly grep?: string | undefined;
  readonly ignoreCase?: boolean;
  readonly around?: number | undefined;
  readonly timestamps?: boolean;
  readonly outputPrefix?: string | undefined;
  readonly output: 'text' | 'json';
}

/** Prints the log of a run, by default of the newest one. Resolves with the exit code. */
export async function showLogs(
  text: string | undefined,
  given: LogsOptions,
  io: Io,
): Promise<number> {
  checkOptions(given);
  const isMatch = await matcherOf(given);
  const connection = await findConnection(given, io);
  const client = await connectBy(connection, given, io);
  // With `--timestamps`, a configured prefix does not replace the times.
  const options =
    given.timestamps === true ? given : withDisplayDefaults(given, connection.context);
  const id = await workflowRef(client, text, { what: 'to show the log of' }, io);
  const names = createJobNames(client, id, options.job);
  const sinceMs = options.since?.(io.now()) ?? null;
  const isWanted = (line: LogLine) => isSince(line, sinceMs) && names.isChosen(line);
  const open = await openLog(client, id, { options, names, sinceMs, isWanted, isMatch });
  const search = createLineSearch(isMatch, options.around ?? 0);
  const print = createLinePrinter(options, names, io);
  let hasShown = false;
  const show = async (texts: readonly string[]) => {
    const lines = texts.map(readLogLine);
    await names.learn(lines);
    const shown = lines.filter(isWanted).flatMap((line) => search.push(line));
    if (shown.length === 0) return;
    hasShown = true;
    io.screen.write(shown.map(print).join(''));
    await io.drained();
  };
  const showAll = async (signal?: AbortSignal) => {
    const splitter = createLineSplitter();
    for await (const piece of open(signal)) await show(splitter.push(piece));
    await show(splitter.rest());
    if (!hasShown) io.complain(nothingFits(names));
  };
  const { follow, timeout } = options;
  if (follow === true) return await untilStopped(showAll, runEnding(client, id, timeout, io), io);
  await showAll();
  return EXIT_CODES.done;
}

const JOBS_SHOWN = 10;

/** Printed on standard error, since programs read standard output. */
function nothingFits(names: JobNames): string {
  const jobs = names.missed();
  if (jobs === null || jobs.length === 0) return 'No line of the log fits.\n';
  const named = jobs.slice(0, JOBS_SHOWN).map(cleanLine).join(', ');
  const more = jobs.length > JOBS_SHOWN ? ', …' : '';
  return `No job of the workflow is called so; there are: ${named}${more}.\n`;
}

function checkOptions(options: LogsOptions): void {
  const { step, tail, grep, ignoreCase, around, follow = false, timeout } = options;
  checkLimit(timeout, '-f', follow);
  if (grep === undefined && (ignoreCase === true || around !== undefined)) {
    throw new UsageError('-i and -C go with --grep.', 'add --grep PATTERN, or leave them out.');
  }
  if (step !== undefined && tail !== undefined) {
    throw new UsageError(
      '--step and --tail do not go together: the log of a step is made from its beginning.',
      'leave one of them out; "| tail -n N" gives the last lines.',
    );
  }
}

async function matcherOf({ grep, ignoreCase = false }: LogsOptions) {
  if (grep === undefined) return () => true;
  const { createTextSearch } = await import('@tutti/expressions/text-search');
  const isFound = createTextSearch(grep, { ignoresCase: ignoreCase });
  return ({ text }: LogLine) => isFound(text);
}

/** The first lines of a log have no time, and count as oldest. */
function isSince({ timestamp }: LogLine, sinceMs: number | null): boolean {
  if (sinceMs === null) return true;
  return (parseTimestamp(timestamp ?? '') ?? Number.NEGATIVE_INFINITY) >= sinceMs;
}

interface Wanted {
  readonly options: LogsOptions;
  readonly names: JobNames;
  readonly sinceMs: number | null;
  readonly isWanted: (line: LogLine) => boolean;
  readonly isMatch: (line: LogLine) => boolean;
}

/** Largest difference between the times of log lines and their order, since lines come from several services. */
const SLACK_MS = 10_000;

/** Opens the log at the first wanted line. */
async function openLog(
  client: Client,
  id: string,
  { options, names, sinceMs, isWanted, isMatch }: Wanted,
): Promise<(signal?: AbortSignal) => AsyncIterable<string>> {
  const { step, follow = false, tail, around: context = 0 } = options;
  if (step !== undefined) {
    const { stepLog } = await import('../logs/step-log.ts');
    return (signal) => stepLog(client, id, step, { follow, signal });
  }
  if (tail === undefined && sinceMs === null)
    return (signal) => client.logs(id, { follow, signal });
  const oldestMs = sinceMs === null ? null : sinceMs - SLACK_MS;
  const isCounted = (line: LogLine) => isWanted(line) && isMatch(line);
  const from = await findStart(client, id, {
    count: tail ?? Number.POSITIVE_INFINITY,
    isCounted,
    isTooOld: (line) => line.timestamp !== null && !isSince(line, oldestMs),
    learn: (lines) => names.learn(lines),
    context,
    isWanted,
  });
  return (signal) => client.logs(id, { follow, from, signal });
}
