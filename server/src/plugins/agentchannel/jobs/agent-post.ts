/** Posts of agents, and how a large post passes from the thread that reads it. */
import type { Actor, OutputBatch } from '@tutti/manifests';
import type { OutputLines } from '@tutti/workflow';
import type { JsonRules } from '../../../http/json.ts';

/** Output may have any number of lines. Only texts and whole numbers are kept. */
export const POST_RULES: JsonRules = {
  valuesMax: Number.POSITIVE_INFINITY,
  hasAnyValues: true,
};

export interface PostInput {
  readonly content: Uint8Array;
  readonly isOurs: boolean;
}

/** A batch of output; with neither a result nor variables, these are null. */
export interface ReadBatch extends Required<Omit<OutputBatch, 'output'>> {
  readonly output: readonly OutputLines[];
  /** The sender of the post. */
  readonly actor?: Actor;
}

/** A post of an existing agent (wire facts 4.4). Our own agents post the same form when a file could not move. */
export interface ExistingPost {
  readonly output: readonly OutputLines[];
  readonly exitStatus: number | null;
  /** Undefined: the agent does not send them; null: there are none. */
  readonly variables: readonly string[] | null | undefined;
  readonly error: string | null;
  /** The file that the error is about; only our agents name it. */
  readonly failedFileId: string | null;
  /** The sender of the post. */
  readonly actor?: Actor;
}

/** A post that was read. */
export type ReadPost =
  | (ReadBatch & { readonly kind: 'batch' })
  /** The id of a file that the agent has written. */
  | { readonly kind: 'received'; readonly fileId: string }
  | (ExistingPost & { readonly kind: 'existing' });

/** The post without its output, which is in pieces that are read one after the other. */
export interface LargePost {
  readonly post: ReadPost;
  readonly pieces: readonly OutputPiece[];
  /** The pieces as JSON. */
  readonly bytes: Uint8Array;
}

export interface OutputPiece extends Omit<OutputLines, 'lines'> {
  readonly start: number;
  readonly end: number;
}
