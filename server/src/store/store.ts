/**
 * The store port. A run is an append-only log of events. Its row, log text, attachments and test cases are projections, written in the
 * transaction of their events.
 *
 * Contract, held by one conformance suite for every implementation:
 * - A promise that resolves means durable: the data survives `kill -9` of this process and a power cut.
 * - `append` is atomic and fenced. With an `expectedSeq` other than the length of the log, it changes nothing and answers `conflict`.
 *   Concurrent calls share one transaction (group commit). A refused append never affects the others of its batch.
 * - Reads see everything whose write was confirmed before the read began, and each single read is one snapshot.
 * - After `close` every call rejects.
 */
import type {
  AttachmentId,
  JobId,
  PublicationId,
  SubscriptionId,
  Timestamp,
  WorkflowId,
} from '@tutti/manifests';
import type { CountedPart } from './log-part.ts';
import type { RunGroup, RunGroupQuery } from './run-groups.ts';
import type { TestHistoryReads, TestHistoryWrite } from './test-history.ts';

export type WorkflowStatus = 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED';

/** Row of a run for lists of workflows, which read no logs. */
export interface WorkflowRow {
  readonly workflowId: WorkflowId;
  readonly name: string;
  readonly namespace: string;
  readonly status: WorkflowStatus;
  /** False once the run ended and no worker is active on it: it is then not loaded at start. */
  readonly live: boolean;
  readonly workers: readonly string[];
  readonly createdAt: Timestamp;
  readonly completedAt: Timestamp | null;
}

/** A run in the list of all: without its texts, of which a workflow may have any. */
export interface ListedRun extends Pick<WorkflowRow, 'workflowId' | 'namespace' | 'status'> {
  /** Number in the list of all. */
  readonly place: number;
  readonly hasWorkers: boolean;
  /** Size of the texts that it masks, 0 without any. It changes when masks are added, as masks only grow. */
  readonly masks: number;
}

export interface AttachmentRow {
  readonly attachmentId: AttachmentId;
  /** Name of the file, without a path. */
  readonly name: string;
  readonly type: string | null;
}

/** It identifies a test case within one run. Without the reference, it does so in other runs of the workflow (see `earlierExecutions`). */
export interface TestCaseKey {
  /** Test cases with the same one are kept close together, which is fast where they come one after the other. */
  readonly suite: string;
  readonly name: string;
  readonly reference: string;
}

/** An execution of a test case, kept beyond the retention of its run. */
export interface TestExecutionRow {
  readonly outcome: 'success' | 'failure' | 'error' | 'skipped';
  readonly durationMs: number;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
}

/** One execution. `json` is the TestCase manifest (specification 2.6) but for what changes with later executions. */
export interface TestCaseRow extends TestExecutionRow {
  /** A later execution of a key in one run is a further one of the same test case. */
  readonly key: TestCaseKey;
  /** The execution of a key that has the highest counts: it is what became of the test case. Among equals the newest counts. */
  readonly precedence: number;
  readonly jobId: JobId;
  readonly json: string;
}

/** General errors of one execution, for the test case that they are shown with. */
export interface TestErrorsRow {
  readonly key: TestCaseKey;
  /** `metadata.execution_id` of one of the executions with the key. */
  readonly attachmentId: AttachmentId;
  /** A list, added to `execution.errorsList`. */
  readonly json: string;
}

/** A report of which test cases may be missing, or several that did not arrive. `json` is a `BrokenReport`. */
export interface BrokenReportRow {
  /** Id of the attachment; of what did not arrive, a key of its own. */
  readonly attachmentId: string;
  readonly json: string;
}

export interface JobRow {
  readonly jobId: JobId;
  /** Job manifest (specification 2.7) without the counts of test cases. */
  readonly json: string;
}

export interface PlacedLogPart extends CountedPart {
  /** The event that has the lines, counted from 0 in its append. */
  readonly event: number;
  /** It stands behind so many characters of `logText`. */
  readonly textBefore: number;
}

