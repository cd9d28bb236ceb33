/**
 * Turns the bytes of a report into groups of test results that fit into events. It does all the costly work on a report, without
 * its run. The format's reader finds test cases in pieces of any size.
 */
import {
  type AttachmentId,
  isOrchestratorError,
  OrchestratorError,
  type ReportFormat,
  type TestResult,
} from '@tutti/manifests';
import { cutText } from '@tutti/workflow';
import { attemptEntry, fileEntry } from '@tutti/workflow/facts';
import { derivedId } from '../../runtime/derived-id.ts';
import type { CreateFormatReader, FormatReader, FoundCase } from './format-reader.ts';
import { loadReader } from './formats.ts';
import { REPORT_LIMITS } from './report-limits.ts';
import { createReportDecoder } from './text/text-decoder.ts';

export interface ResultsRequest {
  readonly attachmentId: AttachmentId;
  readonly format: ReportFormat;
  /** Number of results to skip: an earlier reading has published them. */
  readonly skip: number;
}

/** Findings since the last part; a part may have no results. */
export interface ResultsPart {
  readonly results: readonly TestResult[];
  readonly generalErrors: readonly string[];
  readonly doubt: string | null;
  /** Number of results so far, including skipped ones. */
  readonly found: number;
}

/**
 * Reads the test results of a report, part by part. Throws `Invalid` at a mistake, after the part with all earlier results. Errors of
 * `content` are passed on.
 */
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
  for await (const { cases, generalErrors, doubt } of readCases(content, createReader)) {
    so.errors.push(...generalErrors);
    so.doubt ??= doubt;
    for (const each of cases) {
      const index = so.count;
      so.count += 1;
      if (index >= skip) yield testResultOf(each, attachmentId, index);
    }
  }
}

/** In bytes of JSON. An event may have 256 KiB; smaller ones are handled sooner by subscribers and by the garbage collector. */
const BATCH_BYTES_MAX = 64 * 1024;

/** `index` is the place of the test case in its report. The id of a result follows from it, in every reading. */
function testResultOf(found: FoundCase, attachmentId: AttachmentId, index: number): TestResult {
  const { suite, name, file, isAttempt, ...rest } = found;
  return {
    id: derivedId(`test result ${attachmentId}/${index}`),
    name: suite === null ? name : `${suite}#${name}`,
    ...(suite === null ? {} : { suite }),
    ...rest,
    ...attemptEntry(isAttempt === true),
    ...fileEntry(file),
    attachment_origin: attachmentId,
  };
}

/** Groups results so that each group fits into one event. */
export async function* inBatches(
  results: AsyncIterable<TestResult>,
): AsyncGenerator<readonly TestResult[]> {
  let batch: TestResult[] = [];
  let bytes = 0;
  try {
    for await (const result of results) {
      const size = Buffer.byteLength(JSON.stringify(result)) + 1;
      if (bytes + size > BATCH_BYTES_MAX && batch.length > 0) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(result);
      bytes += size;
    }
  } catch (error) {
    // Results from before the error count.
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

/** Findings in one piece of a report. */
interface Findings {
  readonly cases: readonly FoundCase[];
  readonly generalErrors: readonly string[];
  /** Reason why test cases may be missing from a readable report; null without one. */
  readonly doubt: string | null;
}

/**
 * Yields the test cases of a report in order, as they arrive. Throws `Invalid` with the place when the report cannot be read
 * further; earlier cases stay valid. Errors of `content` are passed on.
 */
export async function* readCases(
  content: AsyncIterable<Uint8Array>,
  createReader: CreateFormatReader,
  resultsMax: number = REPORT_LIMITS.resultsMax,
): AsyncGenerator<Findings> {
  const reading = createReading(createReader, resultsMax);
  let size = 0;
  for await (const bytes of content) {
    size += bytes.length;
    if (size > REPORT_LIMITS.bytesMax) throw tooLarge();
    yield* reading.take((reader, decoder) => reader.write(decoder.write(bytes)));
  }
  // An empty file has no format and no line.
  if (size === 0) throw new OrchestratorError('Invalid', 'the file is empty');
  yield* reading.take((reader, decoder) => {
    reader.write(decoder.end());
    reader.end();
  });
}

type Step = (reader: FormatReader, decoder: ReturnType<typeof createReportDecoder>) => void;

function createReading(
  createReader: CreateFormatReader,
  resultsMax: number,
): {
  take(step: Step): Generator<Findings>;
} {
  const decoder = createReportDecoder();
  const findings = createFindings(resultsMax);
  const reader = createReader(findings);
  let isMalformed = false;
  return {
    /** A generator, so that findings before an error come out first. */
    *take(step) {
      const error = failureOf(reader, () => step(reader, decoder));
      if (error !== null) giveHeldBack(reader);
      if (!isMalformed && decoder.malformed !== null) {
        isMalformed = true;
        findings.generalError(malformed(decoder.malformed));
      }
      const found = findings.splice();
      if (found !== null) yield found;
      if (error !== null) throw error;
    },
  };
}

function createFindings(resultsMax: number) {
  let cases: FoundCase[] = [];
  let generalErrors: string[] = [];
  let doubt: string | null = null;
  let caseCount = 0;
  let errorCount = 0;
  const generalError = (message: string): void => {
    errorCount += 1;
    if (errorCount > REPORT_LIMITS.generalErrorsMax) return;
    generalErrors.push(cutText(message, REPORT_LIMITS.messageLengthMax));
  };
  return {
    found(one: FoundCase): void {
      caseCount += 1;
      if (caseCount > resultsMax) throw tooMany(resultsMax);
      cases.push(one);
    },
    generalError,
    doubt(message: string): void {
      generalError(message);
      doubt ??= cutText(message, REPORT_LIMITS.messageLengthMax);
    },
    splice(): Findings | null {
      if (cases.length === 0 && generalErrors.length === 0 && doubt === null) return null;
      const found = { cases, generalErrors, doubt };
      cases = [];
      generalErrors = [];
      doubt = null;
      return found;
    },
  };
}

/** Results from before the error count, unless there are too many. */
function giveHeldBack(reader: FormatReader): void {
  try {
    reader.abandon();
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
  }
}

function failureOf(reader: FormatReader, step: () => void): OrchestratorError | null {
  try {
    step();
    return null;
  } catch (cause) {
    if (!isOrchestratorError(cause)) throw cause;
    const { line, column } = reader.place();
    const place = column === null ? `line ${line}` : `line ${line}, column ${column}`;
    return new OrchestratorError('Invalid', `${place}: ${cause.message}`, {
      details: { line, ...(column === null ? {} : { column }) },
      cause,
    });
  }
}

function malformed(encoding: string): string {
  return `Some characters of the report are not in its encoding, ${encoding}; they are shown as "\ufffd".`;
}

function tooLarge(): OrchestratorError {
  return new OrchestratorError(
    'Invalid',
    `the report is larger than ${REPORT_LIMITS.bytesMax} bytes`,
  );
}

function tooMany(resultsMax: number): OrchestratorError {
  return new OrchestratorError('Invalid', `more than ${resultsMax} test cases`);
}
