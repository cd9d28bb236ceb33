/** A workflow as received, and the settings for reading it. */
import type { WorkflowManifest } from '@tutti/manifests';
import type { WorkflowUse } from '@tutti/workflow/validation';

/** A workflow as written. */
export interface WorkflowSource {
  readonly content: Uint8Array | string;
  /** Null for the content of a part or a file, which says nothing of itself. */
  readonly contentType: string | null;
}

export interface WorkflowInput {
  readonly source: WorkflowSource;
  readonly use: WorkflowUse;
  readonly apiGroup: string;
}

/** A workflow that can be run. */
export interface ReadWorkflow {
  readonly manifest: WorkflowManifest;
  /** Sentences with their places, as many as for one document. */
  readonly warnings: readonly string[];
}

export const bytesOf = ({ content }: WorkflowSource): number => content.length;
