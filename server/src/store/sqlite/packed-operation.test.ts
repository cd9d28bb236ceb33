import type {
  AttachmentId,
  JobId,
  PublicationId,
  SubscriptionId,
  Timestamp,
  WorkflowId,
} from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { Append, Projection } from '../store.ts';
import type { WriterOperation } from '../writes/operations.ts';
import { handedOver, pack, unpack } from './packed-operation.ts';

const workflowId = 'run' as WorkflowId;

const projection: Projection = {
  workflow: null,
  logText: 'one\ntwo\n',
  attachments: [],
  testCases: [],
  jobs: [],
};
const append: Append = {
  workflowId,
  expectedSeq: 3,
  events: [
    { kind: 'ExecutionResult', json: '{"é":1}', folds: true },
    { kind: 'ExecutionCommand', json: '{}', folds: false },
  ],
  projection,
  documents: [
    { collection: 'agent-commands', key: 'job', json: null },
    { collection: 'agent-contacts', key: 'agent', json: '{}' },
  ],
  outbox: [],
};
const row = {
  workflowId,
  name: 'build',
  namespace: 'default',
  status: 'RUNNING',
  live: true,
  workers: ['w'],
  createdAt: '2026-01-01T12:00:00.000000' as Timestamp,
  completedAt: null,
} as const;
const part = { event: 0, textBefore: 4, from: 2, to: 9, prefix: '> ', bytes: 10, lines: 1 };
const job = { jobId: 'job' as JobId, json: '{}' };
const attachment = { attachmentId: 'file' as AttachmentId, name: 'a.txt', type: null };
const entry = {
  subscriptionIds: ['inbox' as SubscriptionId],
  publicationId: 'one' as PublicationId,
  body: '{}',
};

const withMore = (more: Partial<Projection>): Append => ({
  ...append,
  projection: { ...projection, ...more },
});

test.each<[string, WriterOperation]>([
  ['an append of events, documents and log', { kind: 'append', append }],
  ['an append with a part of the log', { kind: 'append', append: withMore({ logParts: [part] }) }],
  ['an append of nothing', { kind: 'append', append: { ...append, events: [], documents: [] } }],
  ['an append with a row', { kind: 'append', append: withMore({ workflow: row }) }],
  ['an append with a job', { kind: 'append', append: withMore({ workflow: row, jobs: [job] }) }],
  ['an append with a file', { kind: 'append', append: withMore({ attachments: [attachment] }) }],
  ['an append with publications', { kind: 'append', append: { ...append, outbox: [entry] } }],
  ['a write', { kind: 'write', write: { outboxDone: [1] } }],
  ['a purge', { kind: 'purge' }],
])('%s is the same behind the way between threads', (_what, operation) => {
  expect(unpack(structuredClone(pack(operation)))).toEqual(operation);
});

test.each([
  ['x', 16 * 1024],
  ['x', 20_000],
  ['é', 20_000],
  ['x', 40_000],
  ['x', 200_000],
])('a large text of an event is handed over as bytes: %s, %i times', (character, count) => {
  const json = JSON.stringify(character.repeat(count));
  const events = [{ kind: 'Notification', json }, ...append.events];
  const packed = pack({ kind: 'append', append: { ...append, events } });
  const memory = handedOver([packed, pack({ kind: 'purge' })]);
  const operation = unpack(structuredClone(packed, { transfer: [...memory] }));
  expect(memory.map(({ byteLength }) => byteLength)).toEqual([0]);
  const [large, ...others] = operation.kind === 'append' ? operation.append.events : [];
  expect(large?.json).toEqual(new TextEncoder().encode(json));
  expect(others).toEqual(append.events);
});
