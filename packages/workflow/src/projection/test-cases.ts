/** Test cases as the data source shows them (specification 2.6, wire facts 9.1). */
import {
  type AttachmentId,
  type GeneralError,
  type JobId,
  type StepId,
  type TestResult,
  type TestResultDetails,
  type TestResultStatus,
  type Timestamp,
  testDuration,
  type WorkflowId,
} from '@tutti/manifests';
import { CUT_MARK, cutText } from '../environment/cut-text.ts';
import type { KnownHistory, TestHistory } from '../facts/test-histories.ts';
import { functionName } from '../run/function-name.ts';
import type { ManagedTest } from './managed-test.ts';

/**
 * Texts of plugins and workflows may have any length, and each test case repeats the texts of its job. Our own readers of reports keep to
 * the same bounds.
 */
export const TEST_CASE_LIMITS = {
  /** A name, and the type of a failure, in characters. */
  nameLength: 1024,
  messageLength: 4096,
  /** The text of a failure, in characters. */
  textLength: 16 * 1024,
  /** Tags of a job, as many as an agent may have. */
  tags: 256,
} as const;

export type TestOutcome = 'success' | 'failure' | 'error' | 'skipped';

/** The run that a test case, a job or a tag belongs to. */
export interface RunOfItem {
  readonly id: WorkflowId;
  readonly name: string;
  readonly namespace: string;
}

/** Origin of a report with test results: its run, job and step. */
export interface TestOrigin {
  readonly jobId: JobId;
  readonly jobName: string;
  /** Identifies the job in the workflow, in each of its runs. */
  readonly jobKey: string;
  readonly runsOn: readonly string[];
  /** The step of the manifest. */
  readonly stepId: StepId;
  /** The provider function and the test reference of that step; null where it is a script. */
  readonly uses: string | null;
  readonly test: string | null;
  readonly technology: string;
  /** Null unless a referential manages the tests of the step. */
  readonly managed: ManagedTest | null;
  /** When the step was asked for, began and ended. */
  readonly creationTimestamp: Timestamp;
  readonly startTime: Timestamp;
  readonly endTime: Timestamp;
  /** Names of the results that this attempt of the step was made for; absent for first attempts. */
  readonly retried?: ReadonlySet<string>;
}

/** Identifies a test case within its origin. */
export type TestName = Pick<TestResult, 'name' | 'suite'>;

interface TestExecution {
  readonly startTime: Timestamp;
  readonly endTime: Timestamp;
  /** Milliseconds. */
  readonly duration: number;
  readonly outcome: TestOutcome;
  readonly failureDetails?: TestResultDetails;
  readonly warningDetails?: TestResultDetails;
  readonly errorDetails?: TestResultDetails;
  /** General errors; only the first executed test case of an execution has them, whichever result they came with (`placedErrors`). */
  readonly errorsList?: readonly GeneralError[];
}

/** An earlier execution of a test case in the same run. */
export interface EarlierTestExecution extends TestExecution {
  readonly id: string;
  readonly execution_id: AttachmentId;
  readonly status: TestResultStatus;
}

/** An execution of a test case in an earlier run. Only that run has its details, and it may be gone. */
export interface EarlierRunExecution extends TestExecution {
  readonly workflow_id: WorkflowId;
  readonly status: TestResultStatus;
}

export interface TestCaseManifest {
  readonly apiVersion: string;
  readonly kind: 'TestCase';
  readonly metadata: {
    readonly name: string;
    readonly id: string;
    readonly job_id: JobId;
    readonly execution_id: AttachmentId;
    readonly workflow_id: WorkflowId;
    readonly namespace: string;
    readonly creationTimestamp: Timestamp;
    /** Number of known executions of the test case; added when the manifest is shown. */
    readonly executions?: number;
  };
  readonly test: {
    readonly 'runs-on': readonly string[];
    /** Empty where a script made the report, as `test` is. */
    readonly uses: string;
    readonly technology: string;
    readonly job: string;
    readonly test: string;
    readonly suiteName: string;
    readonly testCaseName: string;
    readonly outcome: TestOutcome;
    readonly managed: boolean;
    /** As it was when the result was stored; `withHistory` adds it where nothing is known. */
    readonly history?: TestHistory;
    /** Whether it failed, and did not in the newest run before. */
    readonly newlyFailed?: boolean;
    /** Whether it failed, and its step ran it again for that; and whether it passed then. `withHistory` adds them elsewhere. */
    readonly retried?: boolean;
    readonly flaked?: boolean;
    /** Whether the test was in quarantine when the result was stored, and not broken: gates leave its failure out. */
    readonly quarantined?: boolean;
    /** A managed test case has more of them (`managedTest`). */
    readonly [label: string]: unknown;
  };
  readonly status: TestResultStatus;
  readonly execution: TestExecution;
  /** Oldest first; added when the manifest is shown. */
  readonly executionHistory?: readonly (EarlierRunExecution | EarlierTestExecution)[];
}

