/** How test cases are written, page by page: of a run with a hundred thousand of them, one page is in memory. */
import type { JsonRecord, TestCasePage } from '@tutti/client';
import { cleanLine } from '../terminal/style.ts';

/** Each function gives the text to write next. */
export interface TestCaseFormat {
  begin(first: TestCasePage): string;
  items(items: readonly JsonRecord[]): string;
  end(last: TestCasePage): string;
  /** Said on standard error in place of a table that has no rows; absent where the output shows by itself that there is none. */
  emptyText?(last: TestCasePage): string;
}

/** Those beside the forms that all lists have. */
export const REPORT_FORMS = ['junit', 'ctrf'] as const;
const TEST_CASE_FORMATS = ['table', 'wide', 'json', 'yaml', 'name', ...REPORT_FORMS] as const;
export type TestCaseFormatName = (typeof TEST_CASE_FORMATS)[number];

/** That there are none, with the reason of the server. */
export function noTestCases({ document: { message } }: TestCasePage): string {
  const why = typeof message === 'string' ? cleanLine(message) : '';
  return `There are no test cases.${why === '' ? '' : ` ${why}`}\n`;
}

export interface FormatContext {
  /** For titles. */
  readonly workflowId: string;
  /** Version of this command. */
  readonly version: string;
}
