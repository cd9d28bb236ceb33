/** Writes test cases page by page: only one page of a hundred thousand test cases is in memory. */
import type { JsonRecord, TestCasePage } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import type { EvidenceFinder } from '../report-folder/run-evidence.ts';
import type { Paint } from '../terminal/style.ts';

/** Each function gives the text to write next. */
export interface TestCaseFormat {
  begin(first: TestCasePage): string;
  items(items: readonly JsonRecord[]): string;
  end(last: TestCasePage): string;
  /** Printed on standard error instead of an empty table; absent if the output itself shows that it is empty. */
  emptyText?(last: TestCasePage): string;
}

/** Formats beyond those that all lists have. */
export const REPORT_FORMS = ['junit', 'ctrf'] as const;
const TEST_CASE_FORMATS = ['table', 'wide', 'json', 'yaml', 'name', ...REPORT_FORMS] as const;
export type TestCaseFormatName = (typeof TEST_CASE_FORMATS)[number];

/** The sentence that says that there are no test cases, with the reason of the server. */
export function noTestCases({ document: { message } }: TestCasePage): string {
  const why = typeof message === 'string' ? cleanLine(message) : '';
  return `There are no test cases.${why === '' ? '' : ` ${why}`}\n`;
}

export interface FormatContext {
  /** For titles. */
  readonly workflowId: string;
  /** Version of this command. */
  readonly version: string;
  /** One test case is shown in full. */
  readonly isOne: boolean;
  /** All of them failed, and tables show how. */
  readonly showsFailures: boolean;
  readonly paint: Paint;
  /** The name of this command in hints. */
  readonly command: string;
  /** The files of one test case, if it is shown in full to people. */
  readonly evidence?: EvidenceFinder | undefined;
}