/** The summary of a run, for lists. */
export interface SummaryRow {
  /** A `RunSummary`. */
  readonly json: string;
  /** A `FirstFailure`; the first one of a run stays. */
  readonly failure: string | null;
  /** Lines of the log up to the failure, of those that the append adds. */
  readonly lines: number;
}

/** The summary of a run that has none. */
export interface AddedSummary extends Omit<SummaryRow, 'lines'> {
  readonly workflowId: WorkflowId;
}

export interface Projection {
  /** Replaces the run's row; null when nothing of it changed. */
  readonly workflow: WorkflowRow | null;
  /** Appended to the execution log; whole lines. */
  readonly logText: string;
  /** Parts of the log whose text is in the events, in the order of the log. If absent there are none. */
  readonly logParts?: readonly PlacedLogPart[];
  readonly attachments: readonly AttachmentRow[];
  readonly testCases: readonly TestCaseRow[];
  /** Applied after the test cases; rows without their execution are passed over. If absent there are none. */
  readonly testErrors?: readonly TestErrorsRow[];
  /** The first row for an attachment stays, so that a broken report is reported once. If absent there are none. */
  readonly brokenReports?: readonly BrokenReportRow[];
  /** Insert or replace by job id. */
  readonly jobs: readonly JobRow[];
  /** Replaces the run's summary; null or absent when nothing of it changed. */
  readonly summary?: SummaryRow | null;
}

/** A small private record of a service, kept in step with the events it belongs to. Null deletes. */
export interface DocumentWrite {
  readonly collection: string;
  readonly key: string;
  readonly json: string | null;
}

/** Deletes the record of a key. */
export const removalFrom =
  (collection: string) =>
  (key: string): DocumentWrite => ({ collection, key, json: null });

/** Collection of the texts that each run masks, as a JSON list; the key is the id of the run. An append of the run writes them. */
export const RUN_MASKS = 'run-masks';

/** A publication for the inboxes of some subscriptions. Its body is stored once for all of them. */
export interface OutboxWrite {
  readonly subscriptionIds: readonly SubscriptionId[];
  readonly publicationId: PublicationId;
  readonly body: string;
}

/** A publication that waits for the inbox of one subscription. */
export interface OutboxEntry {
  /** Grows with every entry of the store; the order of delivery within a subscription. */
  readonly position: number;
  readonly subscriptionId: SubscriptionId;
  readonly publicationId: PublicationId;
  /** Size of the body in the store. */
  readonly bytes: number;
  /** Empty where the reader asked for shorter bodies: `outboxBody` reads it. */
  readonly body: string;
}

/** Bounds of one read of the outbox. */
export interface OutboxBounds {
  /** Positions of entries that are left out, as the reader has them. It takes the oldest first, so it had all that were to be read before. */
  readonly except?: readonly number[];
  /** Longer bodies are left out; none if absent. */
  readonly bodyBytesMax?: number | undefined;
  /** Bytes of all entries, with bodies that are left out; any if absent. */
  readonly bytesMax?: number;
}

/** Backlog of the inbox of one subscription. A body counts for each inbox that it waits for. */
export interface OutboxSize {
  readonly entries: number;
  readonly bytes: number;
}

/** A body that is read by itself. */
export interface OutboxBody {
  /** Entries with the same key have the same body. */
  readonly key: string;
  readonly bytes: number;
}

/** Sees what changes in the outbox, once it is durable. Must not throw. */
export interface OutboxWatch {
  /** Entries come each once, in the order of their positions, before the promise of their write resolves. */
  added(entry: OutboxEntry): void;
  removed(subscriptionId: SubscriptionId, size: OutboxSize): void;
}

export interface NewEvent {
  readonly kind: string;
  readonly json: string;
  /** False where it changes nothing of the run, as output does: whoever folds the run passes it over. True if absent. */
  readonly folds?: boolean;
}

