/** Reads test reports that steps attach: one worker per report, which sets itself up, reads, and tears itself down. */
import {
  type AttachmentId,
  type EventMetadata,
  type NotificationEvent,
  type RunEvent,
  reportTypeOf,
  type TestResult,
} from '@tutti/manifests';
import { specEntries } from '../../facts/encode.ts';
import { testResultsWorkerId } from '../report-readers.ts';

type Spec = NotificationEvent['spec'];

/** In the id of a reader, behind the name of a format: the id of its report. */
const REPORT = /report-.*$/;

const working = (worker_id: string, status: 'setup' | 'teardown'): Spec => ({
  worker: { worker_id, status },
});

/** Events of the readers after an event; its metadata names the readers. */
export function readerSays(event: RunEvent): readonly NotificationEvent[] {
  if (event.kind === 'ExecutionResult') {
    return readersFor(event).map((id) => about(event.metadata, working(id, 'setup')));
  }
  if (event.kind !== 'Notification' || event.spec.worker?.status !== 'setup') return [];
  const { worker_id } = event.spec.worker;
  const actual = [
    ...foundIn((REPORT.exec(worker_id)?.[0] ?? '') as AttachmentId),
    working(worker_id, 'teardown'),
  ];
  return actual.map((spec) => about(event.metadata, spec));
}

/** Test results that a reader finds in a report, in pieces that may come in any order. */
function foundIn(attachment_origin: AttachmentId): readonly Spec[] {
  const result = (id: string, status: TestResult['status']): TestResult => ({
    id,
    name: id,
    status,
    duration: 1,
    attachment_origin,
  });
  return [
    specEntries({
      type: 'ReportRead',
      generalErrors: [{ message: 'of none', attachment_origin }],
    }),
    { testResults: [result('left out', 'SKIPPED')] },
    { testResults: [{ ...result('first', 'SUCCESS'), errorsList: [{ message: 'of one' }] }] },
    { testResults: [result('second', 'FAILURE')] },
  ];
}

/** Keeps `busy`, the ids of the readers that are not done with their report, as events tell. */
export function trackReaders(busy: Set<string>, event: RunEvent): void {
  if (event.kind === 'ExecutionResult') {
    for (const id of readersFor(event)) busy.add(id);
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
  return [...busy].map((workerId) => about(metadata, working(workerId, 'setup')));
}

function readersFor({ metadata }: Extract<RunEvent, { kind: 'ExecutionResult' }>): string[] {
  return Object.values(metadata.attachments ?? {}).flatMap(({ uuid, type }) => {
    const report = type === undefined ? null : reportTypeOf(type);
    return report === null ? [] : [testResultsWorkerId(uuid, report.format)];
  });
}

function about(metadata: EventMetadata, spec: Spec): NotificationEvent {
  const { workflow_id, namespace, creationTimestamp } = metadata;
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'Notification',
    metadata: { name: 'test results', workflow_id, namespace, creationTimestamp },
    spec,
  };
}
