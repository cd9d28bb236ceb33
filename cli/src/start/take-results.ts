/** The end of `tutti run --wait`: judges the run, and saves its reports (client facts 3.1). */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { saveFile } from '../attachments/save-file.ts';
import type { EndOptions, ReportWish } from '../options/end-options.ts';
import { noticeWriter, type ViewOptions } from '../options/view-options.ts';
import { collectReports, type PublishedReport } from '../runs/collect-reports.ts';
import { HTML_REPORT, htmlReport } from '../runs/html-report.ts';
import { complainOf } from '../runs/report-warnings.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { announceVerdict } from '../verdict/announce-verdict.ts';
import { exitCodeOf, gateLines } from '../verdict/gate-lines.ts';
import type { GitlabPlace } from '../verdict/gitlab-place.ts';

/** Time for reports, which are read and made after the end. */
const RESULTS_WAIT_MS = 60_000;

type Write = (text: string) => void;

interface ResultOptions extends EndOptions, Pick<ViewOptions, 'output' | 'progress'> {
  /** Null if no verdict goes to GitLab. */
  readonly gitlab: GitlabPlace | null;
}

interface EndedRun {
  readonly client: Client;
  readonly workflowId: string;
  /** The exit code without a gate. */
  readonly code: number;
}

/** Takes the results of an ended run: gate and reports. Resolves with the exit code, which is that of a requested gate. */
export async function takeResults(run: EndedRun, options: ResultOptions, io: Io): Promise<number> {
  const { gate, report = [] } = options;
  const print = noticeWriter(options, io);
  const judged = gate === undefined ? run.code : await judge(run, gate, { ...options, print }, io);
  const isSaved = report.length === 0 || (await saveReports(run, report, print, io));
  return judged === EXIT_CODES.done && !isSaved ? EXIT_CODES.failed : judged;
}

async function judge(
  { client, workflowId }: EndedRun,
  mode: string,
  { gitlab, progress, print }: ResultOptions & { readonly print: Write },
  io: Io,
): Promise<number> {
  const query = { mode, takenOver: true, waitMs: RESULTS_WAIT_MS };
  const report = await client.gate(workflowId, query);
  complainOf(report.warnings, io);
  print(`\n${gateLines(workflowId, mode, report).join('\n')}\n`);
  await announceVerdict(client, { workflowId, mode, report }, { gitlab, progress, print }, io);
  return exitCodeOf(report.status);
}

/** False if a report is missing. */
async function saveReports(
  { client, workflowId }: EndedRun,
  wishes: readonly ReportWish[],
  print: Write,
  io: Io,
): Promise<boolean> {
  const reports = await reportsFor(wishes, client, workflowId);
  let isAll = true;
  for (const wish of wishes) {
    const found = reports.find(({ names }) => names.includes(wish.name))?.report;
    if (found === undefined) {
      isAll = false;
      io.complain(
        missingText(
          wish,
          reports.map(({ report }) => report),
        ),
      );
      continue;
    }
    const path = await placeOf(wish, found);
    const content = async () => (await client.attachment(workflowId, found.uuid)).chunks;
    await saveFile(path, content, { force: true });
    print(`Report "${cleanLine(found.name)}" is saved as ${path}.\n`);
  }
  return isAll;
}

interface NamedReport {
  readonly names: readonly string[];
  readonly report: PublishedReport;
}

/** The page needs no look for the reports that the server makes by itself. */
async function reportsFor(
  wishes: readonly ReportWish[],
  client: Client,
  workflowId: string,
): Promise<readonly NamedReport[]> {
  const isHtml = ({ name }: ReportWish) => name === HTML_REPORT;
  const all = { isWanted: () => true, waitMs: RESULTS_WAIT_MS };
  const own = wishes.every(isHtml) ? null : await collectReports(client, workflowId, all);
  const html = wishes.some(isHtml) ? await htmlReport(client, workflowId, RESULTS_WAIT_MS) : null;
  return [
    ...(html?.reports ?? []).map((report) => ({ names: [HTML_REPORT], report })),
    ...(own?.reports ?? []).map((report) => ({ names: [report.name, report.fileName], report })),
  ];
}

async function placeOf({ path }: ReportWish, { fileName }: PublishedReport): Promise<string> {
  if (path === null) return fileName;
  return path.endsWith('/') || (await isDirectory(path)) ? join(path, fileName) : path;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // The later write reports why it fails.
    return false;
  }
}

function missingText({ name }: ReportWish, reports: readonly PublishedReport[]): string {
  const others = reports.map(({ fileName }) => cleanLine(fileName)).join(', ');
  const there = others === '' ? 'there are none' : `there are: ${others}`;
  return `tutti: The server made no report "${cleanLine(name)}" on this run; ${there}.\n`;
}
