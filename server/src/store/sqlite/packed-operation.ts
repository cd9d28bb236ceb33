/**
 * Packs operations for the other thread. Structured cloning copies the name of each entry of each object. Most appends are some events and
 * a line of a log. As plain lists they take half of the time in both threads. A large text goes as bytes, which are handed over and not
 * copied.
 */
import type {
  Append,
  DocumentWrite,
  PlacedLogPart,
  Projection,
  SummaryRow,
  WorkflowRow,
} from '../store.ts';
import type { WriterOperation } from '../writes/operations.ts';
import type {
  PackedAppend,
  PackedOperation,
  WrittenAppend,
  WrittenEvent,
  WrittenOperation,
} from './writer-protocol.ts';

/** Handing memory over costs more than copying a shorter text. */
const BYTES_LENGTH_MIN = 16 * 1024;
/** Each text gets memory of its own. Buffers may share theirs, which cannot be handed over. */
const encoder = new TextEncoder();

type Text = string | Uint8Array<ArrayBuffer>;

export function pack(operation: WriterOperation): PackedOperation {
  return operation.kind === 'append'
    ? { kind: 'packed', append: packAppend(operation.append) }
    : operation;
}

/** Memory that goes to the other thread with these operations. */
export function handedOver(operations: readonly PackedOperation[]): readonly ArrayBuffer[] {
  return operations.flatMap((operation) => {
    const [, , events] = operation.kind === 'packed' ? operation.append : [null, null, []];
    return events.flatMap((text) => (text instanceof Uint8Array ? [text.buffer] : []));
  });
}

export function unpack(operation: PackedOperation): WrittenOperation {
  return operation.kind === 'packed'
    ? { kind: 'append', append: unpackAppend(operation.append) }
    : operation;
}

function packAppend(append: Append): PackedAppend {
  const { workflowId, expectedSeq, projection, outbox } = append;
  const events: (Text | boolean)[] = [];
  for (const { kind, json, folds = true } of append.events) {
    events.push(kind, json.length < BYTES_LENGTH_MIN ? json : encoder.encode(json), folds);
  }
  const documents: (string | null)[] = [];
  for (const { collection, key, json } of append.documents) documents.push(collection, key, json);
  const start = [workflowId, expectedSeq, events, documents] as const;
  return isPlain(append)
    ? [...start, ...plainParts(projection), null]
    : [...start, '', null, null, null, { projection, outbox }];
}

const plainParts = ({ logText, logParts, workflow, summary }: Projection) =>
  [logText, logParts ?? null, workflow, summary ?? null] as const;

function isPlain({ projection, outbox }: Append): boolean {
  const { attachments, testCases, testErrors = [], brokenReports = [], jobs } = projection;
  const lists = [attachments, testCases, testErrors, brokenReports, jobs, outbox];
  return lists.every(({ length }) => length === 0);
}

function unpackAppend(packed: PackedAppend): WrittenAppend {
  const [workflowId, expectedSeq, events, documents, ...parts] = packed;
  const [logText, logParts, workflow, summary, more] = parts;
  return {
    workflowId,
    expectedSeq,
    events: eventsOf(events),
    documents: documentsOf(documents),
    projection: more?.projection ?? plainProjection({ logText, logParts, workflow, summary }),
    outbox: more?.outbox ?? [],
  };
}

function plainProjection({
  logParts,
  summary,
  ...shown
}: {
  readonly logText: string;
  readonly logParts: readonly PlacedLogPart[] | null;
  readonly workflow: WorkflowRow | null;
  readonly summary: SummaryRow | null;
}): Projection {
  return {
    ...shown,
    ...(logParts === null ? {} : { logParts }),
    ...(summary === null ? {} : { summary }),
    attachments: [],
    testCases: [],
    jobs: [],
  };
}

function eventsOf(packed: PackedAppend[2]): WrittenAppend['events'] {
  const events: WrittenEvent[] = [];
  for (let index = 0; index < packed.length; index += 3) {
    const [kind, json = '', folds] = packed.slice(index, index + 3);
    if (typeof json !== 'boolean') events.push({ kind: String(kind), json, folds: folds === true });
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
