/** The events about the outcome of a request (wire facts 2.11 and 9.5; clients facts 3.10). */
import {
  type AttachmentId,
  actorEntry,
  apiVersionOf,
  type InsightKind,
  type NotificationEvent,
  parseAttachmentId,
  type Timestamp,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import { artifactPath, insightWorkerId, type Run } from '@tutti/workflow';
import { metadataEntries } from '@tutti/workflow/facts';
import { derivedId } from '../../runtime/derived-id.ts';
import type { InsightRequest } from './insight-request.ts';

/** The name that tells waiting clients that nothing will be published. */
export const NOTHING_PUBLISHED = 'No insights published';

/** `attachmentId` is null where nothing was generated, for a reason. */
export type InsightOutcome =
  | {
      readonly name: string;
      readonly attachmentId: AttachmentId;
      readonly kind: InsightKind;
      /** A sentence, which stands in the report as well, if it was made too early to have all test cases. */
      readonly incomplete: string | null;
    }
  | { readonly name: string; readonly attachmentId: null; readonly skipped: string };

/** Clients that fetch reports go by the end of the name. */
const FILES = {
  ExecutionLog: { ending: 'txt', type: 'text/plain' },
  SummaryReport: { ending: 'html', type: 'text/html' },
  SurefireXmlReport: { ending: 'xml', type: 'application/xml' },
} as const satisfies Record<InsightKind, { readonly ending: string; readonly type: string }>;

export const INSIGHT_KINDS = Object.keys(FILES);

/** The file of an insight, as its attachment is named. */
export const insightFile = (name: string, kind: InsightKind): string =>
  `${name}.${FILES[kind].ending}`;

/** Repetitions of a request have the same id, so that a report generated twice is there once. */
export function insightAttachmentId({ requestId }: InsightRequest, name: string): AttachmentId {
  return parseAttachmentId(derivedId(`insight ${name} of request ${requestId}`));
}

interface RunAt extends Pick<Run, 'namespace' | 'apiGroup'> {
  readonly at: Timestamp;
}

export function insightResult(
  request: InsightRequest,
  outcome: InsightOutcome,
  { namespace, apiGroup, at: creationTimestamp }: RunAt,
): WorkflowResultEvent {
  const { requestId, workflowId, isAutomatic = false, actor } = request;
  const { name } = outcome;
  const metadata = {
    name,
    workflow_id: workflowId,
    namespace,
    creationTimestamp,
    // An automatic report answers no request.
    ...(isAutomatic ? {} : { request_id: requestId }),
    ...(actor === undefined ? {} : actorEntry(actor)),
  };
  const shape = {
    apiVersion: apiVersionOf(apiGroup, 'WorkflowResult'),
    kind: 'WorkflowResult',
  } as const;
  if (outcome.attachmentId === null) {
    const why = metadataEntries({ type: 'FilesPublished', skipped: outcome.skipped });
    return { ...shape, metadata: { ...metadata, attachments: {}, ...why }, attachments: [] };
  }
  const { attachmentId: uuid, kind, incomplete } = outcome;
  const { type } = FILES[kind];
  const path = artifactPath({ workflowId, uuid, name: insightFile(name, kind) });
  return {
    ...shape,
    metadata: {
      ...metadata,
      attachments: { [path]: { uuid, type } },
      ...metadataEntries({ type: 'FilesPublished', incomplete }),
    },
    attachments: [path],
  };
}

/** Published before and after the reports of a request are made. Clients that wait for a whole run wait for them, too. */
export function workerNotification(
  request: InsightRequest,
  status: 'setup' | 'teardown',
  { namespace, apiGroup, at: creationTimestamp }: RunAt,
): NotificationEvent {
  const { requestId, workflowId } = request;
  return {
    apiVersion: apiVersionOf(apiGroup, 'Notification'),
    kind: 'Notification',
    metadata: { name: 'insights', workflow_id: workflowId, namespace, creationTimestamp },
    spec: { worker: { worker_id: insightWorkerId(requestId), status } },
  };
}
