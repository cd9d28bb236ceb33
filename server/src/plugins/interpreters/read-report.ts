/** From the bytes of a report to its test cases, whatever its format. */
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { cutText } from '@tutti/workflow';
import { REPORT_LIMITS } from './report-limits.ts';
import type { CreateReportReader, FoundCase, ReportReader } from './report-reader.ts';
import { createReportDecoder } from './text/text-decoder.ts';

/** What one piece of a report brought. */
export interface Findings {
  readonly cases: readonly FoundCase[];
  readonly generalErrors: readonly string[];
  /** Why test cases may be missing, though the report can be read; null where nothing says so. */
  readonly doubt: string | null;
}

/**
 * What is in a report, in its order, as it comes. Throws `Invalid`, with a message that tells the place, when the report cannot be read
 * any further; what was given out before stays valid. Errors of `content` are passed on.
 */
export async function* readReport(
  content: AsyncIterable<Uint8Array>,
  createReader: CreateReportReader,
  resultsMax: number = REPORT_LIMITS.resultsMax,
): AsyncGenerator<Findings> {
  const reading = createReading(createReader, resultsMax);
  let size = 0;
  for await (const bytes of content) {
    size += bytes.length;
    if (size > REPORT_LIMITS.bytesMax) throw tooLarge();
    yield* reading.take((reader, decoder) => reader.write(decoder.write(bytes)));
  }
  // Not a matter of its format, nor of a line.
  if (size === 0) throw new OrchestratorError('Invalid', 'the file is empty');
  yield* reading.take((reader, decoder) => {
    reader.write(decoder.end());
    reader.end();
  });
}

type Step = (reader: ReportReader, decoder: ReturnType<typeof createReportDecoder>) => void;

function createReading(
  createReader: CreateReportReader,
  resultsMax: number,
): {
  take(step: Step): Generator<Findings>;
} {
  const decoder = createReportDecoder();
  const findings = createFindings(resultsMax);
  const reader = createReader(findings);
  let isMalformed = false;
  return {
    /** A generator, so that what was found before an error is given out first. */
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

/** What was read before the error counts, unless there is too much of it. */
function giveHeldBack(reader: ReportReader): void {
  try {
    reader.abandon();
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
  }
}

function failureOf(reader: ReportReader, step: () => void): OrchestratorError | null {
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
