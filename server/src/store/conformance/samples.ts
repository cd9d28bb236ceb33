/** Small, recognizable things to store. */
import {
  type AttachmentId,
  formatTimestamp,
  type JobId,
  type PublicationId,
  parseId,
  type SubscriptionId,
  type Timestamp,
  type WorkflowId,
} from '@tutti/manifests';
import type {
  Append,
  OutboxWrite,
  Projection,
  StoredTestCase,
  TestCaseKey,
  TestCaseRow,
  WorkflowRow,
} from '../store.ts';

function uuid(kind: number, number: number): string {
  return `0000000${kind}-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

export const workflowId = (number: number) => parseId<WorkflowId>('workflow id', uuid(1, number));
export const jobId = (number: number) => parseId<JobId>('job id', uuid(2, number));
export const attachmentId = (number: number) =>
  parseId<AttachmentId>('attachment id', uuid(3, number));
export const subscriptionId = (number: number) =>
  parseId<SubscriptionId>('subscription id', uuid(4, number));

/** One minute per number. */
export const timestamp = (number: number): Timestamp => formatTimestamp(number * 60_000);

export function workflowRow(id: WorkflowId, more: Partial<WorkflowRow> = {}): WorkflowRow {
  return {
    workflowId: id,
    name: 'nightly',
    namespace: 'default',
    status: 'RUNNING',
    live: true,
    workers: [],
    createdAt: timestamp(1),
    completedAt: null,
    ...more,
  };
}

export function projection(more: Partial<Projection> = {}): Projection {
  return {
    workflow: null,
    logText: '',
    attachments: [],
    testCases: [],
    jobs: [],
    ...more,
  };
}

/** The JSON text of the event with this number. */
export const eventJson = (seq: number): string => JSON.stringify({ event: seq });

/** An append of `count` events; the one that begins a run brings its row. */
export function append(
  id: WorkflowId,
  expectedSeq: number,
  more: Partial<Omit<Append, 'projection'>> & {
    readonly count?: number;
    readonly projection?: Partial<Projection>;
  } = {},
): Append {
  const { count = 1, projection: shown, ...rest } = more;
  return {
    workflowId: id,
    expectedSeq,
    events: Array.from({ length: count }, (_, index) => ({
      kind: 'Notification',
      json: eventJson(expectedSeq + index + 1),
    })),
    projection: projection({ workflow: expectedSeq === 0 ? workflowRow(id) : null, ...shown }),
    documents: [],
    outbox: [],
    ...rest,
  };
}

export function testCaseKey(name: string, reference = ''): TestCaseKey {
  return { suite: 'unit/junit/cart', name, reference };
}

export function testCase(name: string, more: Partial<TestCaseRow> = {}): TestCaseRow {
  return {
    key: testCaseKey(name),
    jobId: jobId(1),
    precedence: 0,
    outcome: 'success',
    durationMs: 1.5,
    startedAt: timestamp(1),
    endedAt: timestamp(2),
    json: JSON.stringify({ name }),
    ...more,
  };
}

/** The execution that counts as it is read, at that place of its run. */
export function storedTestCase(
  { jobId: of, outcome, json }: TestCaseRow,
  place: number,
  history: readonly string[] = [],
  counting: number = history.length + 1,
): StoredTestCase {
  return { place, jobId: of, outcome, json, executions: history.length + 1, counting, history };
}

export function outboxEntry(subscription: number, publication: number): OutboxWrite {
  return {
    subscriptionIds: [subscriptionId(subscription)],
    publicationId: parseId<PublicationId>('publication id', uuid(5, publication)),
    body: JSON.stringify({ publication }),
  };
}
