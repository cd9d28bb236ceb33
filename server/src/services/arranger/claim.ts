/** What a run says of a concurrency group: that it wants it, for itself or for one of its jobs. */
import type { WorkflowId } from '@tutti/manifests';

/** `job` is null for the group of the workflow itself. */
export interface Claim {
  readonly workflowId: WorkflowId;
  readonly job: string | null;
  /** Groups of different namespaces never meet. */
  readonly namespace: string;
  readonly group: string;
}
