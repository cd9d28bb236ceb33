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

function warningOf({ file, job, step, problem, testCases, isCut }: BrokenReport): string {
  const place = [
    ...(job === null ? [] : [`job "${job}"`]),
    ...(step === null ? [] : [`step "${step}"`]),
  ];
  const what = isCut ? messages.reportCut(testCases) : messages.reportDoubtful(testCases);
  return messages.reportBroken(file, place.join(', '), problem, what);
}