const OUTCOMES = {
  SUCCESS: 'success',
  FAILURE: 'failure',
  ERROR: 'error',
  SKIPPED: 'skipped',
} as const satisfies Record<TestResultStatus, TestOutcome>;

const STATUSES = {
  success: 'SUCCESS',
  failure: 'FAILURE',
  error: 'ERROR',
  skipped: 'SKIPPED',
} as const satisfies Record<TestOutcome, TestResultStatus>;

export function outcomeOf(status: TestResultStatus): TestOutcome {
  return OUTCOMES[status];
}

/** A test case without what changes with later executions of it; `presentTestCase` adds that. */
export function testCaseManifest(given: {
  readonly apiGroup: string;
  readonly workflow: RunOfItem;
  readonly origin: TestOrigin;
  readonly result: TestResult;
  readonly history?: KnownHistory | null;
}): TestCaseManifest {
  const { apiGroup, workflow, origin, result, history = null } = given;
  return {
    apiVersion: `testing.${apiGroup}/v1alpha1`,
    kind: 'TestCase',
    metadata: {
      name: cutName(result.name),
      id: cutName(result.id),
      job_id: origin.jobId,
      execution_id: result.attachment_origin,
      workflow_id: workflow.id,
      namespace: workflow.namespace,
      creationTimestamp: origin.creationTimestamp,
    },
    test: {
      ...testOf(origin, result),
      ...retryOf(origin, result),
      ...historyOf(history, outcomeOf(result.status)),
    },
    status: result.status,
    execution: executionOf(origin, result),
  };
}

/** Facts of the run, whatever the state of the test. */
function retryOf({ retried }: TestOrigin, { name, status }: TestResult) {
  if (retried?.has(name) !== true) return {};
  return { retried: true, flaked: status === 'SUCCESS' };
}

const NO_HISTORY: TestHistory = { state: 'new', flakeRate: 0, failures: 0, executions: 0 };

const isFailed = (outcome: TestOutcome): boolean => outcome === 'failure' || outcome === 'error';

function historyOf(known: KnownHistory | null, outcome: TestOutcome) {
  if (known === null) return {};
  const { hadFailed, quarantined, ...history } = known;
  const newlyFailed = isFailed(outcome) && !hadFailed;
  return { history, newlyFailed, ...(quarantined ? { quarantined } : {}) };
}

/** The test with what scopes may read. Entries of tests without a known history, and false ones, are not stored. */
export function withHistory(test: TestCaseManifest['test']): TestCaseManifest['test'] {
  const { retried = false, flaked = false, quarantined = false } = test;
  const facts = { ...test, retried, flaked, quarantined };
  return test.history === undefined
    ? { ...facts, history: NO_HISTORY, newlyFailed: isFailed(test.outcome) }
    : facts;
}

/**
 * The manifest with the number and the history of its executions. `executions` counts them in its run, and `history` has the earlier ones.
 * Executions of earlier runs follow; each list is oldest first.
 */
export function presentTestCase(
  newest: TestCaseManifest,
  executions: number,
  history: readonly TestCaseManifest[],
  ofEarlierRuns: readonly EarlierRunExecution[] = [],
): TestCaseManifest {
  const metadata = { ...newest.metadata, executions: executions + ofEarlierRuns.length };
  const shown = { ...newest, metadata, test: withHistory(newest.test) };
  if (history.length + ofEarlierRuns.length === 0) return shown;
  const executionHistory = [...ofEarlierRuns, ...history.map(earlierExecution)];
  return { ...shown, executionHistory };
}

export function earlierRunExecution(given: {
  readonly workflowId: WorkflowId;
  readonly outcome: TestOutcome;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  readonly durationMs: number;
}): EarlierRunExecution {
  return {
    workflow_id: given.workflowId,
    status: STATUSES[given.outcome],
    startTime: given.startedAt,
    endTime: given.endedAt,
    duration: given.durationMs,
    outcome: given.outcome,
  };
}

/**
 * Identity of a test case, in its run and in all runs of a workflow of that name and namespace. In one run, a result with a known key is a
 * further execution of the same case (wire facts 9.1). Function and test reference tell steps that call a function apart; scripts have
 * neither. In another run the reference may differ, unless a case of that run has the same reference.
 */
