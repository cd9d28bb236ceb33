/** Events that several services publish about a run. */
import {
  apiVersionOf,
  type EventMetadata,
  type ExecutionErrorEvent,
  type WorkflowCancellationEvent,
} from './events.ts';
import type { WorkflowId } from './ids.ts';
import type { Timestamp } from './timestamps.ts';

interface Sender {
  readonly apiGroup: string;
  readonly clock: { timestamp(): Timestamp };
}

/** An error that ends a command or a run. `about` is the metadata of either. */
export const executionError = (
  { apiGroup, clock }: Sender,
  about: Pick<EventMetadata, 'name' | 'workflow_id' | 'namespace'>,
  error: string,
): ExecutionErrorEvent => ({
  apiVersion: apiVersionOf(apiGroup, 'ExecutionError'),
  kind: 'ExecutionError',
  metadata: { ...about, creationTimestamp: clock.timestamp() },
  details: { error },
});

export const workflowCancellation = (
  { apiGroup, clock }: Sender,
  run: { readonly name: string; readonly workflowId: WorkflowId; readonly namespace: string },
  details: { readonly reason?: string; readonly source?: string },
): WorkflowCancellationEvent => ({
  apiVersion: apiVersionOf(apiGroup, 'WorkflowCancellation'),
  kind: 'WorkflowCancellation',
  metadata: {
    name: run.name,
    workflow_id: run.workflowId,
    namespace: run.namespace,
    creationTimestamp: clock.timestamp(),
  },
  details,
});
