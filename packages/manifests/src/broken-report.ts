/** Reports of which test cases may be missing, and what is said of them wherever test results are told. */
import { messages } from './messages.ts';

/** What a reader found wrong with a report. */
export interface ReportFault {
  /** Name of the file. */
  readonly file: string;
  /** A sentence. */
  readonly problem: string;
  /** How many test cases were read. */
  readonly testCases: number;
  /** The report was not read to its end. Otherwise it was, and does not look whole. */
  readonly isCut: boolean;
}

/** A report of a run with its place in the workflow, as far as that is known. */
export interface BrokenReport extends ReportFault {
  /** Name of the job. */
  readonly job: string | null;
  /** What the step is called. */
  readonly step: string | null;
  /** Of several reports, none of which is there, `file` being the first. Absent for one. */
  readonly count?: number;
}

/** Reports that a step promised and that did not arrive, all for one reason. */
export interface MissingReports {
  /** Of the first one, as the step said it. */
  readonly file: string;
  readonly count: number;
  /** A sentence about all of them. */
  readonly problem: string;
}

/** Broken reports that are told one by one; a workflow may have thousands of them, for one and the same reason. */
export const BROKEN_REPORTS_TOLD = 20;

/** A sentence for each; `total` counts also those that are not among them. */
export function brokenReportWarnings(
  reports: readonly BrokenReport[],
  total: number,
): readonly string[] {
  const told = reports.slice(0, BROKEN_REPORTS_TOLD);
  const more = total - told.length;
  return [...told.map(warningOf), ...(more > 0 ? [messages.reportsBrokenMore(more)] : [])];
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