/** An event that a fold of its run needs. */
export interface FoldingEvent {
  readonly workflowId: WorkflowId;
  readonly seq: number;
  readonly json: string;
  /** Length of the whole log in the same snapshot. */
  readonly total: number;
  /** Size of all its events as JSON, in UTF-16 code units. */
  readonly size: number;
}

export interface Append {
  readonly workflowId: WorkflowId;
  /** Length of the log that the events were decided on; 0 makes a new run. */
  readonly expectedSeq: number;
  /** Sequence numbers start at 1. */
  readonly events: readonly NewEvent[];
  readonly projection: Projection;
  readonly documents: readonly DocumentWrite[];
  readonly outbox: readonly OutboxWrite[];
}

export type AppendResult =
  | { readonly outcome: 'appended'; readonly seq: number }
  | { readonly outcome: 'conflict'; readonly seq: number };

/** A change that belongs to no run. */
export interface Write {
  readonly documents?: readonly DocumentWrite[];
  readonly outbox?: readonly OutboxWrite[];
  /** Positions of delivered (or given up) outbox entries, which go away. */
  readonly outboxDone?: readonly number[];
  /** A run that has a summary by now keeps it. */
  readonly summaries?: readonly AddedSummary[];
  readonly testHistory?: TestHistoryWrite;
}

export interface EventPage {
  /** Events as JSON texts, in order. */
  readonly items: readonly string[];
  /** Length of the whole log in the same snapshot. */
  readonly total: number;
  /** The run's row in the same snapshot. */
  readonly workflow: WorkflowRow;
}

export interface LogSlice {
  readonly bytes: Uint8Array;
  /** Length of the whole log text, in bytes. */
  readonly total: number;
}

/** A place in an execution log, at or before a line. Lines are counted from 0. */
export interface LogPlace {
  readonly line: number;
  /** Where that line begins. */
  readonly byte: number;
  /** Lines of the whole log; null for a log that an earlier version began, which has no places. */
  readonly lines: number | null;
  /** Length of the whole log, in bytes. */
  readonly bytes: number;
}

export interface TestCaseSummary {
  readonly jobId: JobId;
  readonly outcome: TestCaseRow['outcome'];
  readonly count: number;
}

export interface StoredTestCase extends Pick<TestCaseRow, 'jobId' | 'outcome' | 'json'> {
  /** Place of the test case in the run, from 0, in the order of first executions. */
  readonly place: number;
  /** Number of executions of this key in the run so far; `json` is of the one that counts. */
  readonly executions: number;
  /** The number of the one that counts. */
  readonly counting: number;
  /** `json` of the others, oldest first: a bounded number of the newest. */
  readonly history: readonly string[];
}

/** An execution of a test case in an earlier run. */
export interface EarlierExecution extends TestExecutionRow {
  readonly workflowId: WorkflowId;
}

/** A part of the list of all runs. */
export interface RunPortion {
  /** Place of the last run of the portion before, 0 for the first one. */
  readonly after: number;
  readonly limit: number;
  /** Leaves out runs that are over and have no worker. */
  readonly isLive?: boolean;
}

export type RunOrder = 'started' | 'name' | 'duration' | 'failures';

/** A question about runs. A condition that is absent holds for all. */
export interface RunConditions {
  readonly namespaces?: readonly string[];
  readonly statuses?: readonly WorkflowStatus[];
  readonly name?: string;
  /** A part of the name or of the id, in letters of either case. */
  readonly search?: string;
  /** Times of their begin: from the first on, and before the second. */
  readonly since?: Timestamp;
  readonly until?: Timestamp;
  /** Places in the list of all: runs that began before the one with the first, or exactly those. */
  readonly before?: number;
  readonly places?: readonly number[];
}

