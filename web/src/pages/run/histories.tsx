/** The history of the tests behind test cases: one question for all that are shown. */
import { useQuery } from '@tanstack/react-query';
import { parseTimestamp } from '@tutti/manifests';
import { allows, useSession } from '../../data/session.ts';
import { CASES_MAX, type CaseHistory, caseHistoriesQuery } from '../../data/tests.ts';
import { OutcomeStrip } from '../../parts/outcome-strip.tsx';
import { PathLink, pathOfTest } from '../../parts/path-link.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import styles from './histories.module.css';
import { useRun } from './run-context.ts';

export type Histories = ReadonlyMap<string, CaseHistory>;

const NONE: Histories = new Map();

/** By the ids of test cases. Empty without the right to list tests. */
export function useHistories(cases: readonly string[]): Histories {
  const { runId, doc, isPast } = useRun();
  const { ended, namespace } = doc.run;
  const isAllowed = allows(useSession(), ['list', 'tests'], namespace);
  const wanted = cases.slice(0, CASES_MAX).toSorted();
  const { data = NONE } = useQuery({
    ...caseHistoriesQuery(runId, wanted, ended === null ? null : parseTimestamp(ended)),
    enabled: wanted.length > 0 && isAllowed && !isPast,
  });
  return data;
}

interface HistoryProps {
  /** Undefined while it is not known. */
  readonly of: CaseHistory | undefined;
  readonly max: number;
  /** Within rows, which have keys of their own. */
  readonly tabIndex?: number;
}

/** The state and the newest outcomes, as a link to the page of the test. */
export function History({ of, max, tabIndex }: HistoryProps) {
  if (of === undefined) return null;
  if (of.test_id === null) return <span className={styles.none}>no history yet</span>;
  return (
    <PathLink path={pathOfTest(of.test_id)} className={styles.history} tabIndex={tabIndex}>
      <span className="hidden">History: </span>
      {of.state === null ? (
        <span className={styles.none}>no run on a main branch yet</span>
      ) : (
        <TestMark state={of.state} />
      )}
      <OutcomeStrip letters={of.strip} max={max} />
    </PathLink>
  );
}
