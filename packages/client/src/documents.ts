/**
 * Parses the orchestrator's answers (specification part 2) from JSON. Fields that other servers leave out are optional. An answer without
 * the fields that readers need is refused: its sender is no orchestrator.
 */
import type { LoggedEvent } from '@tutti/manifests';
import { UnreachableError } from './unreachable-error.ts';

export type WorkflowStatus = 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED';
export type DataSourceStatus = 'ONGOING' | 'COMPLETE' | 'INTERRUPTED';
export type QualityGateStatus = 'SUCCESS' | 'NOTEST' | 'FAILURE' | 'RUNNING';
export type TestCaseStatus = 'SUCCESS' | 'FAILURE' | 'SKIPPED' | 'ERROR';

/** One page of a run's events; null stands for an entry that is no event. `status` is that of the whole run. */
export interface EventPage {
  readonly status: WorkflowStatus;
  readonly entries: readonly (LoggedEvent | null)[];
  readonly hasNext: boolean;
}

export interface TestCaseDetails {
  readonly message?: string;
  readonly type?: string;
  readonly text?: string;
}

/** TestCase (specification 2.6). `duration` is in milliseconds. */
export interface TestCase {
  readonly metadata: {
    readonly name: string;
    readonly job_id?: string;
    readonly executions?: number;
  };
  readonly test: {
    readonly job?: string;
    readonly technology?: string | null;
    readonly suiteName?: string;
    readonly testCaseName?: string;
    readonly outcome?: string;
  };
  readonly status: TestCaseStatus;
  readonly execution: {
    readonly duration?: number;
    readonly failureDetails?: TestCaseDetails;
    readonly errorDetails?: TestCaseDetails;
    readonly warningDetails?: TestCaseDetails;
  };
}

export interface TestCaseList {
  readonly status: DataSourceStatus;
  readonly items: readonly TestCase[];
  /** Sentences on reports of which test cases may be missing. */
  readonly warnings: readonly string[];
}

export interface WorkersStatus {
  readonly status: 'BUSY' | 'IDLE';
  readonly items: readonly string[];
}

/** A run as the list of workflows shows it: the manifest, its id and where it stands. */
export interface WorkflowSummary {
  readonly workflowId: string;
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: string;
  readonly status: string;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): readonly string[] =>
  list(value).filter((item) => typeof item === 'string');

/** The `details` of a Status manifest; null when it has none. */
export function detailsOf(body: unknown): JsonRecord | null {
  const details = record(body).details;
  return isRecord(details) ? details : null;
}

/** Warnings for people beside the results. */
export function warningsOf(details: JsonRecord | null): readonly string[] {
  return list(details?.warnings).map(String);
}

/** True for the reason `Accepted`; no number of HTTP is read (specification part 7). */
export function isPreparing(body: unknown): boolean {
  return record(body).reason === 'Accepted';
}

export function unexpected(url: string, expected: string): UnreachableError {
  return new UnreachableError(url, 'answer', `answered without ${expected}`);
}

export function parseStartedWorkflow(url: string, body: unknown): string {
  const id = detailsOf(body)?.workflow_id;
  if (typeof id !== 'string') throw unexpected(url, 'the id of the workflow');
  return id;
}

const WORKFLOW_STATUSES: ReadonlySet<unknown> = new Set(['PENDING', 'RUNNING', 'DONE', 'FAILED']);

export function isWorkflowStatus(value: unknown): value is WorkflowStatus {
  return WORKFLOW_STATUSES.has(value);
}

export function parseEventPage(url: string, body: unknown, hasNext: boolean): EventPage {
  const details = detailsOf(body);
  const status = details?.status;
  if (!isWorkflowStatus(status)) throw unexpected(url, 'the status of the workflow');
  return { status, entries: list(details?.items).map(parseEvent), hasNext };
}

/** An event of a run; null for any other value. */
export function parseEvent(value: unknown): LoggedEvent | null {
  if (!isRecord(value) || typeof value.kind !== 'string' || !isRecord(value.metadata)) return null;
  // Validated by the server on entry; the kind decides the type.
  return value as unknown as LoggedEvent;
}

const TEST_STATUSES: ReadonlySet<unknown> = new Set(['SUCCESS', 'FAILURE', 'SKIPPED', 'ERROR']);

function parseTestCase(value: unknown): TestCase | null {
  if (!isRecord(value) || !TEST_STATUSES.has(value.status)) return null;
  const metadata = record(value.metadata);
  return {
    metadata: { ...metadata, name: text(metadata.name) },
    test: record(value.test),
    status: value.status as TestCaseStatus,
    execution: record(value.execution),
  };
}

export function parseTestCases(url: string, body: unknown): TestCaseList {
  const details = detailsOf(body);
  const status = details?.status;
  if (status !== 'ONGOING' && status !== 'COMPLETE' && status !== 'INTERRUPTED') {
    throw unexpected(url, 'the status of the data source');
  }
  const items = list(details?.items).flatMap((item) => parseTestCase(item) ?? []);
  return { status, items, warnings: warningsOf(details) };
}

export function parseQualityGate(url: string, body: unknown): QualityGateStatus {
  const status = detailsOf(body)?.status;
  if (status === 'SUCCESS' || status === 'NOTEST' || status === 'FAILURE' || status === 'RUNNING') {
    return status;
  }
  throw unexpected(url, 'the status of the quality gate');
}

export function parseWorkers(url: string, body: unknown): WorkersStatus {
  const details = detailsOf(body);
  const status = details?.status;
  if (status !== 'BUSY' && status !== 'IDLE') throw unexpected(url, 'the status of the workers');
  return { status, items: texts(details?.items) };
}

/** Failed test cases of a run, the largest group first. */
export interface CauseList {
  /** Each with `id`, `title`, `failures` (how many) and `tests` (the first of them). */
  readonly items: readonly JsonRecord[];
  /** Further failures, if there were too many causes. */
  readonly ungrouped: number;
}

export function parseCauses(url: string, body: unknown): CauseList {
  const details = detailsOf(body);
  if (!Array.isArray(details?.items)) throw unexpected(url, 'causes of failures');
  return { items: details.items.filter(isRecord), ungrouped: Number(details.ungrouped) };
}

/** Servers list manifests (in an object or an array) when asked to, or ids alone. */
export function parseWorkflows(body: unknown): readonly WorkflowSummary[] {
  const items = detailsOf(body)?.items;
  const entries = isRecord(items) ? Object.values(items) : list(items);
  return entries.map((entry) => {
    if (typeof entry === 'string') return summaryOf(entry, {}, {});
    const manifest = record(entry);
    const metadata = record(manifest.metadata);
    return summaryOf(text(metadata.workflow_id), metadata, record(manifest.status));
  });
}

function summaryOf(workflowId: string, metadata: JsonRecord, status: JsonRecord): WorkflowSummary {
  return {
    workflowId,
    name: text(metadata.name),
    namespace: text(metadata.namespace),
    createdAt: text(metadata.creationTimestamp),
    status: text(status.phase),
  };
}
