/** Generates the file of one insight. */
import { setTimeout as pause } from 'node:timers/promises';
import { isOrchestratorError } from '@tutti/manifests';
import type { LogOptions } from '@tutti/workflow';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Store } from '../../store/store.ts';
import { executionLogContent } from './execution-log-content.ts';
import type { InsightRequest } from './insight-request.ts';
import { type InsightOutcome, insightAttachmentId } from './insight-result.ts';
import { COLLECTOR_LIMITS } from './limits.ts';

export interface GenerateLogDeps {
  readonly store: Pick<Store, 'events'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly logger: Logger;
  /** Of one file, as for attachments. */
  readonly fileBytesMax: number;
  /** Between two tries. */
  readonly retryDelayMs: number;
}

/**
 * Tries several times; what cannot be generated even then has an outcome without a file. Throws `NotFound` when the run is
 * forgotten meanwhile, and what the signal aborts with.
 */
export async function generateLog(
  deps: GenerateLogDeps,
  request: InsightRequest,
  plan: { readonly name: string; readonly options: LogOptions },
  signal: AbortSignal,
): Promise<InsightOutcome> {
  const { name } = plan;
  for (let tries = 1; ; tries += 1) {
    try {
      return await putLog(deps, request, plan, signal);
    } catch (error) {
      if (signal.aborted || (isOrchestratorError(error) && error.reason === 'NotFound'))
        throw error;
      const about = { err: error, insight: name, workflowId: request.workflowId, tries };
      deps.logger.warn(about, 'An insight could not be generated.');
      if (tries >= COLLECTOR_LIMITS.tries) {
        return { name, attachmentId: null, skipped: 'The report could not be generated.' };
      }
      await pause(deps.retryDelayMs, undefined, { signal });
    }
  }
}

async function putLog(
  { store, blobs, fileBytesMax }: GenerateLogDeps,
  request: InsightRequest,
  { name, options }: { readonly name: string; readonly options: LogOptions },
  signal: AbortSignal,
): Promise<InsightOutcome> {
  const { workflowId } = request;
  const sizeMax = Math.min(COLLECTOR_LIMITS.logBytes, fileBytesMax);
  const attachmentId = insightAttachmentId(request, name);
  const content = executionLogContent(store, workflowId, options, sizeMax);
  await blobs.put(`${workflowId}/${attachmentId}`, content, { sizeMax, signal });
  return { name, attachmentId };
}
