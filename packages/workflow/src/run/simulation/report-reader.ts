/** Who reads the test reports that steps attach: one worker per report, which sets itself up, reads, and tears itself down. */
import type { AttachmentId, EventMetadata, NotificationEvent, RunEvent } from '@tutti/manifests';
import { testResultsWorkerId } from '../../projection/test-cases.ts';

type Status = 'setup' | 'teardown';

/** What the readers say when they hear of an event; its metadata tell who they are. */
export function readerSays(event: RunEvent): readonly NotificationEvent[] {
  if (event.kind === 'ExecutionResult') {
    return reportsOf(event).map((uuid) =>
      about(event.metadata, testResultsWorkerId(uuid), 'setup'),
    );
  }
  if (event.kind !== 'Notification' || event.spec.worker?.status !== 'setup') return [];
  return [about(event.metadata, event.spec.worker.worker_id, 'teardown')];
}

/** Keeps `busy`, the ids of the readers that are not done with their report, as events tell. */
export function trackReaders(busy: Set<string>, event: RunEvent): void {
  if (event.kind === 'ExecutionResult') {
    for (const uuid of reportsOf(event)) busy.add(testResultsWorkerId(uuid));
  } else if (event.kind === 'Notification' && event.spec.worker?.status === 'teardown') {
    busy.delete(event.spec.worker.worker_id);
  }
}

/** After a crash each report that was not read to its end is read again. */
export function readersNotDone(log: readonly RunEvent[]): readonly NotificationEvent[] {
  const busy = new Set<string>();
  for (const event of log) trackReaders(busy, event);
  const metadata = log[0]?.metadata;
  if (metadata === undefined) return [];
  return [...busy].map((workerId) => about(metadata, workerId, 'setup'));
}

function reportsOf({ metadata }: Extract<RunEvent, { kind: 'ExecutionResult' }>): AttachmentId[] {
  return Object.values(metadata.attachments ?? {}).map(({ uuid }) => uuid);
}

function about(metadata: EventMetadata, workerId: string, status: Status): NotificationEvent {
  const { workflow_id, namespace, creationTimestamp } = metadata;
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'Notification',
    metadata: { name: 'test results', workflow_id, namespace, creationTimestamp },
    spec: { worker: { worker_id: workerId, status } },
  };
}
