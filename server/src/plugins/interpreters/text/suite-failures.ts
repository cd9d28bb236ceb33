/**
 * Suites that failed as a whole. They are general errors; where none of their tests has failed for it, they are a result under the name
 * of the suite, too: without one, a quality gate would pass what never ran.
 */
import type { TestResultDetails } from '@tutti/manifests';
import type { FoundCase, ReportSink } from '../report-reader.ts';

interface OpenSuite {
  readonly name: string;
  hasFailures: boolean;
  own: TestResultDetails | null;
}

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

/** `tellsSuite` says of a test that failed whether it says why its suites did, where the format has that in the test. */
export function createOpenSuites(
  sink: ReportSink,
  join: (names: readonly string[]) => string | null,
  tellsSuite?: (one: FoundCase) => boolean,
): OpenSuites {
  const suites: OpenSuite[] = [];
  const names = () => suites.map(({ name }) => name);
  return {
    names,
    open: (name) => {
      suites.push({ name, hasFailures: false, own: null });
    },
    found(one) {
      const last = suites.at(-1);
      if (last !== undefined && isFailed(one) && (tellsSuite?.(one) ?? true)) {
        last.hasFailures = true;
      }
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
      if (ended.own !== null) tellFailure(sink, suite, ended.own, ended.hasFailures);
      const around = suites.at(-1);
      // Where tests tell why their suites failed, a suite that did says nothing of those around it.
      const isTold = ended.hasFailures || (ended.own !== null && tellsSuite === undefined);
      if (around !== undefined && isTold) around.hasFailures = true;
    },
  };
}

function tellFailure(
  sink: ReportSink,
  suite: string | null,
  details: TestResultDetails,
  hasFailures: boolean,
): void {
  const name = suite ?? '(suite)';
  sink.generalError(`${name}: ${details.message ?? details.text ?? 'failed'}`);
  if (hasFailures) return;
  sink.found({ suite, name, status: 'ERROR', duration: 0, errorDetails: details });
}

function isFailed({ status }: FoundCase): boolean {
  return status === 'FAILURE' || status === 'ERROR';
}
