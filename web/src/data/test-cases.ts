/** Test cases of a run, as the data source of the server has them. */
import { queryOptions } from '@tanstack/react-query';
import type { FailureDetails } from '@tutti/run-view/failure';
import { ask, runPath } from './api.ts';

/** An execution of a test case, as far as the page shows it. */
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
    /** Absent from data of earlier versions. */
    readonly flaked?: boolean;
    /** Whether its test was in quarantine, and not broken, when the result was stored. */
    readonly quarantined?: boolean;
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

/** Conditions on test cases, and the page of the list. */
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

/** Rows of a page of the list. */
export const TEST_ROWS = 200;

/** A page of the test cases of a run. */
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
          per_page: String(filter.perPage ?? TEST_ROWS),
        },
        signal,
      }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.status !== 'COMPLETE' && data.status !== 'INTERRUPTED'
        ? LOOK_INTERVAL_MS
        : false,
  });