export interface RunQuery extends RunConditions {
  readonly order: RunOrder;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A run in a list, with its summary. */
export interface SummarizedRun
  extends Pick<
    WorkflowRow,
    'workflowId' | 'name' | 'namespace' | 'status' | 'createdAt' | 'completedAt'
  > {
  readonly place: number;
  /** Null as long as a run of an earlier version has no summary. */
  readonly summary: string | null;
  readonly failure: string | null;
  /** The last line of the log before the failure, from 1; null where nobody counted. */
  readonly failureLine: number | null;
  /** Its test cases by outcome. */
  readonly tests: Readonly<Partial<Record<TestCaseRow['outcome'], number>>>;
}

/** Runs of one name, for which something is usual. */
export type RunName = Pick<WorkflowRow, 'namespace' | 'name'>;

/** The end of a run. Several runs may end at the same time, so they are ordered by their places, too. */
export interface RunEnd {
  readonly at: Timestamp;
  readonly place: number;
}

/** Sizes of the store, for operators of the server. */
export interface StoreFigures {
  readonly runs: number;
  readonly events: number;
  /** Undelivered entries by the ids of their subscriptions. */
  readonly outbox: ReadonlyMap<SubscriptionId, number>;
  /** Changes that wait for their turn to be made durable. */
  readonly waitingOperations: number;
}

export interface Store extends TestHistoryReads {
  append(append: Append): Promise<AppendResult>;
  write(write: Write): Promise<void>;
  /** Something will be written soon: what takes its time before the first write may begin. */
  expectWrites(): void;

  workflow(workflowId: WorkflowId): Promise<WorkflowRow | null>;
  /** Kept runs, oldest first; all of them without a portion. */
  workflows(portion?: RunPortion): Promise<readonly ListedRun[]>;
  /** Some groups of kept runs, oldest first; none at the end. They are read in a third of the time of their rows. */
  runGroups(query: RunGroupQuery): Promise<readonly RunGroup[]>;
  /** A part of the runs that a question asks for, in its order. */
  summarizedRuns(query: RunQuery): Promise<readonly SummarizedRun[]>;
  /** The number of all of them. */
  countRuns(query: RunConditions): Promise<number>;
  /** Durations in milliseconds of the newest runs of each name that succeeded: a bounded number of them. */
  recentDurations(names: readonly RunName[]): Promise<readonly (readonly number[])[]>;
  /** Runs before a place that have no summary, the newest first. It looks at a number of runs, and says where it ended. */
  unsummarizedRuns(
    before: number,
    looks: number,
  ): Promise<{ readonly items: readonly WorkflowId[]; readonly place: number | null }>;
  /**
   * Folding events of all live runs, run by run in the order of their begin, after the given one. A bounded size of them, but at least
   * one, if there is one.
   */
  liveEvents(after: FoldingEvent | null): Promise<readonly FoldingEvent[]>;
  /** The length of the log of each live run, in the order of their begin. */
  liveLengths(): Promise<ReadonlyMap<WorkflowId, number>>;
  /** The same of one run, from that event on. None when the run is unknown. */
  foldingEvents(workflowId: WorkflowId, fromSeq: number): Promise<readonly FoldingEvent[]>;
  /** The end that lies so many ends before this end, of runs without a worker. Null if there are fewer. It reads that many ends. */
  endBefore(end: RunEnd, ends: number): Promise<RunEnd | null>;
  /** Ended runs without a worker, up to this end, the earliest first, at most `limit`. Runs that wait to be folded are left out. */
  endedWorkflowIds(upTo: RunEnd, limit: number): Promise<readonly WorkflowId[]>;
  /**
   * Events `fromSeq` (from 1), `limit` of them at most. Fewer where they are large, but at least one, if there is one. Null when the run is
   * unknown.
   */
  events(workflowId: WorkflowId, fromSeq: number, limit: number): Promise<EventPage | null>;
  /**
   * The events with the texts that the run masks: only for parts that carry the run out. Where a store is wrapped (`withShownEvents`),
   * `events` is redacted.
   */
  history(workflowId: WorkflowId, fromSeq: number, limit: number): Promise<EventPage | null>;
  /**
   * The first event of each of these runs as JSON text, null for an unknown run. Stops after `length` characters, and gives at least one.
   * Where a store is wrapped, redacted.
   */
  firstEvents(
    workflowIds: readonly WorkflowId[],
    length: number,
  ): Promise<readonly (string | null)[]>;
  /** Bytes `start` to `end` (exclusive) of the execution log; null when the run is unknown. */
  log(workflowId: WorkflowId, start: number, end: number): Promise<LogSlice | null>;
  /**
   * The last known place at or before a line. Between it and the line are `LOG_MARK_BYTES`, and what one write added. Null when the run is
   * unknown.
   */
  logPlace(workflowId: WorkflowId, line: number): Promise<LogPlace | null>;
  /**
   * Keeps the end of that log in memory while it grows, so that `log` answers new text at once. Returns the way to end that.
   */
  followLog(workflowId: WorkflowId): () => void;
  attachment(workflowId: WorkflowId, attachmentId: AttachmentId): Promise<AttachmentRow | null>;
  jobs(workflowId: WorkflowId): Promise<readonly JobRow[]>;
  /** Test cases in the order of their first execution. Fewer where they are large, but at least one, if there is one. */
  testCases(
    workflowId: WorkflowId,
    offset: number,
    limit: number,
  ): Promise<{ readonly items: readonly StoredTestCase[]; readonly total: number }>;
  /** Only the manifests of these test cases, as JSON texts. It takes a third of the time, for readers of many test cases. */
  testCaseManifests(
    workflowId: WorkflowId,
    offset: number,
    limit: number,
  ): Promise<readonly string[]>;
  testCaseSummary(workflowId: WorkflowId): Promise<readonly TestCaseSummary[]>;
  /** The first `limit` broken reports as JSON texts, in the order in which they came, and how many there are. */
  brokenReports(
    workflowId: WorkflowId,
    limit: number,
  ): Promise<{ readonly items: readonly string[]; readonly total: number }>;
  /**
   * Executions of test cases of this run in earlier runs of its namespace and name, by place, oldest first. The execution that counted is
   * the last of its run. A bounded number of the newest; test cases without any are not in the map. In each earlier run the executions with
   * the same key count. Where it has none, those with the same key but for the reference.
   */
  earlierExecutions(
    workflowId: WorkflowId,
    places: readonly number[],
  ): Promise<ReadonlyMap<number, readonly EarlierExecution[]>>;

