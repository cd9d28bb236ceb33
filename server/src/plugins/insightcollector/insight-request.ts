/** Requests for insights that were accepted: each is a document of the store until its last insight is published. */
import type { ExecutionLogSpec, InsightKind, WorkflowId } from '@tutti/manifests';
import { createInsightLogOptions, type LogOptions } from '@tutti/workflow';
import type { DocumentWrite } from '../../store/store.ts';
import type { InsightDefinition } from './insight-document.ts';

export const REQUESTS_COLLECTION = 'insight-requests';

/** The kinds that are generated; others are refused. */
export const GENERATED_KINDS: readonly InsightKind[] = ['ExecutionLog'];

/** What generation needs of a definition; the rest of one may be long. */
export interface WantedInsight {
  readonly name: string;
  readonly condition: string;
  readonly options: LogOptions;
}

export interface InsightRequest {
  readonly requestId: string;
  readonly workflowId: WorkflowId;
  /** When it was accepted, in milliseconds since 1970. */
  readonly acceptedMs: number;
  /** In the order of the definition. */
  readonly insights: readonly WantedInsight[];
  /** How many of the insights, from the first, have their result. */
  readonly published: number;
}

/** Of a definition that was checked, and whose kind is generated. */
export function wantedInsight({ name, if: condition, spec }: InsightDefinition): WantedInsight {
  // Which entries it has was checked with its kind.
  const options = createInsightLogOptions((spec ?? {}) as ExecutionLogSpec);
  return { name, condition: condition ?? 'always()', options };
}

/** Kept while something of the request is to be published, then removed. */
export function requestDocument(request: InsightRequest): DocumentWrite {
  const isOver = request.published >= request.insights.length;
  return {
    collection: REQUESTS_COLLECTION,
    key: request.requestId,
    json: isOver ? null : JSON.stringify(request),
  };
}

/** The request without anything left to publish. */
export const endOfRequest = (request: InsightRequest): InsightRequest => ({
  ...request,
  published: request.insights.length,
});

/** Documents of the collection are written here alone. */
export const parseRequest = (json: string): InsightRequest => JSON.parse(json) as InsightRequest;
