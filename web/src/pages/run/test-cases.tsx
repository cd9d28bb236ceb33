/** Failed test cases of a run, and words for their outcomes. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FailureDetails } from '@tutti/run-view/failure';
import { type TestCaseFilter, type TestCaseItem, testCasesQuery } from '../../data/test-cases.ts';
import { Mark, type MarkState } from '../../parts/mark.tsx';
import { QuarantineMark } from '../../parts/quarantine-mark.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { History, useHistories } from './histories.tsx';
import { useRun } from './run-context.ts';
import styles from './test-cases.module.css';

/** One page of test cases. */
export function useTestCases(filter: TestCaseFilter, enabled = true) {
  const { runId } = useRun();
  const { data, error, isPending, refetch } = useQuery({
    ...testCasesQuery(runId, filter),
    enabled,
  });
  return {
    items: data?.items ?? [],
    warnings: data?.warnings ?? [],
    error,
    isPending: isPending && enabled,
    again: () => void refetch(),
  };
}

export const outcomeMark = (outcome: string): MarkState =>
  outcome === 'success' || outcome === 'failure' || outcome === 'error' || outcome === 'skipped'
    ? outcome
    : 'skipped';

/** A test that failed before it passed is not simply green. */
export const testMark = ({ outcome, flaked }: TestCaseItem['test']): MarkState =>
  flaked === true ? 'flaked' : outcomeMark(outcome);

/** Beside a failure whose test was in quarantine. */
export const Quarantined = ({ test: { outcome, quarantined } }: Pick<TestCaseItem, 'test'>) =>
  quarantined === true && (outcome === 'failure' || outcome === 'error') ? (
    <QuarantineMark />
  ) : null;

export const failureOf = ({ execution }: Pick<TestCaseItem, 'execution'>): FailureDetails =>
  execution?.failureDetails ?? execution?.errorDetails ?? {};

/** The message of a failed test case. */
export function messageOf(item: Pick<TestCaseItem, 'execution'>): string {
  const { message, text, type } = failureOf(item);
  const first = (text ?? '').split('\n').find((line) => line.trim() !== '');
  return message || first || type || '';
}

const SHOWN = 20;
const OUTCOMES_SHOWN = 30;

/** The first failed test cases, with their messages. */
export function FailedTests() {
  const { runId, kept } = useRun();
  const { items, warnings, error, isPending, again } = useTestCases({
    outcome: 'failure',
    perPage: SHOWN + 1,
  });
  const shown = items.slice(0, SHOWN);
  const histories = useHistories(shown.map(({ metadata }) => metadata.id));
  if (error !== null) return <Problem error={error} onAgain={again} />;
  if (isPending) return <Placeholder />;
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className={styles.warning}>
          {warning}
        </p>
      ))}
      <ul className={styles.failed}>
        {shown.map((item) => (
          <li key={item.metadata.id}>
            <Mark state={outcomeMark(item.test.outcome)} hasWord={false} />
            <div>
              <p>
                <Link
                  to="/runs/$runId/tests"
                  params={{ runId }}
                  search={{ ...kept, outcome: 'failure', test: item.metadata.id }}
                >
                  <bdi>{item.metadata.name}</bdi>
                </Link>{' '}
                <span className={styles.job}>
                  in <bdi>{item.test.job}</bdi>
                </span>{' '}
                <Quarantined test={item.test} />
              </p>
              <p className={styles.message}>{messageOf(item)}</p>
              <History of={histories.get(item.metadata.id)} max={OUTCOMES_SHOWN} />
            </div>
          </li>
        ))}
      </ul>
      {items.length > SHOWN && (
        <p>
          <Link to="/runs/$runId/tests" params={{ runId }} search={{ ...kept, outcome: 'failure' }}>
            All failed tests
          </Link>
        </p>
      )}
    </>
  );
}
