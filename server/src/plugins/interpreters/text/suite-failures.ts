/**
 * Suites that failed as a whole. They are general errors. If none of their tests failed for the same reason, they are also a
 * result under the suite's name. Without it, a quality gate would pass tests that never ran.
 */
import type { TestResultDetails } from '@tutti/manifests';
import type { FoundCase, ReportSink } from '../format-reader.ts';

interface OpenSuite {
  readonly name: string;
  /** Reasons that its tests gave for their failures. */
  readonly reported: Set<string>;
  own: TestResultDetails | null;
}

/** Reasons that tests give when a suite around them failed. They are few words, such as `setup`. */
export interface SuiteReasons {
  ofTest(one: FoundCase): readonly string[];
  ofSuite(details: TestResultDetails): readonly string[];
}

/** In other formats, any failed test explains the failure of its suites. */
const ANY = ['any'];
const ANY_REASON: SuiteReasons = { ofTest: () => ANY, ofSuite: () => ANY };

export interface OpenSuites {
  open(name: string): void;
  close(): void;
  /** Names of the open suites, from the outermost. */
  names(): readonly string[];
  /** Passes on a case. */
  found(one: FoundCase): void;
  /** Reports that the innermost suite itself failed. */
  failed(details: TestResultDetails): void;
}

export function createOpenSuites(
  sink: ReportSink,
  join: (names: readonly string[]) => string | null,
  reasons: SuiteReasons = ANY_REASON,
): OpenSuites {
  const suites: OpenSuite[] = [];
  const names = () => suites.map(({ name }) => name);
  return {
    names,
    open: (name) => {
      suites.push({ name, reported: new Set(), own: null });
    },
    found(one) {
      const last = suites.at(-1);
      if (last !== undefined && isFailed(one)) report(last, reasons.ofTest(one));
      sink.found(one);
    },
    failed(details) {
      const last = suites.at(-1);
      if (last !== undefined) last.own ??= details;
    },
    close() {
      const suite = join(names());
      const ended = suites.pop();
      if (ended === undefined) return;
      const own = ended.own === null ? [] : reasons.ofSuite(ended.own);
      const isReported = own.some((reason) => ended.reported.has(reason));
      if (ended.own !== null) reportFailure(sink, suite, ended.own, isReported);
      const around = suites.at(-1);
      if (around === undefined) return;
      report(around, ended.reported);
      // If tests give reasons, a failed suite does not explain the suites around it.
      if (reasons === ANY_REASON) report(around, own);
    },
  };
}

function report(suite: OpenSuite, reasons: Iterable<string>): void {
  for (const reason of reasons) suite.reported.add(reason);
}

function reportFailure(
  sink: ReportSink,
  suite: string | null,
  details: TestResultDetails,
  isReported: boolean,
): void {
  const name = suite ?? '(suite)';
  sink.generalError(`${name}: ${details.message ?? details.text ?? 'failed'}`);
  if (isReported) return;
  sink.found({ suite, name, status: 'ERROR', duration: 0, errorDetails: details });
}

function isFailed({ status }: FoundCase): boolean {
  return status === 'FAILURE' || status === 'ERROR';
}
