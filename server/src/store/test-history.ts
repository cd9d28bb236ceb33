/**
 * The part of the store port that keeps the history of tests beyond their runs. The commit of results marks their run. Once the run is over,
 * a projector folds it (`testledger`). It writes its executions, and the ledger of each variant that ran. So a commit of results
 * takes no longer, and runs of before are folded in the same way.
 *
 * Contract, beside that of the store:
 * - A write is one transaction. `lastAttempt` has the executions of a part from then on, so that a folding that is done again repeats none.
 * - Runs get their numbers in the order in which they are begun. Numbers do not come back. A run that gets further results gets a further one.
 * - A test has the figures of all its variants. Where they differ, the worst counts.
 * - The journal decides which tests are in quarantine. An entry that begins a quarantine ends the one of the same test or variant.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import type { CauseReads, FoldedCauses } from './causes.ts';
import type { PlaceRow, TestRow, VariantRow } from './test-rows.ts';

export type { PlaceRow, TestRow, VariantRow };

/** States from the worst to the best, as the store orders them. */
export const TEST_STATES = ['broken', 'flaky', 'unsure', 'new', 'stable'] as const;
export type StoredTestState = (typeof TEST_STATES)[number];

export const JOURNAL_LIMITS = {
  /** Entries of a test that are kept, besides those with quarantines: the newest. */
  entries: 1_000,
} as const;

/** Facts of a run with tests. */
export interface TestedRunFacts {
  readonly workflowId: WorkflowId;
  readonly namespace: string;
  readonly project: string;
  readonly name: string;
  /** Null if nobody said it: the run is then a version of its own. */
  readonly version: string | null;
  readonly branch: string | null;
  /** Whether its executions count for states. */
  readonly isMain: boolean;
  readonly createdAt: Timestamp;
  readonly places: readonly PlaceRow[];
  /** Jobs that had a mass failure, by name. */
  readonly massJobs: readonly string[];
}

/** A run that is being folded, or was. */
export interface TestedRun extends TestedRunFacts {
  readonly run: number;
  /** The first kept run of the same version in its project: it stands for the version in ledgers. */
  readonly versionNumber: number;
}

export interface KeptExecution {
  /** 1 for the first execution in its run. */
  readonly attempt: number;
  readonly outcome: 'success' | 'failure' | 'error' | 'skipped';
  readonly startedMs: number;
  readonly durationMs: number;
  /** Index in the places of its run. */
  readonly place: number;
}

/** Figures of a variant, and of a test, for lists. */
export interface TestFigures {
  readonly state: StoredTestState;
  readonly flakeRate: number;
  /** Failures among the newest executions that rates are of. */
  readonly failures: number;
  readonly executions: number;
  /** Median of the newest passed ones, null without any. */
  readonly durationMs: number | null;
  /** Null without any; the writer of null leaves what is there. */
  readonly lastFailedMs: number | null;
}

export interface FoldedVariant {
  readonly test: TestRow;
  readonly variant: VariantRow;
  readonly executions: readonly KeptExecution[];
  /** Null where the run does not count for states: the ledger stays. */
  readonly ledger: (TestFigures & { readonly bytes: Uint8Array }) | null;
}

/** A change that people may ask about later. */
export interface JournalRow {
  readonly atMs: number;
  readonly testId: string;
  readonly variantId: string | null;
  readonly kind: string;
  readonly json: string;
  /** When the quarantine ends that this entry begins; null if it ends one. Absent, it changes none. */
  readonly untilMs?: number | null;
}

/** A bounded part of a run that is folded. */
export interface FoldedPart {
  readonly run: number;
  readonly variants: readonly FoldedVariant[];
  readonly journal: readonly JournalRow[];
  /** Absent if none of it failed. */
  readonly causes?: FoldedCauses;
}

/** The end of a folding. */
export interface FoldedEnd {
  readonly run: number;
  readonly workflowId: WorkflowId;
  /** The mark of the `UnfoldedRun`. A run that got results since then waits again. */
  readonly mark: number;
  /** The only test of the run that failed to its end; null if there is none. */
  readonly onlyFailed: string | null;
}

/** Changes of the history of tests, in this order. Absent ones change nothing. */
export interface TestHistoryWrite {
  readonly begin?: TestedRunFacts;
  readonly part?: FoldedPart;
  readonly end?: FoldedEnd;
  /** Entries of people. */
  readonly journal?: readonly JournalRow[];
  /** Removes a bounded number of executions of this run, and the run with the last of them. */
  readonly remove?: number;
}

/** A run that is over, with results that wait to be folded. */
export interface UnfoldedRun {
  readonly workflowId: WorkflowId;
  /** It changes when the run gets further results. */
  readonly mark: number;
}

/** A variant as the projector needs it. */
export interface KnownVariant {
  readonly id: string;
  readonly ledger: Uint8Array | null;
  /** The last of its attempts in this run that is already kept; 0 if there is none. */
  readonly lastAttempt: number;
}

