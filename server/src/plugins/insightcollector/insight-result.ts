/** The events that tell what became of a request (wire facts 2.11 and 9.5; clients facts 3.10). */
import {
  type AttachmentId,
  apiVersionOf,
  parseAttachmentId,
  type Timestamp,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import { artifactPath, type Run } from '@tutti/workflow';
import { derivedId } from '../../runtime/derived-id.ts';
import type { InsightRequest } from './insight-request.ts';

/** The name by which those who wait know that there will be nothing at all. */
export const NOTHING_PUBLISHED = 'No insights published';

/** `attachmentId` is null where nothing was generated, for a reason. */
export type InsightOutcome =
  | { readonly name: string; readonly attachmentId: AttachmentId }
  | { readonly name: string; readonly attachmentId: null; readonly skipped: string };

/** The same for each repetition of a request, so that what was generated twice is there once. */
export function insightAttachmentId({ requestId }: InsightRequest, name: string): AttachmentId {
  return parseAttachmentId(derivedId(`insight ${name} of request ${requestId}`));
}

export function insightResult(
  request: InsightRequest,
  outcome: InsightOutcome,
  { namespace, apiGroup }: Pick<Run, 'namespace' | 'apiGroup'>,
  creationTimestamp: Timestamp,
): WorkflowResultEvent {
  const { requestId, workflowId } = request;
  const { name, attachmentId } = outcome;
  const metadata = {
    name,
    workflow_id: workflowId,
    namespace,
    creationTimestamp,
    request_id: requestId,
  };
  const shape = {
    apiVersion: apiVersionOf(apiGroup, 'WorkflowResult'),
    kind: 'WorkflowResult',
  } as const;
  if (attachmentId === null) {
    const why = { 'tutti.skipped': outcome.skipped };
    return { ...shape, metadata: { ...metadata, attachments: {}, ...why }, attachments: [] };
  }
  // Clients that fetch reports go by the end of the name.
  const path = artifactPath({ workflowId, uuid: attachmentId, name: `${name}.txt` });
  const attachments = { [path]: { uuid: attachmentId, type: 'text/plain' } };
  return { ...shape, metadata: { ...metadata, attachments }, attachments: [path] };
}
