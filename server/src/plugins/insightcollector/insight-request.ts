/** Requests for insights that were accepted: each is a document of the store until its last insight is published. */
import type {
  Actor,
  ExecutionLogSpec,
  SectionDefinition,
  SummarySpec,
  WorkflowId,
} from '@tutti/manifests';
import { createInsightLogOptions, type LogOptions, type WrittenScope } from '@tutti/workflow';
import { derivedId } from '../../runtime/derived-id.ts';
import type { DocumentWrite } from '../../store/store.ts';
import type { InsightDefinition } from './insight-document.ts';
import type { SummaryOptions } from './summary/collect-report.ts';

export const REQUESTS_COLLECTION = 'insight-requests';

/** Kind of a report, with the entries of a definition that generation needs. */
export type Report =
  | { readonly kind: 'ExecutionLog'; readonly options: LogOptions }
  | { readonly kind: 'SummaryReport'; readonly options: SummaryOptions }
  | { readonly kind: 'SurefireXmlReport'; readonly options: { readonly scope: WrittenScope } };

export type WantedInsight = Report & { readonly name: string; readonly condition: string };

export interface InsightRequest {
  readonly requestId: string;
  readonly workflowId: WorkflowId;
  /** When it was accepted, in milliseconds since 1970. */
  readonly acceptedMs: number;
  /** Insights in the order of the definition. */
  readonly insights: readonly WantedInsight[];
  /** Number of insights, from the first, that have their result. */
  readonly published: number;
  /** True for a request that the end of the run made. Absent is false. */
  readonly isAutomatic?: boolean;
  /** Actor of the request; absent where nobody asked. */
  readonly actor?: Actor;
  /** Subject of the asking token, and the namespaces that the token reaches. Earlier versions did not store it. */
  readonly asker?: { readonly subject: string; readonly namespaces: readonly string[] | '*' };
}

/** Converts a definition that was checked. */
export function wantedInsight(definition: InsightDefinition): WantedInsight {
  const { name, if: condition = 'always()' } = definition;
  return { name, condition, ...reportOf(definition) };
}

/** The entries of a spec were checked with its kind. */
function reportOf({ kind, title, spec = {} }: InsightDefinition): Report {
  if (kind === 'ExecutionLog') {
    return { kind, options: createInsightLogOptions(spec as ExecutionLogSpec) };
  }
  const { scope = null, style = '', scripts = '', template } = spec as SummarySpec;
  if (kind === 'SurefireXmlReport') return { kind, options: { scope } };
  // Each section was checked as one of its kind, too.
  const sections = (template as readonly SectionDefinition[] | undefined) ?? null;
  return { kind, options: { title: title ?? null, scope, style, scripts, template: sections } };
}

/** Id of the request for the reports at the end of a run. A repeated end has the same id. */
export const automaticRequestId = (workflowId: WorkflowId): string =>
  derivedId(`insights at the end of workflow ${workflowId}`);

/** Kept while something of the request is to be published, then removed. */
export function requestDocument(request: InsightRequest): DocumentWrite {
  return {
    collection: REQUESTS_COLLECTION,
    key: request.requestId,
    json: isOver(request) ? null : JSON.stringify(request),
  };
}

export const isOver = ({ published, insights }: InsightRequest): boolean =>
  published >= insights.length;

/** The request without anything left to publish. */
export const endOfRequest = (request: InsightRequest): InsightRequest => ({
  ...request,
  published: request.insights.length,
});

/** Only this file writes documents of the collection; those of earlier versions had logs only, and no kinds. */
export function parseRequest(json: string): InsightRequest {
  const request = JSON.parse(json) as InsightRequest;
  const insights = request.insights.map((insight) => ({ ...{ kind: 'ExecutionLog' }, ...insight }));
  return { ...request, insights: insights as readonly WantedInsight[] };
}
