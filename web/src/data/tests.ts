/** Tests over all runs, with their states and the evidence for these: `GET /tests`, and what is below it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask, runPath } from './api.ts';
import type { Page } from './runs.ts';

/** From the worst to the best, as the server orders them. */
export const TEST_STATES = ['broken', 'flaky', 'unsure', 'new', 'stable'] as const;
export type TestState = (typeof TEST_STATES)[number];

/** Wilson's 95 % interval belongs to the rate. */
export interface FailureRate {
  readonly count: number;
  readonly of: number;
  readonly rate: number;
  readonly interval: readonly [low: number, high: number];
}

interface TestFigures {
  readonly state: TestState;
  readonly flakeRate: number;
  readonly failures: FailureRate | null;
  readonly lastFailed: string | null;
}

interface TestNames {
  readonly metadata: {
    readonly id: string;
    readonly namespace: string;
    readonly project: string;
    readonly firstSeen: string | null;
    readonly lastSeen: string | null;
    readonly lastVersion: string | null;
  };
  readonly spec: {
    readonly technology: string;
    readonly suiteName: string;
    readonly testCaseName: string;
  };
}

export interface ListedTest extends TestNames {
  readonly status: TestFigures & {
    /** Milliseconds. */
    readonly duration: { readonly p50: number } | null;
    readonly impact: { readonly runs: number };
    /** The end of its quarantine; null without one. */
    readonly quarantinedUntil: string | null;
    /** `S` passed, `F` failed; the newest execution last. */
    readonly strip?: string;
  };
}

/** The run in which something began. Runs that are gone have no id. */
export interface Begin {
  readonly workflow_id: string | null;
  readonly version: string | null;
  readonly at: string;
}

export interface Contradiction {
  readonly version: string | null;
  readonly workflow_ids: readonly string[];
  readonly at: string;
}

export interface TestVariant extends TestFigures {
  readonly id: string;
  readonly since: Begin | null;
  readonly brokenSince: Begin | null;
  readonly probability: number | null;
  readonly brokenProbability: number | null;
  readonly contradictions: readonly Contradiction[];
  readonly strip: string;
  readonly duration: { readonly p50: number; readonly p90: number; readonly p95: number } | null;
  readonly passesInRow: number | null;
  readonly passesToRecover: number | null;
}

export interface VariantPlace {
  readonly id: string;
  readonly job: string;
  readonly uses: string | null;
}

/** A quarantine in force. */
export interface Quarantine {
  /** Null for the whole test. */
  readonly variant_id: string | null;
  /** The subject of the token that began it. */
  readonly by: string;
  readonly reason: string;
  readonly link: string | null;
  readonly from: string;
  readonly until: string;
  /** False while the test is broken: its failures count. */
  readonly isSpared: boolean;
}

type ChangeKey = 'from' | 'to' | 'workflow_id' | 'version' | 'by' | 'reason' | 'link' | 'until';

/** An entry of the journal. */
export interface TestChange {
  readonly at: string;
  /** `state`, `quarantined`, `released` or `recovered`. */
  readonly kind: string;
  readonly variant_id: string | null;
  readonly change: Partial<Readonly<Record<ChangeKey, string | null>>>;
}

export interface OneTest extends TestNames {
  readonly spec: TestNames['spec'] & { readonly variants: readonly VariantPlace[] };
  readonly status: ListedTest['status'] & { readonly variants: readonly TestVariant[] };
  readonly quarantines: readonly Quarantine[];
  /** The newest first. */
  readonly journal: readonly TestChange[];
  readonly warnings?: readonly string[];
}

/** The job of a variant, as somebody named it. */
export const jobOf = ({ spec }: Pick<OneTest, 'spec'>, variant: string): string =>
  spec.variants.find(({ id }) => id === variant)?.job ?? 'unknown';

