/** Subscribes to ends of runs, also of runs that ended right before the server was killed. */
import type { WorkflowId } from '@tutti/manifests';
import type { EventBus } from '../../bus/bus.ts';
import type { ConfiguredInsights } from './configured-insights.ts';

export type AcceptEnd = (workflowId: WorkflowId, signal: AbortSignal) => Promise<void>;

/** Calls a function at the end of each run. Call it before the bus starts. Without configured insights, no end is kept for later. */
export function whenRunsEnd(
  bus: Pick<EventBus, 'subscribeDurably'>,
  { isConfigured }: Pick<ConfiguredInsights, 'isConfigured'>,
  accept: AcceptEnd,
): void {
  for (const kind of ['WorkflowCompleted', 'WorkflowCanceled'] as const) {
    bus.subscribeDurably(`insightcollector-${kind}`, kind, {
      takes: () => isConfigured,
      handle: ({ metadata }, signal) => accept(metadata.workflow_id, signal),
    });
  }
}
