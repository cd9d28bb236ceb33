/** The rows that a batch of appends and writes changes. Pure: it is made before anything is sent, and can be sent again. */
import { Buffer } from 'node:buffer';
import type { SubscriptionId, WorkflowId } from '@tutti/manifests';
import { linesIn } from '../log-marks.ts';
import {
  type Append,
  type AttachmentRow,
  type BrokenReportRow,
  type DocumentWrite,
  type JobRow,
  type OutboxSize,
  type OutboxWrite,
  type Projection,
  RUN_MASKS,
  type SummaryRow,
  type TestCaseRow,
  type TestErrorsRow,
  type WorkflowRow,
  type Write,
} from '../store.ts';
import type { OutboxChange, WriterAnswer, WriterOperation } from '../writes/operations.ts';

/** Operations that one statement can have. */
export type PlannedOperation = Extract<WriterOperation, { kind: 'append' | 'write' }>;

export interface PlannedEvent {
  readonly workflowId: WorkflowId;
  readonly seq: number;
  readonly kind: string;
  readonly json: string;
  readonly folds: boolean;
}

/** Text, or a part whose text is in an event. `offset` counts from the end of the log before the batch. */
export interface PlannedLog {
  readonly workflowId: WorkflowId;
  readonly offset: number;
  readonly bytes: number;
  readonly content: Buffer | null;
  readonly event: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly prefix: string | null;
}

export interface TestStep {
  readonly cases: readonly TestCaseRow[];
  readonly errors: readonly TestErrorsRow[];
}

/** Changes of one run. */
export interface RunChange {
  readonly workflowId: WorkflowId;
  /** Length of the log before the batch; 0 for a new run. */
  readonly expected: number;
  length: number;
  size: number;
  logBytes: number;
  logLines: number;
  /** Size of the texts that it masks; null where it stays. */
  masks: number | null;
  row: WorkflowRow | null;
  readonly tests: TestStep[];
}

/** `lines` counts from the begin of the batch, and is null where nobody counted. `isAdded`: only for a run that has none. */
export interface PlannedSummary extends Omit<SummaryRow, 'lines'> {
  readonly workflowId: WorkflowId;
  readonly lines: number | null;
  readonly isAdded: boolean;
}

export interface PlannedEntry {
  readonly position: number;
  readonly subscriptionId: SubscriptionId;
  readonly publicationId: string;
  readonly bytes: number;
  readonly body: string | null;
  readonly sharedBody: number | null;
}

export interface BatchPlan {
  readonly runs: ReadonlyMap<WorkflowId, RunChange>;
  readonly events: readonly PlannedEvent[];
  readonly logs: readonly PlannedLog[];
  readonly attachments: readonly OfRun<AttachmentRow>[];
  readonly jobs: readonly OfRun<JobRow>[];
  readonly brokenReports: readonly OfRun<BrokenReportRow>[];
  readonly summaries: readonly PlannedSummary[];
  readonly documents: readonly DocumentWrite[];
  readonly outbox: readonly PlannedEntry[];
  readonly sharedBodies: readonly { readonly id: number; readonly body: string }[];
  readonly outboxDone: readonly number[];
  /** The answers, once it is stored: from the lengths of the logs after it. */
  answers(logBytes: ReadonlyMap<string, number>): readonly WriterAnswer[];
}

export type OfRun<Row> = Row & { readonly workflowId: WorkflowId };

export interface RemovedEntry {
  readonly position: number;
  readonly subscriptionId: SubscriptionId;
  readonly bytes: number;
}

/** Facts that the writer reads before it plans a batch. */
export interface BatchFacts {
  /** The first of the positions that were drawn for it. */
  readonly firstPosition: number;
  /** Entries that its operations remove. */
  readonly removed: readonly RemovedEntry[];
}

export function outboxEntriesOf(operations: readonly PlannedOperation[]): number {
  let count = 0;
  for (const operation of operations) {
    for (const { subscriptionIds } of outboxOf(operation)) count += subscriptionIds.length;
  }
  return count;
}

export function outboxDoneOf(operations: readonly PlannedOperation[]): readonly number[] {
  return operations.flatMap((operation) =>
    operation.kind === 'write' ? (operation.write.outboxDone ?? []) : [],
  );
}

const outboxOf = (operation: PlannedOperation): readonly OutboxWrite[] =>
  (operation.kind === 'append' ? operation.append.outbox : operation.write.outbox) ?? [];

