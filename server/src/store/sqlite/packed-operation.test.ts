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
import { pack, unpack } from './packed-operation.ts';
import type { WriterOperation } from './writer-protocol.ts';

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
    { kind: 'ExecutionResult', json: '{"é":1}' },
    { kind: 'ExecutionCommand', json: '{}' },
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
