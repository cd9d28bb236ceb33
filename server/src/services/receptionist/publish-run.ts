/** A run begins with its `Workflow` event. */
import { OrchestratorError, type RunEvent, type WorkflowEvent } from '@tutti/manifests';
import type { EventBus } from '../../bus/bus.ts';

/** Resolves when the run is durable, with the events that come right after its first one. */
export async function publishRun(
  bus: Pick<EventBus, 'publish'>,
  event: WorkflowEvent,
  following: readonly RunEvent[] = [],
): Promise<void> {
  const events = [event, ...following];
  const published = await bus.publish(events.at(-1) ?? event, { preceding: events.slice(0, -1) });
  if (published.outcome === 'refused') {
    throw new OrchestratorError(
      'Conflict',
      `Workflow ${event.metadata.name} could not be published: ${published.why}`,
    );
  }
}