  documents(
    collection: string,
  ): Promise<readonly { readonly key: string; readonly json: string }[]>;
  /** The JSON text of one document; null when there is none. */
  document(collection: string, key: string): Promise<string | null>;
  /**
   * The oldest `limit` undelivered entries of one subscription, in order. There are fewer where their bodies come to `bytesMax`, and one at
   * least.
   */
  outbox(
    subscriptionId: SubscriptionId,
    limit: number,
    bounds?: OutboxBounds,
  ): Promise<readonly OutboxEntry[]>;
  /** Null when the entry was removed. */
  outboxBody(position: number): Promise<OutboxBody | null>;
  /** The body as UTF-8; null when the entry was removed. */
  outboxBytes(position: number): Promise<Uint8Array | null>;
  watchOutbox(watch: OutboxWatch): void;
  /** Positions of the oldest `limit` undelivered entries of one subscription beyond the newest `kept`. */
  outboxSurplus(
    subscriptionId: SubscriptionId,
    kept: number,
    limit: number,
  ): Promise<readonly number[]>;
  /** Subscriptions that have undelivered entries. */
  outboxSubscriptions(): Promise<readonly SubscriptionId[]>;
  /** The backlog of each of them. Reads every entry. */
  outboxSizes(): Promise<ReadonlyMap<SubscriptionId, OutboxSize>>;

  figures(): Promise<StoreFigures>;

  /** Removes runs with everything but the executions of their test cases; their documents in `RUN_MASKS` go with them. */
  forget(workflowIds: readonly WorkflowId[]): Promise<void>;
  /** Removes the executions of test cases of forgotten runs that were made before that time. */
  forgetExecutions(before: Timestamp): Promise<void>;
  /** Waits for operations under way, then closes. Safe to call twice. */
  close(): Promise<void>;
}
