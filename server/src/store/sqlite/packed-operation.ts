/**
 * Packs operations for the other thread. Structured cloning copies the name of each entry of each object. Most appends are some events and
 * a line of a log. As plain lists they take half of the time in both threads.
 */
import type { Append, DocumentWrite, Projection, WorkflowRow } from '../store.ts';
import type { PackedAppend, PackedOperation, WriterOperation } from './writer-protocol.ts';

export function pack(operation: WriterOperation): PackedOperation {
  return operation.kind === 'append'
    ? { kind: 'packed', append: packAppend(operation.append) }
    : operation;
}

export function unpack(operation: PackedOperation): WriterOperation {
  return operation.kind === 'packed'
    ? { kind: 'append', append: unpackAppend(operation.append) }
    : operation;
}

function packAppend(append: Append): PackedAppend {
  const { workflowId, expectedSeq, projection, outbox } = append;
  const events: string[] = [];
  for (const { kind, json } of append.events) events.push(kind, json);
  const documents: (string | null)[] = [];
  for (const { collection, key, json } of append.documents) documents.push(collection, key, json);
  const start = [workflowId, expectedSeq, events, documents] as const;
  return isPlain(append)
    ? [...start, projection.logText, projection.workflow, null]
    : [...start, '', null, { projection, outbox }];
}

function isPlain({ projection, outbox }: Append): boolean {
  const { attachments, testCases, testErrors = [], brokenReports = [], jobs } = projection;
  const lists = [attachments, testCases, testErrors, brokenReports, jobs, outbox];
  return lists.every(({ length }) => length === 0);
}

function unpackAppend(packed: PackedAppend): Append {
  const [workflowId, expectedSeq, events, documents, logText, workflow, more] = packed;
  return {
    workflowId,
    expectedSeq,
    events: eventsOf(events),
    documents: documentsOf(documents),
    projection: more?.projection ?? plainProjection(workflow, logText),
    outbox: more?.outbox ?? [],
  };
}

const plainProjection = (workflow: WorkflowRow | null, logText: string): Projection => ({
  workflow,
  logText,
  attachments: [],
  testCases: [],
  jobs: [],
});

function eventsOf(texts: readonly string[]): Append['events'] {
  const events: Append['events'][number][] = [];
  for (let index = 0; index < texts.length; index += 2) {
    const [kind = '', json = ''] = texts.slice(index, index + 2);
    events.push({ kind, json });
  }
  return events;
}

function documentsOf(texts: readonly (string | null)[]): readonly DocumentWrite[] {
  const documents: DocumentWrite[] = [];
  for (let index = 0; index < texts.length; index += 3) {
    const [collection, key, json = null] = texts.slice(index, index + 3);
    documents.push({ collection: collection ?? '', key: key ?? '', json });
  }
  return documents;
}
