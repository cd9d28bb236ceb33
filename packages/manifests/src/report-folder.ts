/**
 * Report folders: a page with its pictures, videos and traces, attached as one archive (`.tar.gz`). Its files stay together, and take one
 * transfer, however many there are.
 */

/** The type of such an attachment. */
export const REPORT_FOLDER_TYPE = 'application/vnd.tutti.report-folder+gzip';

/** First file of the archive. It has a line for each file: `+ PATH` for one in the archive, `- PATH` for one that was left out. */
export const REPORT_FOLDER_LIST = '.tutti-files';

export const REPORT_FOLDER_LIMITS = {
  /** The size of all files: the evidence of some hundred failed tests with videos. The largest files beyond it are left out. */
  bytes: 512 * 1024 * 1024,
  /** A report has two or three files for each test. */
  files: 10_000,
  /** The list: a path mostly has a hundred bytes. */
  listBytes: 4 * 1024 * 1024,
} as const;
