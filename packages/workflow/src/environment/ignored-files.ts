/** Files that a step named in vain: they are told together, as there may be thousands of them. */
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

/** What a step asked for, as far as it matters here. */
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
  /** As the step said it. */
  readonly path: string;
  readonly why: string;
}

/** Reports that nothing was read of, by what hindered it. */
interface LostReports {
  /** There were too many files. */
  readonly beyond: FileCount | undefined;
  /** The step says that there are none. */
  readonly absent: FileCount | undefined;
  readonly unread: readonly UnreadReport[];
}

/** What the result of a step tells of its reports that are not there: at most one entry for each reason. */
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