export interface Execution {
  readonly workflow_id: string;
  readonly variant_id: string;
  readonly job: string | null;
  readonly attempt: number;
  readonly outcome: 'success' | 'failure' | 'error' | 'skipped';
  readonly started: string;
  readonly duration: number;
  readonly version: string | null;
  readonly branch: string | null;
  readonly isMain: boolean;
  readonly agent: string | null;
}

/** A test case of a run: what is known of its test. */
export interface CaseHistory {
  readonly testcase_id: string;
  /** Null before the first run with the test was over. */
  readonly test_id: string | null;
  /** Null without a run on a main branch. */
  readonly state: TestState | null;
  readonly strip: string;
}

/** Conditions and order of a list of tests, as the address of the page has them. */
export interface TestSearch {
  /** Several with commas. */
  readonly state?: string;
  readonly q?: string;
  readonly project?: string;
  readonly namespace?: string;
  readonly sort?: string;
}

/** Conditions on the executions of a test. */
export interface ExecutionSearch {
  readonly variant?: string;
  readonly outcome?: string;
  readonly branch?: string;
  readonly version?: string;
}

/** Where the documentation says what states mean, and how they come about. */
export const FLAKY_DOCS = '../docs/guides/flaky-tests.html';
export const QUARANTINE_DOCS = `${FLAKY_DOCS}#quarantine`;

/** Rows of a page: the server reads the outcomes of each. */
export const TESTS_ROWS = 50;
export const EXECUTIONS_ROWS = 100;

/** Tests change with the end of a run. Nothing announces it. */
export const RENEWAL_MS = 10_000;

export const testsQuery = ({ q, ...search }: TestSearch, page = 0, rows = TESTS_ROWS) =>
  queryOptions({
    queryKey: ['tests', q, search, page, rows],
    queryFn: ({ signal }) =>
      ask<Page<ListedTest>>({
        path: '/tests',
        query: {
          ...search,
          ...(q === undefined ? {} : { search: q }),
          strip: 'true',
          page: String(page + 1),
          per_page: String(rows),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: RENEWAL_MS,
  });

export const testPath = (id: string, rest = ''): string =>
  `/tests/${encodeURIComponent(id)}${rest}`;

export const testQuery = (id: string) =>
  queryOptions({
    queryKey: ['test', id],
    queryFn: ({ signal }) => ask<OneTest>({ path: testPath(id), signal }),
    refetchInterval: RENEWAL_MS,
  });

export const executionsQuery = (id: string, search: ExecutionSearch, page = 0) =>
  queryOptions({
    queryKey: ['test', id, 'executions', search, page],
    queryFn: ({ signal }) =>
      ask<Page<Execution>>({
        path: testPath(id, '/executions'),
        query: { ...search, page: String(page + 1), per_page: String(EXECUTIONS_ROWS) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: RENEWAL_MS,
  });

/** The server answers no more of them at a time. */
export const CASES_MAX = 100;
/** A run gets into the history some seconds after its end. */
const FOLD_MS = 30_000;
const FOLD_LOOK_MS = 3_000;

/** Milliseconds until a look for the history of a run; false where it came long ago. */
export const renewedAfter = (endedMs: number | null): number | false =>
  endedMs !== null && Date.now() - endedMs > FOLD_MS ? false : FOLD_LOOK_MS;

/** The histories of some test cases of a run. `endedMs` is null while it goes on. */
export const caseHistoriesQuery = (
  runId: string,
  cases: readonly string[],
  endedMs: number | null,
) =>
  queryOptions({
    queryKey: ['case-histories', runId, cases],
    queryFn: async ({ signal }) => {
      const { items } = await ask<{ readonly items: readonly CaseHistory[] }>({
        path: runPath(runId, '/tests'),
        query: { testcase: cases.join(',') },
        signal,
      });
      return new Map(items.map((item) => [item.testcase_id, item]));
    },
    placeholderData: keepPreviousData,
    refetchInterval: () => renewedAfter(endedMs),
  });
