/** A run whose events are more than may be stored of one, or that takes too much memory: it is canceled. */
import { apiVersionOf, type Timestamp, type WorkflowCancellationEvent } from '@tutti/manifests';
import { isEnded, type Run, type RunInput } from '@tutti/workflow';

/** Told by the log of the run, and by the event. */
export const overfullReason = (bytesMax: number): string =>
  `The workflow has ${bytesMax} bytes of events, which is the limit (limits.runBytes). What it says from here on is left out.`;

/** True for a run that has not been told to end yet. */
export const isToBeEnded = (run: Run): boolean => !isEnded(run) && run.cancellation === null;

export function endOfOverfull(run: Run, at: Timestamp, reason: string): RunInput {
  const event: WorkflowCancellationEvent = {
    apiVersion: apiVersionOf(run.apiGroup, 'WorkflowCancellation'),
    kind: 'WorkflowCancellation',
    metadata: {
      name: run.name,
      workflow_id: run.workflowId,
      namespace: run.namespace,
      creationTimestamp: at,
    },
    details: { reason },
  };
  return { type: 'event', event };
}

/** What only tells something. The results and commands that a run needs for its end have bounds of their own. */
export const isOnlyTold = (inputs: readonly RunInput[]): boolean =>
  inputs.every((input) => input.type === 'event' && input.event.kind === 'Notification');