/** Throws where an operation is not to be stored at all. */
export function planBatch(operations: readonly PlannedOperation[], facts: BatchFacts): BatchPlan {
  const planner = new Planner(facts);
  for (const operation of operations) {
    if (operation.kind === 'append') planner.append(operation.append);
    else planner.write(operation.write);
  }
  return planner.plan();
}

type Answer = (logBytes: ReadonlyMap<string, number>) => WriterAnswer;

class Planner {
  readonly #runs = new Map<WorkflowId, RunChange>();
  readonly #events: PlannedEvent[] = [];
  readonly #logs: PlannedLog[] = [];
  readonly #attachments = new Map<string, OfRun<AttachmentRow>>();
  readonly #jobs = new Map<string, OfRun<JobRow>>();
  readonly #brokenReports = new Map<string, OfRun<BrokenReportRow>>();
  readonly #summaries = new Map<WorkflowId, PlannedSummary>();
  readonly #documents = new Map<string, DocumentWrite>();
  readonly #outbox: PlannedEntry[] = [];
  readonly #sharedBodies: { id: number; body: string }[] = [];
  readonly #removable: Map<number, RemovedEntry>;
  readonly #done: number[] = [];
  readonly #answers: Answer[] = [];
  #position: number;

  constructor({ firstPosition, removed }: BatchFacts) {
    this.#position = firstPosition;
    this.#removable = new Map(removed.map((entry) => [entry.position, entry]));
  }

