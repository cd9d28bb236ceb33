/** Reads the Common Test Report Format. */
import { OrchestratorError, type TestResultStatus } from '@tutti/manifests';
import type { FormatReader, FoundCase, ReportSink } from '../format-reader.ts';
import {
  createJsonReader,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
} from '../json/json-reader.ts';
import { REPORT_LIMITS } from '../report-limits.ts';
import { detailsOf, joinNames, nameOf } from '../text/bounded-text.ts';
import { milliseconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { caseWithPlace } from '../text/failure-place.ts';
import { FileNames } from '../text/file-names.ts';

const TESTS = 'results/tests';

/** Pictures, steps and output of a report are no part of a test case. */
const SKIPPED = ['attachments', 'screenshot', 'steps', 'stdout', 'stderr', 'extra', 'parameters'];

const STATUSES = new Map<string, TestResultStatus>([
  ['passed', 'SUCCESS'],
  ['failed', 'FAILURE'],
  ['skipped', 'SKIPPED'],
  ['pending', 'SKIPPED'],
  // Runners use `other` for results that the format has no word for: the test neither passed nor was skipped.
  ['other', 'ERROR'],
]);

export function createCtrfReader(sink: ReportSink): FormatReader {
  let hasTests = false;
  const files = new FileNames();
  return createJsonReader({
    taken: [`${TESTS}/*`],
    skipped: SKIPPED,
    take(_path, value) {
      for (const each of casesOf(objectOf(value), files)) sink.found(each);
    },
    leave(path, kind) {
      if (path === TESTS && kind === 'list') hasTests = true;
    },
    end() {
      if (!hasTests) throw new OrchestratorError('Invalid', 'the document has no results.tests');
    },
    abandon: () => undefined,
  });
}

/** The executions of a test, the deciding one last. */
function casesOf(test: JsonObject, files: FileNames): readonly FoundCase[] {
  const head = { suite: suiteOf(test, files), name: nameOf(textOf(test.name)) || '(unnamed)' };
  const attempts = listOf(test.retryAttempts ?? test.attempts)
    .slice(0, REPORT_LIMITS.attemptsMax)
    .map((value): FoundCase => ({ ...executionOf(head, objectOf(value)), isAttempt: true }));
  const line = numberOf(test.line) > 0 ? String(numberOf(test.line)) : undefined;
  return [...attempts, executionOf(head, test)].map((each) =>
    caseWithPlace(each, textOf(test.filePath), line),
  );
}

function executionOf(
  { suite, name }: Pick<FoundCase, 'suite' | 'name'>,
  entry: JsonObject,
): FoundCase {
  const status = STATUSES.get(textOf(entry.status).toLowerCase()) ?? 'ERROR';
  const details = detailsOf({
    message: textOf(entry.message) || (status === 'ERROR' ? textOf(entry.rawStatus) : ''),
    text: textOf(entry.trace) || textOf(entry.snippet),
  });
  const head = { suite, name, duration: milliseconds(numberOf(entry.duration)) };
  return endedCase(head, status, status === 'SUCCESS' ? {} : details);
}

/** A list of names, or in older reports a text; else the file. */
function suiteOf({ suite, filePath }: JsonObject, files: FileNames): string | null {
  const names = typeof suite === 'string' ? [suite] : listOf(suite).map(textOf);
  return joinNames(names.map(nameOf)) ?? files.nameOf(textOf(filePath));
}
