/** Test cases of a data source (specification 2.6) with something in each field that is shown. Servers may leave some fields out. */
import type { JsonRecord } from '@tutti/client';
import type { TestResultDetails } from '@tutti/manifests';
import type { XmlTestCase } from '@tutti/workflow/junit-xml';

export type Outcome = 'success' | 'failure' | 'error' | 'skipped';

export interface ShownTestCase {
  readonly metadata: { readonly name: string; readonly id: string; readonly job_id: string };
  readonly test: XmlTestCase['test'];
  /** Failed, and passed when its step ran it again. */
  readonly isFlaked: boolean;
  /** Null where an earlier version of a server does not say it. */
  readonly history: ShownHistory | null;
  readonly execution: ShownExecution & { readonly startTime: string; readonly endTime: string };
  /** Earlier executions in this run, oldest first: executions in other runs were no attempts. */
  readonly executionHistory: readonly ShownExecution[];
  /** Earlier executions in all runs, oldest first. */
  readonly pastExecutions: readonly PastExecution[];
}

/** The history of the test when its result was stored. */
export interface ShownHistory {
  readonly state: string;
  readonly flakeRate: number;
  readonly failures: number;
  readonly executions: number;
  readonly isNewFailure: boolean;
}

export interface PastExecution extends ShownExecution {
  readonly startTime: string;
  /** Null for this run. */
  readonly workflowId: string | null;
}

export interface ShownExecution {
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly duration: number;
  readonly failureDetails?: TestResultDetails;
  readonly errorDetails?: TestResultDetails;
}

export function readTestCase(item: JsonRecord): ShownTestCase {
  const [metadata, test, execution] = [item.metadata, item.test, item.execution].map(recordOf);
  const name = textOf(metadata?.name);
  const history = Array.isArray(item.executionHistory) ? item.executionHistory.map(recordOf) : [];
  const isOwn = ({ workflow_id: id }: JsonRecord) =>
    id === undefined || id === metadata?.workflow_id;
  const outcome = outcomeOf(test?.outcome ?? item.status);
  return {
    metadata: { name, id: textOf(metadata?.id), job_id: textOf(metadata?.job_id) },
    test: {
      'runs-on': textsOf(test?.['runs-on']),
      uses: textOf(test?.uses),
      technology: textOf(test?.technology),
      job: textOf(test?.job),
      test: textOf(test?.test),
      suiteName: textOf(test?.suiteName),
      testCaseName: textOf(test?.testCaseName) || name,
      outcome,
      quarantined: test?.quarantined === true,
    },
    isFlaked: test?.flaked === true,
    history: historyOf(test ?? {}),
    execution: {
      ...executionOf(execution ?? {}, outcome),
      startTime: textOf(execution?.startTime),
      endTime: textOf(execution?.endTime),
    },
    executionHistory: history.filter(isOwn).map(pastExecutionOf),
    pastExecutions: history.map((one) => ({
      ...pastExecutionOf(one),
      startTime: textOf(one.startTime),
      workflowId: isOwn(one) ? null : textOf(one.workflow_id),
    })),
  };
}

function historyOf({ history, newlyFailed }: JsonRecord): ShownHistory | null {
  if (!isRecord(history)) return null;
  return {
    state: textOf(history.state),
    flakeRate: numberOf(history.flakeRate),
    failures: numberOf(history.failures),
    executions: numberOf(history.executions),
    isNewFailure: newlyFailed === true,
  };
}

const pastExecutionOf = (one: JsonRecord): ShownExecution =>
  executionOf(one, outcomeOf(one.outcome ?? one.status));

const OUTCOMES: readonly Outcome[] = ['success', 'failure', 'error', 'skipped'];

/** An unknown outcome is not a success. */
function outcomeOf(value: unknown): Outcome {
  const said = textOf(value).toLowerCase();
  return OUTCOMES.find((outcome) => outcome === said) ?? 'error';
}

function executionOf(execution: JsonRecord, outcome: Outcome): ShownExecution {
  const failureDetails = detailsOf(execution.failureDetails);
  const errorDetails = detailsOf(execution.errorDetails);
  return {
    outcome,
    duration: numberOf(execution.duration),
    ...(failureDetails === null ? {} : { failureDetails }),
    ...(errorDetails === null ? {} : { errorDetails }),
  };
}

function detailsOf(value: unknown): TestResultDetails | null {
  if (!isRecord(value)) return null;
  const parts = ['message', 'type', 'text'].flatMap((key) => {
    const part = value[key];
    return typeof part === 'string' ? [[key, part] as const] : [];
  });
  return Object.fromEntries(parts);
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