  append(append: Append): void {
    const { workflowId, expectedSeq, projection } = append;
    const run = this.#runs.get(workflowId) ?? beginningOf(append);
    if (run.length !== expectedSeq) {
      const seq = run.length;
      this.#answers.push(() => ({ outcome: 'conflict', seq }));
      return;
    }
    this.#runs.set(workflowId, run);
    for (const { kind, json, folds = true } of append.events) {
      run.length += 1;
      run.size += json.length;
      this.#events.push({ workflowId, seq: run.length, kind, json, folds });
    }
    const { logLines } = run;
    this.#addLog(run, expectedSeq, projection);
    run.row = projection.workflow ?? run.row;
    this.#addParts(workflowId, projection);
    if (projection.summary) this.#putSummary(workflowId, projection.summary, logLines);
    const { testCases: cases, testErrors: errors = [] } = projection;
    if (cases.length + errors.length > 0) run.tests.push({ cases, errors });
    for (const document of append.documents) this.#addDocument(document);
    const masks = append.documents.find(({ collection }) => collection === RUN_MASKS);
    if (masks !== undefined) run.masks = Buffer.byteLength(masks.json ?? '');
    const outboxFrom = this.#addOutbox(append.outbox);
    const [seq, added] = [run.length, run.logBytes];
    this.#answers.push((logBytes) => ({
      outcome: 'appended',
      seq,
      logBytes: (logBytes.get(workflowId) ?? 0) - run.logBytes + added,
      outboxFrom,
    }));
  }

  write({ documents = [], outbox = [], outboxDone = [], summaries = [] }: Write): void {
    for (const document of documents) this.#addDocument(document);
    for (const added of summaries) {
      const isNew = !this.#summaries.has(added.workflowId);
      if (isNew) this.#summaries.set(added.workflowId, { ...added, lines: null, isAdded: true });
    }
    const outboxFrom = this.#addOutbox(outbox);
    const change: OutboxChange =
      outboxDone.length === 0
        ? { outboxFrom }
        : { outboxFrom, outboxRemoved: this.#remove(outboxDone) };
    this.#answers.push(() => ({ outcome: 'done', ...change }));
  }

  plan(): BatchPlan {
    return {
      runs: this.#runs,
      events: this.#events,
      logs: this.#logs,
      attachments: [...this.#attachments.values()],
      jobs: [...this.#jobs.values()],
      brokenReports: [...this.#brokenReports.values()],
      summaries: [...this.#summaries.values()],
      documents: [...this.#documents.values()],
      outbox: this.#outbox,
      sharedBodies: this.#sharedBodies,
      outboxDone: this.#done,
      answers: (logBytes) => this.#answers.map((answer) => answer(logBytes)),
    };
  }

  #addLog(run: RunChange, expectedSeq: number, { logText, logParts = [] }: Projection): void {
    const { workflowId } = run;
    let written = 0;
    run.logLines += logParts.reduce((sum, { lines }) => sum + lines, linesIn(logText));
    const addText = (until: number) => {
      if (until > written) this.#addText(run, Buffer.from(logText.slice(written, until)));
      written = until;
    };
    for (const { event, from, to, prefix, bytes, textBefore } of logParts) {
      addText(textBefore);
      const place = { workflowId, offset: run.logBytes, bytes, content: null };
      this.#logs.push({ ...place, event: expectedSeq + event + 1, from, to, prefix });
      run.logBytes += bytes;
    }
    addText(logText.length);
  }

  /** Texts that follow each other are one row. */
  #addText(run: RunChange, content: Buffer): void {
    const last = this.#logs.at(-1);
    const { workflowId, logBytes: offset } = run;
    const none = { event: null, from: null, to: null, prefix: null };
    if (last?.content != null && last.workflowId === workflowId && isSmall(last.content, content)) {
      const joined = Buffer.concat([last.content, content]);
      this.#logs.pop();
      this.#logs.push({ ...last, content: joined, bytes: joined.length });
    } else {
      for (let at = 0; at < content.length; at += TEXT_BYTES) {
        const part = content.subarray(at, at + TEXT_BYTES);
        const place = { workflowId, offset: offset + at, bytes: part.length };
        this.#logs.push({ ...place, content: part, ...none });
      }
    }
    run.logBytes += content.length;
  }

  #addParts(workflowId: WorkflowId, { attachments, jobs, brokenReports = [] }: Projection): void {
    for (const row of attachments) {
      this.#attachments.set(`${workflowId} ${row.attachmentId}`, { workflowId, ...row });
    }
    for (const row of jobs) this.#jobs.set(`${workflowId} ${row.jobId}`, { workflowId, ...row });
    for (const row of brokenReports) {
      const key = `${workflowId} ${row.attachmentId}`;
      if (!this.#brokenReports.has(key)) this.#brokenReports.set(key, { workflowId, ...row });
    }
  }

  #putSummary(workflowId: WorkflowId, { json, ...summary }: SummaryRow, logLines: number): void {
    const known = this.#summaries.get(workflowId);
    const first = known?.failure == null ? { ...summary, lines: logLines + summary.lines } : known;
    const { failure, lines } = first;
    this.#summaries.set(workflowId, { workflowId, json, failure, lines, isAdded: false });
  }

  #addDocument(document: DocumentWrite): void {
    this.#documents.set(`${document.collection}\0${document.key}`, document);
  }

  /** The position of the first entry. */
  #addOutbox(writes: readonly OutboxWrite[]): number | null {
    const first = this.#position;
    for (const { subscriptionIds, publicationId, body } of writes) {
      const bytes = Buffer.byteLength(body);
      const isShared = subscriptionIds.length > 1;
      const sharedBody = isShared ? this.#position : null;
      if (sharedBody !== null) this.#sharedBodies.push({ id: sharedBody, body });
      for (const subscriptionId of subscriptionIds) {
        const position = this.#position;
        const content = { bytes, body: isShared ? null : body, sharedBody };
        this.#outbox.push({ position, subscriptionId, publicationId, ...content });
        this.#position += 1;
      }
    }
    return this.#position > first ? first : null;
  }

  #remove(positions: readonly number[]): readonly (readonly [SubscriptionId, OutboxSize])[] {
    const sizes = new Map<SubscriptionId, OutboxSize>();
    for (const position of positions) {
      const entry = this.#removable.get(position);
      if (entry === undefined) continue;
      this.#removable.delete(position);
      this.#done.push(position);
      const { entries, bytes } = sizes.get(entry.subscriptionId) ?? { entries: 0, bytes: 0 };
      sizes.set(entry.subscriptionId, { entries: entries + 1, bytes: bytes + entry.bytes });
    }
    return [...sizes];
  }
}

/** Bytes of log text in one row. */
const TEXT_BYTES = 64 * 1024;

const isSmall = (one: Buffer, other: Buffer): boolean => one.length + other.length <= TEXT_BYTES;

function beginningOf({ workflowId, expectedSeq, projection }: Append): RunChange {
  if (expectedSeq === 0 && projection.workflow === null) {
    throw new Error('The first append of a run comes with its row.');
  }
  const nothing = { size: 0, logBytes: 0, logLines: 0, masks: null, row: null, tests: [] };
  return { workflowId, expected: expectedSeq, length: expectedSeq, ...nothing };
}
