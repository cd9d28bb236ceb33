/** Broken reports, and the warnings about them wherever test results are shown. */
import { messages } from './messages.ts';

/** The problem that a reader found in a report. */
export interface ReportFault {
  /** Name of the file. */
  readonly file: string;
  /** The problem as a sentence. */
  readonly problem: string;
  /** Number of test cases that were read. */
  readonly testCases: number;
  /** True if the report could not be read to its end. False if it could, and does not look whole. */
  readonly isCut: boolean;
}

/** A broken report with its place in the run, as far as that is known. */
export interface BrokenReport extends ReportFault {
  /** Name of the job. */
  readonly job: string | null;
  /** Label of the step. */
  readonly step: string | null;
  /** Number of missing reports if there are several; `file` is the first. Absent for one report. */
  readonly count?: number;
}

/** Reports that a step promised and that did not arrive, all for the same reason. */
export interface MissingReports {
  /** The first report, as the step named it. */
  readonly file: string;
  readonly count: number;
  /** A sentence about all of them. */
  readonly problem: string;
}

/** Broken reports with a warning of their own. A workflow may have thousands of them, for the same reason. */
export const BROKEN_REPORTS_SHOWN = 20;

/** A warning for each report; `total` also counts the reports without one. */
export function brokenReportWarnings(
  reports: readonly BrokenReport[],
  total: number,
): readonly string[] {
  const shown = reports.slice(0, BROKEN_REPORTS_SHOWN);
  const more = total - shown.length;
  return [...shown.map(warningOf), ...(more > 0 ? [messages.reportsBrokenMore(more)] : [])];
}

function warningOf(report: BrokenReport): string {
  const { file, job, step, problem, testCases, isCut, count = 1 } = report;
  const place = [
    ...(job === null ? [] : [`job "${job}"`]),
    ...(step === null ? [] : [`step "${step}"`]),
  ];
  if (count > 1) return messages.reportsMissing(file, count, place.join(', '), problem);
  const what = isCut ? messages.reportCut(testCases) : messages.reportDoubtful(testCases);
  return messages.reportBroken(file, place.join(', '), problem, what);
}