/** Figures of a variant for the results of a run. */
export interface VariantFigures
  extends Pick<TestFigures, 'state' | 'flakeRate' | 'failures' | 'executions'> {
  readonly id: string;
  /** The end of the quarantine of the variant, or of its whole test: the later one. It may be over. Null without any. */
  readonly untilMs: number | null;
}

export interface ListedTest extends TestRow, TestFigures {
  /** When the first and the newest run with the test began; null for a run that is gone. */
  readonly firstSeen: Timestamp | null;
  readonly lastSeen: Timestamp | null;
  /** The version of that run; null if nobody said it. */
  readonly lastVersion: string | null;
  /** Kept runs that failed because of this test alone. */
  readonly impactRuns: number;
  /** The end of its last quarantine, or of that of a variant. It may be over. Null without any. */
  readonly untilMs: number | null;
}

export interface StoredVariant extends VariantRow, TestFigures {
  readonly ledger: Uint8Array | null;
}

export interface VariantQuery {
  readonly testId: string;
  /** Only this one. */
  readonly variantId?: string;
  readonly limit: number;
}

export type TestOrder = 'impact' | 'flakeRate' | 'failures' | 'duration' | 'name' | 'lastFailed';

/** A condition that is absent holds for all. */
export interface TestConditions {
  readonly namespaces?: readonly string[];
  readonly project?: string;
  readonly states?: readonly StoredTestState[];
  /** A part of the suite or of the name, in letters of either case. */
  readonly search?: string;
}

export interface TestQuery extends TestConditions {
  readonly order: TestOrder;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface ExecutionConditions {
  readonly testId: string;
  readonly variantId?: string;
  readonly version?: string;
  readonly branch?: string;
  readonly outcome?: KeptExecution['outcome'];
  /** Runs that began at that time or later. */
  readonly since?: Timestamp;
}

export interface ExecutionQuery extends ExecutionConditions {
  readonly offset: number;
  readonly limit: number;
}

/** An execution of a test in one of its runs, the newest first. */
export interface ListedExecution extends Omit<KeptExecution, 'place'> {
  readonly variantId: string;
  /** The job of its variant. */
  readonly job: string;
  readonly run: TestedRun;
  readonly place: PlaceRow | null;
}

/** A condition that is absent holds for all. */
export interface JournalConditions {
  readonly testId?: string;
  readonly namespaces?: readonly string[];
  readonly project?: string;
  readonly kind?: string;
  readonly sinceMs?: number;
  /** Only entries whose quarantine is in force then. */
  readonly inForceMs?: number;
}

export interface JournalQuery extends JournalConditions {
  readonly offset: number;
  readonly limit: number;
}

/** An entry with its test. */
export interface ListedChange extends JournalRow {
  readonly test: TestRow;
  /** The state of the variant, else that of the test. */
  readonly state: StoredTestState;
  /** The end of a quarantine that no later entry has ended; null for all others. */
  readonly untilMs: number | null;
}

export interface HistoryBounds {
  readonly createdBefore: Timestamp;
  readonly runsPerName: number;
  readonly executions: number;
}

export interface TestHistoryReads extends CauseReads {
  /** In the order in which they ended. */
  unfoldedRuns(limit: number): Promise<readonly UnfoldedRun[]>;
  /** The folding of a run that was begun and not ended. */
  begunRun(workflowId: WorkflowId): Promise<TestedRun | null>;
  /** Variants with one of these ids. */
  knownVariants(
    workflowId: WorkflowId,
    variantIds: readonly string[],
  ): Promise<readonly KnownVariant[]>;
  /** Variants with one of these ids. */
  variantFigures(variantIds: readonly string[]): Promise<readonly VariantFigures[]>;
  tests(query: TestQuery): Promise<readonly ListedTest[]>;
  countTests(conditions: TestConditions): Promise<number>;
  test(testId: string): Promise<ListedTest | null>;
  /** Variants of a test, the worst first. */
  testVariants(query: VariantQuery): Promise<readonly StoredVariant[]>;
  testExecutions(
    query: ExecutionQuery,
  ): Promise<{ readonly items: readonly ListedExecution[]; readonly total: number }>;
  /** The newest first. */
  testJournal(query: JournalQuery): Promise<readonly ListedChange[]>;
  /** Entries, and the tests that they are about. */
  countJournal(
    conditions: JournalConditions,
  ): Promise<{ readonly entries: number; readonly tests: number }>;
  /** Runs by their numbers, for evidence; runs that are gone are left out. */
  testedRuns(runs: readonly number[]): Promise<readonly TestedRun[]>;
  /** Runs beyond the bounds, the oldest first. */
  surplusRuns(bounds: HistoryBounds, limit: number): Promise<readonly number[]>;
}
