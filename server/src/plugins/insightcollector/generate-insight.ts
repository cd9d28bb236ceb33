/** Generates the file of one insight. */
import { setTimeout as pause } from 'node:timers/promises';
import { isOrchestratorError } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Store } from '../../store/store.ts';
import { incompleteness } from './completeness.ts';
import type { InsightRequest, WantedInsight } from './insight-request.ts';
import { type InsightOutcome, insightAttachmentId } from './insight-result.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { createSpool, type Spool, spoolScope } from './spool.ts';

export interface GenerateInsightDeps {
  readonly store: Pick<Store, 'events' | 'workflow' | 'testCases' | 'jobs' | 'brokenReports'>;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'deleteScope'>;
  readonly clock: Pick<Clock, 'timestamp'>;
  readonly logger: Logger;
  /** Largest file, as for attachments. */
  readonly fileBytesMax: number;
  /** Between two tries. */
  readonly retryDelayMs: number;
}

/** One insight to generate, with its request and its run. */
interface Generation {
  readonly request: InsightRequest;
  readonly insight: WantedInsight;
  readonly run: Run;
}

/**
 * Tries several times. An insight that cannot be generated even then, or never will be, has an outcome without a file. Throws `NotFound`
 * when the run is forgotten meanwhile, and what the signal aborts with.
 */
export async function generateInsight(
  deps: GenerateInsightDeps,
  generation: Generation,
  signal: AbortSignal,
): Promise<InsightOutcome> {
  const { name } = generation.insight;
  for (let tries = 1; ; tries += 1) {
    try {
      return await putReport(deps, generation, signal);
    } catch (error) {
      if (signal.aborted || (isOrchestratorError(error) && error.reason === 'NotFound'))
        throw error;
      const { workflowId } = generation.request;
      deps.logger.warn(
        { err: error, insight: name, workflowId, tries },
        'An insight could not be generated.',
      );
      const skipped = finalProblem(error, sizeMaxOf(deps));
      if (skipped !== null) return { name, attachmentId: null, skipped };
      if (tries >= COLLECTOR_LIMITS.tries) {
        return { name, attachmentId: null, skipped: 'The report could not be generated.' };
      }
      await pause(deps.retryDelayMs, undefined, { signal });
    }
  }
}

/** A wrong scope is wrong in each try, and a report that is too large stays so. Null for errors that may not come at the next try. */
function finalProblem(error: unknown, sizeMax: number): string | null {
  if (!isOrchestratorError(error)) return null;
  if (error.reason === 'Invalid') return error.message;
  return error.reason === 'PayloadTooLarge'
    ? `The report is larger than ${sizeMax} bytes. Choose fewer test cases by a scope.`
    : null;
}

const sizeMaxOf = ({ fileBytesMax }: GenerateInsightDeps): number =>
  Math.min(COLLECTOR_LIMITS.reportBytes, fileBytesMax);

async function putReport(
  deps: GenerateInsightDeps,
  { request, insight, run }: Generation,
  signal: AbortSignal,
): Promise<InsightOutcome> {
  const { name, kind } = insight;
  const sizeMax = sizeMaxOf(deps);
  const attachmentId = insightAttachmentId(request, name);
  const options = { sizeMax, signal };
  const spool = createSpool(deps.blobs, attachmentId, options);
  try {
    const content = await contentOf(deps, insight, run, { sizeMax, spool });
    await deps.blobs.put(`${request.workflowId}/${attachmentId}`, content, options);
  } finally {
    await deps.blobs.deleteScope(spoolScope(attachmentId));
  }
  // A log says by itself how far it goes.
  const incomplete = kind === 'ExecutionLog' ? null : incompleteness(run);
  return { name, attachmentId, kind, incomplete };
}

/** Loaded with the first report: a server that makes none does without the renderers. */
async function contentOf(
  { store, clock }: GenerateInsightDeps,
  insight: WantedInsight,
  run: Run,
  { sizeMax, spool }: { readonly sizeMax: number; readonly spool: Spool },
): Promise<AsyncIterable<Uint8Array>> {
  switch (insight.kind) {
    case 'ExecutionLog': {
      const { executionLogContent } = await import('./execution-log-content.ts');
      return executionLogContent(store, run.workflowId, insight.options, sizeMax);
    }
    case 'SummaryReport': {
      const { summaryContent } = await import('./summary-content.ts');
      return summaryContent({ store, run, generatedAt: clock.timestamp() }, insight.options);
    }
    case 'SurefireXmlReport': {
      const { surefireContent } = await import('./surefire-content.ts');
      return surefireContent(store, run, insight.options.scope, spool);
    }
  }
}
