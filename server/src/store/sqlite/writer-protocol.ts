/** Messages between the store and its writer thread. Plain data: it is copied from one thread to the other. */
import type { Append, NewEvent, PlacedLogPart, SummaryRow, WorkflowRow } from '../store.ts';
import type { WriterAnswer, WriterOperation } from '../writes/operations.ts';
import type { SqliteLimits } from './limits.ts';

export interface WriterData {
  readonly file: string;
  readonly limits: SqliteLimits;
}

/** As the writer thread gets it: a large text is bytes. */
export interface WrittenEvent extends Omit<NewEvent, 'json'> {
  readonly json: string | Uint8Array;
}

export interface WrittenAppend extends Omit<Append, 'events'> {
  readonly events: readonly WrittenEvent[];
}

export type WrittenOperation =
  | Exclude<WriterOperation, { kind: 'append' }>
  | { readonly kind: 'append'; readonly append: WrittenAppend };

/** An operation on its way (packed-operation.ts). */
export type PackedOperation =
  | Exclude<WriterOperation, { kind: 'append' }>
  | { readonly kind: 'packed'; readonly append: PackedAppend };

export type PackedAppend = readonly [
  workflowId: Append['workflowId'],
  expectedSeq: number,
  /** Kind and JSON of each event, and whether it folds. */
  events: readonly (string | Uint8Array<ArrayBuffer> | boolean)[],
  /** Collection, key and JSON of each document. */
  documents: readonly (string | null)[],
  logText: string,
  logParts: readonly PlacedLogPart[] | null,
  workflow: WorkflowRow | null,
  summary: SummaryRow | null,
  /** The whole records of an append that has more than the entries before. */
  more: More | null,
];

type More = Pick<Append, 'projection' | 'outbox'>;

/** A batch is one transaction; its answers come as one message, in order, after the commit. */
export type WriterRequest =
  | { readonly kind: 'batch'; readonly operations: readonly PackedOperation[] }
  | { readonly kind: 'close' };

export type WriterMessage =
  /** The thread has begun. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'answers'; readonly answers: readonly WriterAnswer[] };
