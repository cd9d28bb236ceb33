/** From the bytes of a report to test results in groups that fit into events: all that is costly about a report, without its run. */
import type { AttachmentId, ReportFormat, TestResult } from '@tutti/manifests';
import { loadReader } from './formats.ts';
import { readReport } from './read-report.ts';
import { inBatches, testResultOf } from './test-results.ts';

export interface ResultsRequest {
  readonly attachmentId: AttachmentId;
  readonly format: ReportFormat;
  /** How many results at the beginning are not wanted: an earlier reading has published them. */
  readonly skip: number;
}

/** What was found since the last part; a part may have no results. */
export interface ResultsPart {
  readonly results: readonly TestResult[];
  readonly generalErrors: readonly string[];
  readonly doubt: string | null;
  /** Results that were found so far, those that were not wanted included. */
  readonly found: number;
}

/** Throws `Invalid` when the report cannot be read any further, after the part with all that was found. Errors of `content` are passed on. */
export async function* readResults(
  request: ResultsRequest,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<ResultsPart> {
  const so: Found = { count: 0, errors: [], doubt: null };
  const part = (results: readonly TestResult[]): ResultsPart => ({
    results,
    generalErrors: so.errors.splice(0),
    doubt: so.doubt,
    found: so.count,
  });
  try {
    for await (const results of inBatches(resultsOf(request, content, so))) yield part(results);
  } catch (error) {
    yield part([]);
    throw error;
  }
  yield part([]);
}

interface Found {
  count: number;
  readonly errors: string[];
  doubt: string | null;
}

async function* resultsOf(
  { attachmentId, format, skip }: ResultsRequest,
  content: AsyncIterable<Uint8Array>,
  so: Found,
): AsyncGenerator<TestResult> {
  const createReader = await loadReader(format);
  for await (const { cases, generalErrors, doubt } of readReport(content, createReader)) {
    so.errors.push(...generalErrors);
    so.doubt ??= doubt;
    for (const each of cases) {
      const index = so.count;
      so.count += 1;
      if (index >= skip) yield testResultOf(each, attachmentId, index);
    }
  }
}
