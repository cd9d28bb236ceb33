/** Test cases of a run, as the data source of the server has them. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FailureDetails } from '@tutti/run-view/failure';
import { ask, runPath } from '../../data/api.ts';
import { Mark, type MarkState } from '../../parts/mark.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { useRun } from './run-context.ts';
import styles from './test-cases.module.css';

export interface TestExecution {
  readonly startTime?: string;
  readonly duration?: number;
  readonly outcome?: string;
  readonly failureDetails?: FailureDetails;
  readonly errorDetails?: FailureDetails;
  readonly warningDetails?: FailureDetails;
  readonly errorsList?: readonly { readonly message?: string }[];
}

/** The parts of a test case that the page shows. */
export interface TestCaseItem {
  readonly metadata: { readonly id: string; readonly name: string; readonly job_id: string };
  readonly test: {
    readonly job: string;
    readonly technology: string;
    readonly suiteName: string;
    readonly testCaseName: string;
    readonly outcome: string;
  };
  readonly execution?: TestExecution;
  /** Earlier executions of the same case, in this run and others. */
  readonly executionHistory?: readonly TestExecution[];
}

interface TestCaseAnswer {
  readonly items?: readonly TestCaseItem[];
  readonly status?: 'ONGOING' | 'COMPLETE' | 'INTERRUPTED';
  readonly warnings?: readonly string[];
}

export interface TestCaseFilter {
  /** `failure` has errors, too. */
  readonly outcome?: string | undefined;
  readonly job?: string | undefined;
  /** Part of a name. */
  readonly q?: string | undefined;
  readonly id?: string | undefined;
  readonly page?: number;
  readonly perPage?: number;
}

/** The pause between two questions while reports are read. */
const LOOK_INTERVAL_MS = 2_000;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The filter as an expression of a scope. */
function scopeOf({ outcome, job, q, id }: TestCaseFilter): string | undefined {
  const conditions = [
    ...(outcome === 'failure' ? ["(test.outcome == 'failure' || test.outcome == 'error')"] : []),
    ...(outcome === 'success' || outcome === 'skipped'
      ? [`test.outcome == ${literal(outcome)}`]
      : []),
    ...(job === undefined ? [] : [`test.job == ${literal(job)}`]),
    ...(q === undefined
      ? []
      : [
          `(contains(test.testCaseName, ${literal(q)}) || contains(test.suiteName, ${literal(q)}))`,
        ]),
  ];
  return id !== undefined || conditions.length === 0 ? undefined : conditions.join(' && ');
}

export const testCasesQuery = (runId: string, filter: TestCaseFilter) =>
  queryOptions({
    queryKey: ['testcases', runId, filter],
    queryFn: ({ signal }) =>
      ask<TestCaseAnswer>({
        path: runPath(runId, '/datasources/testcases'),
        query: {
          scope: scopeOf(filter),
          fieldSelector: filter.id === undefined ? undefined : `metadata.id==${filter.id}`,
          page: String(filter.page ?? 1),
          per_page: String(filter.perPage ?? 200),
        },
        signal,
      }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.status !== 'COMPLETE' && data.status !== 'INTERRUPTED'
        ? LOOK_INTERVAL_MS
        : false,
  });

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

export const failureOf = ({ execution }: Pick<TestCaseItem, 'execution'>): FailureDetails =>
  execution?.failureDetails ?? execution?.errorDetails ?? {};

/** The message of a failed test case. */
export function messageOf(item: Pick<TestCaseItem, 'execution'>): string {
  const { message, text, type } = failureOf(item);
  const first = (text ?? '').split('\n').find((line) => line.trim() !== '');
  return message || first || type || '';
}

const SHOWN = 20;

/** The first failed test cases, with their messages. */
export function FailedTests() {
  const { runId, kept } = useRun();
  const { items, warnings, error, isPending, again } = useTestCases({
    outcome: 'failure',
    perPage: SHOWN + 1,
  });
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
        {items.slice(0, SHOWN).map((item) => (
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
                </span>
              </p>
              <p className={styles.message}>{messageOf(item)}</p>
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
