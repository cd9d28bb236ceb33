/** Messages between the store and its writer thread. Plain data: it is copied from one thread to the other. */
import type { SubscriptionId, Timestamp, WorkflowId } from '@tutti/manifests';
import type { Append, AppendResult, OutboxSize, WorkflowRow, Write } from '../store.ts';
import type { SqliteLimits } from './limits.ts';

export interface WriterData {
  readonly file: string;
  readonly limits: SqliteLimits;
}

export type WriterOperation =
  | { readonly kind: 'append'; readonly append: Append }
  | { readonly kind: 'write'; readonly write: Write }
  /** Hides runs; their rows go with `purge`. */
  | { readonly kind: 'forget'; readonly workflowIds: readonly WorkflowId[] }
  /** Hides the executions of test cases of hidden runs that were made before that time; their rows go with `purge`. */
  | { readonly kind: 'forget-executions'; readonly before: Timestamp }
  /** Removes a bounded number of rows of hidden runs. */
  | { readonly kind: 'purge' };

/** An operation on its way (packed-operation.ts). */
export type PackedOperation =
  | Exclude<WriterOperation, { kind: 'append' }>
  | { readonly kind: 'packed'; readonly append: PackedAppend };

export type PackedAppend = readonly [
  workflowId: Append['workflowId'],
  expectedSeq: number,
  /** Kind and JSON of each event. */
  events: readonly string[],
  /** Collection, key and JSON of each document. */
  documents: readonly (string | null)[],
  logText: string,
  workflow: WorkflowRow | null,
  /** The whole records of an append that has more than the entries before. */
  more: More | null,
];

type More = Pick<Append, 'projection' | 'outbox'>;

export interface OutboxChange {
  /** Position of the first of the entries that an operation added; the others follow it without gaps. Null when there is none. */
  readonly outboxFrom: number | null;
  /** Removed entries, by subscription. */
  readonly outboxRemoved?: readonly (readonly [SubscriptionId, OutboxSize])[];
}

export type AppendAnswer =
  | (Extract<AppendResult, { readonly outcome: 'appended' }> & OutboxChange)
  | Extract<AppendResult, { readonly outcome: 'conflict' }>;

export type WriterAnswer =
  | AppendAnswer
  | ({ readonly outcome: 'done' } & Partial<OutboxChange>)
  /** Answer to `purge`: there are more rows to remove. */
  | { readonly outcome: 'more' }
  /** The operation changed nothing; the others of its batch are not affected. */
  | {
      readonly outcome: 'failed';
      readonly why: string;
      readonly isDiskFull: boolean;
      readonly isDamaged: boolean;
    };

/** A batch is one transaction; its answers come as one message, in order, after the commit. */
export type WriterRequest =
  | { readonly kind: 'batch'; readonly operations: readonly PackedOperation[] }
  | { readonly kind: 'close' };

export type WriterMessage =
  /** The thread has begun. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'answers'; readonly answers: readonly WriterAnswer[] };
