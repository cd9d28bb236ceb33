/** The request of a run or of one of its jobs for a concurrency group. */
import type { WorkflowId } from '@tutti/manifests';

/** `job` is null for the group of the workflow itself. */
export interface Claim {
  readonly workflowId: WorkflowId;
  readonly job: string | null;
  /** Groups of different namespaces never meet. */
  readonly namespace: string;
  readonly group: string;
}
