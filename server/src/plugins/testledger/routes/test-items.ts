/** Tests as the interface shows them. */
import { formatTimestamp } from '@tutti/manifests';
import { rateOf } from '@tutti/test-history';
import type { ListedTest, TestFigures } from '../../../store/test-history.ts';

export const suiteAndName = ({ suite, name }: Pick<ListedTest, 'suite' | 'name'>): string =>
  `${suite}#${name}`;

export const testItem = (test: ListedTest, nowMs: number) => ({
  kind: 'Test',
  metadata: {
    id: test.id,
    namespace: test.namespace,
    project: test.project,
    name: suiteAndName(test),
    firstSeen: test.firstSeen,
    lastSeen: test.lastSeen,
    lastVersion: test.lastVersion,
  },
  spec: { technology: test.technology, suiteName: test.suite, testCaseName: test.name },
  status: {
    ...figuresOf(test),
    duration: test.durationMs === null ? null : { p50: keptMs(test.durationMs) },
    impact: { runs: test.impactRuns },
    quarantinedUntil:
      test.untilMs !== null && test.untilMs > nowMs ? formatTimestamp(test.untilMs) : null,
  },
});

/** Ledgers keep durations with three digits. */
export const keptMs = (durationMs: number): number => Number(durationMs.toPrecision(3));

export const figuresOf = ({
  state,
  flakeRate,
  failures,
  executions,
  lastFailedMs,
}: TestFigures) => ({
  state,
  flakeRate,
  failures: rateOf(failures, executions),
  lastFailed: lastFailedMs === null ? null : formatTimestamp(lastFailedMs),
});

/** Without versions, a test that fails now and then looks like one that is repaired and broken again. */
export function versionWarnings(tests: readonly ListedTest[]): readonly string[] {
  const missing = tests.filter(({ lastVersion }) => lastVersion === null).length;
  if (missing === 0) return [];
  const which = tests.length === 1 ? 'This test' : `${missing} of these tests`;
  return [
    `${which} ran without a known version. Each of such runs counts as a version of its own, so only attempts within a run can contradict each other. Report versions with the parameter "version" of the request that starts a run.`,
  ];
}
