/** Posts of agents, and how a large post passes from the thread that reads it. */
import type { OutputLines } from '@tutti/workflow';
import type { JsonRules } from '../../http/json.ts';
import type { ReadBatch } from './batches.ts';
import type { ExistingPost } from './results.ts';

/** Output may have any number of lines; of the values, only texts and whole numbers are looked at. */
export const POST_RULES: JsonRules = {
  valuesMax: Number.POSITIVE_INFINITY,
  hasAnyValues: true,
};

export interface PostInput {
  readonly content: Uint8Array;
  readonly isOurs: boolean;
}

/** A post that was read. */
export type ReadPost =
  | { readonly kind: 'batch'; readonly batch: ReadBatch }
  /** The id of a file that was written. */
  | { readonly kind: 'received'; readonly fileId: string }
  | { readonly kind: 'existing'; readonly post: ExistingPost };

/** The post without its output, which is in pieces that are read one after the other. */
export interface LargePost {
  readonly post: ReadPost;
  readonly pieces: readonly OutputPiece[];
  /** Of the pieces, as JSON. */
  readonly bytes: Uint8Array;
}

export interface OutputPiece extends Omit<OutputLines, 'lines'> {
  readonly start: number;
  readonly end: number;
}
