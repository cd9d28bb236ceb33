/**
 * Suites that failed as a whole. They are general errors; where none of their tests has failed for it, they are a result under the name
 * of the suite, too: without one, a quality gate would pass what never ran.
 */
import type { TestResultDetails } from '@tutti/manifests';
import type { FoundCase, ReportSink } from '../format-reader.ts';

interface OpenSuite {
  readonly name: string;
  /** What its tests failed for, of what suites fail for. */
  readonly told: Set<string>;
  own: TestResultDetails | null;
}

/** Where tests say whether they failed for a suite around them: what for. Few different words, such as `setup`. */
export interface SuiteReasons {
  ofTest(one: FoundCase): readonly string[];
  ofSuite(details: TestResultDetails): readonly string[];
}

/** In other formats, any failure of a test tells that its suites failed. */
const ANY = ['any'];
const ANY_REASON: SuiteReasons = { ofTest: () => ANY, ofSuite: () => ANY };

export interface OpenSuites {
  open(name: string): void;
  close(): void;
  /** Names of the open suites, from the outermost. */
  names(): readonly string[];
  /** Gives a case out. */
  found(one: FoundCase): void;
  /** The innermost suite failed by itself. */
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
      suites.push({ name, told: new Set(), own: null });
    },
    found(one) {
      const last = suites.at(-1);
      if (last !== undefined && isFailed(one)) tell(last, reasons.ofTest(one));
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
      const isTold = own.some((reason) => ended.told.has(reason));
      if (ended.own !== null) tellFailure(sink, suite, ended.own, isTold);
      const around = suites.at(-1);
      if (around === undefined) return;
      tell(around, ended.told);
      // Where tests tell why their suites failed, a suite that did says nothing of those around it.
      if (reasons === ANY_REASON) tell(around, own);
    },
  };
}

function tell(suite: OpenSuite, reasons: Iterable<string>): void {
  for (const reason of reasons) suite.told.add(reason);
}

function tellFailure(
  sink: ReportSink,
  suite: string | null,
  details: TestResultDetails,
  isTold: boolean,
): void {
  const name = suite ?? '(suite)';
  sink.generalError(`${name}: ${details.message ?? details.text ?? 'failed'}`);
  if (isTold) return;
  sink.found({ suite, name, status: 'ERROR', duration: 0, errorDetails: details });
}

function isFailed({ status }: FoundCase): boolean {
  return status === 'FAILURE' || status === 'ERROR';
}
