/** Operations for the writer of a store, and its answers. */
import type { SubscriptionId, Timestamp, WorkflowId } from '@tutti/manifests';
import type { Append, AppendResult, OutboxSize, Write } from '../store.ts';

export type WriterOperation =
  | { readonly kind: 'append'; readonly append: Append }
  | { readonly kind: 'write'; readonly write: Write }
  /** Hides runs; their rows go with `purge`. */
  | { readonly kind: 'forget'; readonly workflowIds: readonly WorkflowId[] }
  /** Hides the executions of test cases of hidden runs that were made before that time; their rows go with `purge`. */
  | { readonly kind: 'forget-executions'; readonly before: Timestamp }
  /** Removes a bounded number of rows of hidden runs. Then it moves as many keys of runs that are over (index-merger.ts). */
  | { readonly kind: 'purge' };

export interface OutboxChange {
  /** Position of the first of the entries that an operation added; the others follow it without gaps. Null when there is none. */
  readonly outboxFrom: number | null;
  /** Removed entries, by subscription. */
  readonly outboxRemoved?: readonly (readonly [SubscriptionId, OutboxSize])[];
}

export type AppendAnswer =
  | (Extract<AppendResult, { readonly outcome: 'appended' }> &
      OutboxChange & {
        /** Length of the execution log after it. */
        readonly logBytes: number;
      })
  | Extract<AppendResult, { readonly outcome: 'conflict' }>;

export type WriterAnswer =
  | AppendAnswer
  | ({ readonly outcome: 'done' } & Partial<OutboxChange>)
  /** Answer to `purge`: there is more to do. */
  | { readonly outcome: 'more' }
  /** The operation changed nothing; the others of its batch are not affected. */
  | {
      readonly outcome: 'failed';
      readonly why: string;
      readonly isDiskFull: boolean;
      readonly isDamaged: boolean;
      /** The caller gets it in place of the words. */
      readonly refusal?: Error;
    };
