/** A run that is over, with many events or a long log, as a store has it. */
import { parseWorkflowId, type Timestamp, type WorkflowId } from '@tutti/manifests';
import { logPartOf } from '../../server/src/store/log-part.ts';
import { openSqliteStore } from '../../server/src/store/sqlite/sqlite-store.ts';
import type { Append, Projection, Store, WorkflowRow } from '../../server/src/store/store.ts';

const AT = '2026-01-31T12:00:00.000000' as Timestamp;
/** Lines of 100 characters that one event has, and events of one commit, as the server takes much output. */
const EVENT_LINES = 960;
const EVENTS_OF_COMMIT = 13;
/** Events of one append, and of one job: a third for each kind of event of a step. */
const PORTION = 500;
const STEP_KINDS = ['ExecutionCommand', 'Notification', 'ExecutionResult'] as const;
/** One of this number of commands is for a function, with its labels. */
const FUNCTION_EVERY = 100;
const CHANNEL = {
  channel_id: '01a204b5-f816-7ae0-8d51-c856c0f65ee1',
  channel_os: 'linux',
  channelhandler_id: '5f0c0e0a-7f0e-4b6e-9d53-a6c4a3f2b1d0',
  channel_temp: '/tmp/agent/workspace',
};
const LINES = Array.from({ length: 5 }, (_, index) => `line ${index} of what a step prints`);

export const SYNTHETIC_RUN = parseWorkflowId('aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb');

const rowOf = (workflowId: WorkflowId): WorkflowRow => ({
  workflowId,
  name: 'nightly',
  namespace: 'default',
  status: 'DONE',
  live: false,
  workers: [],
  createdAt: AT,
  completedAt: AT,
});

type Part = Pick<Append, 'expectedSeq' | 'events'> & Pick<Projection, 'logText' | 'logParts'>;

function appendOf({ expectedSeq, events, ...log }: Part): Append {
  const workflow = expectedSeq === 0 ? rowOf(SYNTHETIC_RUN) : null;
  const projection = { workflow, ...log, attachments: [], testCases: [], jobs: [] };
  return { workflowId: SYNTHETIC_RUN, expectedSeq, events, projection, documents: [], outbox: [] };
}

async function withStore(file: string, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqliteStore({ file });
  await work(store);
  await store.close();
}

/** A run with `count` events: its manifest, and events of its steps. */
export async function writeManyEvents(file: string, count: number): Promise<void> {
  await withStore(file, async (store) => {
    for (let seq = 0; seq < count; seq += PORTION) {
      const length = Math.min(PORTION, count - seq);
      const events = Array.from({ length }, (_, index) => eventOf(seq + index));
      await store.append(appendOf({ expectedSeq: seq, events, logText: '' }));
    }
  });
}

function eventOf(number: number): Append['events'][number] {
  const common = { workflow_id: SYNTHETIC_RUN, namespace: 'default', creationTimestamp: AT };
  if (number === 0) {
    const jobs = { only: { 'runs-on': 'linux', steps: [{ run: 'true' }] } };
    const event = { apiVersion: 'opentestfactory.org/v1', jobs };
    return stored('Workflow', { ...event, metadata: { ...common, name: 'nightly' } });
  }
  const kind = STEP_KINDS[number % STEP_KINDS.length] ?? 'Notification';
  const step = Math.floor(number / STEP_KINDS.length);
  const metadata = {
    name: `job ${Math.floor(number / PORTION)}`,
    ...common,
    job_id: idOf('8333', Math.floor(number / PORTION)),
    job_origin: [],
    step_id: stepIdOf(step),
    step_origin: [],
    step_sequence_id: step % PORTION,
    ...(kind === 'Notification' ? {} : CHANNEL),
    ...(kind === 'ExecutionCommand' && step % FUNCTION_EVERY === 0 ? { labels: LABELS } : {}),
  };
  return stored(kind, { metadata, ...contentOf(kind) });
}

const LABELS = {
  'opentestfactory.org/category': 'junit',
  'opentestfactory.org/categoryPrefix': 'junit',
};

export const stepIdOf = (step: number): string => idOf('9333', step);

const idOf = (part: string, number: number): string =>
  `00000000-0000-7000-${part}-${String(number).padStart(12, '0')}`;

function contentOf(kind: (typeof STEP_KINDS)[number]): object {
  switch (kind) {
    case 'ExecutionCommand':
      return {
        apiVersion: 'opentestfactory.org/v1beta1',
        'runs-on': ['linux'],
        scripts: ['./gradlew test --tests com.acme.shop.cart.*'],
      };
    case 'Notification':
      return { apiVersion: 'v1', spec: { logs: LINES } };
    case 'ExecutionResult':
      return { apiVersion: 'v1', status: 0, logs: LINES };
  }
}

const stored = (kind: string, event: object) => ({
  kind,
  json: JSON.stringify({ ...event, kind }),
});

/** A run whose log has `bytes` bytes: parts, as output leaves them, and text at the end. */
export async function writeLongLog(file: string, bytes: number): Promise<void> {
  const prefix = `[${AT}] [job 6c0867a2-33ca-438e-b92e-771824fb38fc] `;
  const lines = Array.from({ length: EVENT_LINES }, () => 'x'.repeat(100));
  const event = { kind: 'Notification', metadata: {}, spec: { logs: lines } };
  const json = JSON.stringify(event);
  const part = logPartOf({ event, json, prefix, lines });
  if (part === null) throw new Error('These lines are a part of a log.');
  await withStore(file, async (store) => {
    let [seq, left] = [0, bytes];
    while (left > 0) {
      const count = Math.min(EVENTS_OF_COMMIT, Math.floor(left / part.bytes));
      const events = Array.from({ length: Math.max(1, count) }, () => ({ kind: event.kind, json }));
      const logParts = Array.from({ length: count }, (_, index) => ({
        ...part,
        event: index,
        textBefore: 0,
      }));
      const logText = count === 0 ? `${'x'.repeat(left - 1)}\n` : '';
      await store.append(appendOf({ expectedSeq: seq, events, logText, logParts }));
      seq += events.length;
      left -= count * part.bytes + logText.length;
    }
  });
}
