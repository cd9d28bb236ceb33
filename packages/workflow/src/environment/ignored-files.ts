/** Files that a step named in vain: one line reports them together, as there may be thousands. */
import { type MissingReports, reportTypeOf } from '@tutti/manifests';
import { outputMessages } from './output-messages.ts';
import type { TransferKind } from './workflow-command.ts';

export interface FileCount {
  /** Path of the first one, as the step said it. */
  readonly first: string;
  readonly count: number;
}

/** The count with one more file. */
export function countFile(before: FileCount | undefined, path: string): FileCount {
  return before === undefined ? { first: path, count: 1 } : { ...before, count: before.count + 1 };
}

/** The parts of a file request that decide whether the file is read as a report. */
interface AskedFile {
  readonly kind: TransferKind;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The count with this file, if test results would be read of it. */
export function countReport(
  before: FileCount | undefined,
  { kind, path, parameters }: AskedFile,
): FileCount | undefined {
  const isKept = kind === 'attach' || kind === 'upload';
  return isKept && isReportType(parameters.type) ? countFile(before, path) : before;
}

export const isReportType = (type: string | undefined): boolean =>
  type !== undefined && reportTypeOf(type) !== null;

/** A report that an environment did not give. */
export interface UnreadReport {
  /** Path that the step named. */
  readonly path: string;
  readonly why: string;
}

/** Reports that nothing was read of, by what hindered it. */
interface LostReports {
  /** There were too many files. */
  readonly beyond: FileCount | undefined;
  /** Reports that the step itself said are missing. */
  readonly absent: FileCount | undefined;
  readonly unread: readonly UnreadReport[];
}

/** Warnings of a step's result about its unread reports: at most one entry for each reason. */
export function missingReports({ beyond, absent, unread }: LostReports): readonly MissingReports[] {
  const [first] = unread;
  return [
    ...(beyond === undefined ? [] : [missing(beyond, outputMessages.reportsBeyond(beyond.count))]),
    ...(first === undefined
      ? []
      : [
          missing(
            { first: first.path, count: unread.length },
            outputMessages.reportsUnread(unread.length, first.why),
          ),
        ]),
    ...(absent === undefined ? [] : [missing(absent, outputMessages.reportsAbsent(absent.count))]),
  ];
}

const missing = ({ first, count }: FileCount, problem: string): MissingReports => ({
  file: first,
  count,
  problem,
});