export interface TestCaseKey {
  /** Job, technology and suite as one text: cases of one suite come one after the other. */
  readonly suite: string;
  readonly name: string;
  /** Function and test reference as one text; empty for scripts. */
  readonly reference: string;
}

export function testCaseKey(origin: TestOrigin, result: TestName): TestCaseKey {
  const { suiteName, testCaseName } = namesOf(result);
  return {
    suite: joinEscaped([origin.jobKey, origin.technology, suiteName]),
    name: testCaseName,
    reference: joinEscaped(referenceOf(origin)),
  };
}

/** Without the version of the function, which says how a test is run, not which one. */
function referenceOf({ uses, test }: TestOrigin): readonly string[] {
  if (uses === null) return [];
  const { prefix, category } = functionName(uses);
  return [prefix ?? '', category ?? '', test ?? ''];
}

/** The part of a test that is the same in all runs. Its job and its project are not in it. */
export function identityOf(
  origin: TestOrigin,
  result: TestName,
): Pick<TestCaseManifest['test'], 'technology' | 'suiteName' | 'testCaseName' | 'uses' | 'test'> {
  const { suiteName, testCaseName } = namesOf(result);
  return {
    uses: shortOrMark(origin.uses ?? ''),
    technology: shortOrMark(origin.technology),
    test: shortOrMark(origin.test ?? ''),
    suiteName: cutName(suiteName),
    testCaseName: cutName(testCaseName),
  };
}

const cutName = (name: string): string => cutText(name, TEST_CASE_LIMITS.nameLength);

/** A cut text may end within a masked text, which no mask would match. So a text that is too long is not shown. */
const shortOrMark = (text: string): string =>
  text.length <= TEST_CASE_LIMITS.nameLength ? text : CUT_MARK;

function testOf(origin: TestOrigin, result: TestResult): TestCaseManifest['test'] {
  const { uses, technology, test, suiteName, testCaseName } = identityOf(origin, result);
  return {
    // First, so that no label replaces an entry of the run itself.
    ...origin.managed,
    'runs-on': origin.runsOn.slice(0, TEST_CASE_LIMITS.tags).map(shortOrMark),
    uses,
    technology,
    job: cutName(origin.jobName),
    test,
    suiteName,
    testCaseName,
    outcome: outcomeOf(result.status),
    managed: origin.managed !== null,
  };
}

function executionOf(origin: TestOrigin, result: TestResult): TestExecution {
  return {
    startTime: origin.startTime,
    endTime: origin.endTime,
    duration: testDuration(result.duration),
    outcome: outcomeOf(result.status),
    ...detailsOf(result),
  };
}

function detailsOf(
  result: TestResult,
): Pick<TestExecution, 'failureDetails' | 'warningDetails' | 'errorDetails'> {
  if (result.status !== 'FAILURE' && result.status !== 'ERROR') return {};
  const { failureDetails, warningDetails, errorDetails } = result;
  return {
    ...(failureDetails === undefined ? {} : { failureDetails: cutDetails(failureDetails) }),
    ...(warningDetails === undefined ? {} : { warningDetails: cutDetails(warningDetails) }),
    ...(errorDetails === undefined ? {} : { errorDetails: cutDetails(errorDetails) }),
  };
}

function cutDetails({ message, type, text }: TestResultDetails): TestResultDetails {
  const { nameLength, messageLength, textLength } = TEST_CASE_LIMITS;
  return {
    ...(message === undefined ? {} : { message: cutText(message, messageLength) }),
    ...(type === undefined ? {} : { type: cutText(type, nameLength) }),
    ...(text === undefined ? {} : { text: cutText(text, textLength) }),
  };
}

function earlierExecution({ metadata, status, execution }: TestCaseManifest): EarlierTestExecution {
  return { id: metadata.id, execution_id: metadata.execution_id, status, ...execution };
}

/** Where one side of `suite#case` is missing, the other stands for both. */
function namesOf({ name, suite }: TestName): {
  readonly suiteName: string;
  readonly testCaseName: string;
} {
  // A suite that is told apart may itself have a `#` in its name.
  const at = suite !== undefined && name.startsWith(`${suite}#`) ? suite.length : name.indexOf('#');
  const before = at < 0 ? (suite ?? '') : name.slice(0, at);
  const after = at < 0 ? name : name.slice(at + 1);
  return { suiteName: before || after, testCaseName: after || before };
}

/** Parts may hold any character, so the separator in them is escaped: different parts never give the same text. */
function joinEscaped(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}
