/**
 * The insight collector (specification 4.9): takes requests, and publishes a `WorkflowResult` for each of their insights.
 *
 * A request is a document of the store before it is answered. Each result is one commit with the document as it is afterwards,
 * and files have ids that follow from the request, so whatever a crash interrupts is done again, and published once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isOrchestratorError, OrchestratorError, type WorkflowId } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import { createSlots, type Slots } from '../../bus/slots.ts';
import type { Timers } from '../../bus/timers.ts';
import type { Clock, Ids } from '../../runtime/clock.ts';
import type { Service } from '../../runtime/service.ts';
import type { Store } from '../../store/store.ts';
import { type GenerateLogDeps, generateLog } from './generate-log.ts';
import { planInsight } from './insight-plan.ts';
import {
  endOfRequest,
  type InsightRequest,
  parseRequest,
  REQUESTS_COLLECTION,
  requestDocument,
  type WantedInsight,
} from './insight-request.ts';
import { type InsightOutcome, insightResult, NOTHING_PUBLISHED } from './insight-result.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { WorkersWatch } from './workers-watch.ts';

export interface InsightCollectorDeps extends GenerateLogDeps {
  readonly store: Pick<Store, 'events' | 'document' | 'documents' | 'write' | 'workflow'>;
  readonly blobs: Pick<BlobStore, 'put' | 'deleteScope'>;
  readonly bus: Pick<EventBus, 'publish' | 'subscribe'>;
  readonly runs: Pick<RunDirectory, 'current' | 'find'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random'>;
  readonly timers: Timers;
}

export class InsightCollector implements Service {
  readonly name = 'insightcollector';
  readonly #deps: InsightCollectorDeps;
  readonly #workers: WorkersWatch;
  readonly #slots: Slots = createSlots(COLLECTOR_LIMITS.generations);
  readonly #stopping = new AbortController();
  readonly #work = new Set<Promise<void>>();
  #requests = 0;

  constructor(deps: InsightCollectorDeps) {
    this.#deps = deps;
    this.#workers = new WorkersWatch(deps);
  }

  /** Takes up what an earlier process left. */
  async start(): Promise<void> {
    for (const { json } of await this.#deps.store.documents(REQUESTS_COLLECTION)) {
      this.#requests += 1;
      this.#begin(parseRequest(json));
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#work);
  }

  /** Resolves with the id of the request once it is durable; throws `TooManyRequests`. */
  async accept(workflowId: WorkflowId, insights: readonly WantedInsight[]): Promise<string> {
    const requestId: string = this.#deps.ids.random();
    if (insights.length === 0) return requestId;
    if (this.#requests >= COLLECTOR_LIMITS.requests) throw tooManyRequests();
    const acceptedMs = this.#deps.clock.now();
    const request = { requestId, workflowId, acceptedMs, insights, published: 0 };
    this.#requests += 1;
    try {
      await this.#deps.store.write({ documents: [requestDocument(request)] });
    } catch (error) {
      this.#requests -= 1;
      throw error;
    }
    this.#begin(request);
    return requestId;
  }

  #begin(request: InsightRequest): void {
    const work = this.#serveStubbornly(request)
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        const about = { err: error, workflowId: request.workflowId };
        this.#deps.logger.error(about, 'A request for insights waits for the next start.');
      })
      .finally(() => {
        this.#requests -= 1;
        this.#work.delete(work);
      });
    this.#work.add(work);
  }

  /** The store may refuse work for a moment; what was published until then is in the document. */
  async #serveStubbornly(request: InsightRequest): Promise<void> {
    const { logger, retryDelayMs } = this.#deps;
    const { signal } = this.#stopping;
    let left: InsightRequest | null = request;
    for (let tries = 1; left !== null; tries += 1) {
      try {
        return await this.#serve(left);
      } catch (error) {
        if (signal.aborted || tries >= COLLECTOR_LIMITS.tries) throw error;
        const about = { err: error, workflowId: request.workflowId, tries };
        logger.warn(about, 'A request for insights failed; it is tried again.');
        await pause(retryDelayMs, undefined, { signal });
        left = await this.#stored(request.requestId);
      }
    }
  }

  async #stored(requestId: string): Promise<InsightRequest | null> {
    const json = await this.#deps.store.document(REQUESTS_COLLECTION, requestId);
    return json === null ? null : parseRequest(json);
  }

  async #serve(request: InsightRequest): Promise<void> {
    const { signal } = this.#stopping;
    const withinMs = request.acceptedMs + COLLECTOR_LIMITS.workersWaitMs - this.#deps.clock.now();
    await this.#workers.idle(request.workflowId, withinMs, signal);
    const giveBack = await this.#slots.take(signal);
    try {
      await this.#publishAll(request);
    } catch (error) {
      if (!isOrchestratorError(error) || error.reason !== 'NotFound') throw error;
      await this.#forget(request);
    } finally {
      giveBack();
    }
  }

  async #publishAll(request: InsightRequest): Promise<void> {
    const run = await this.#deps.runs.find(request.workflowId);
    if (run === null) return await this.#forget(request);
    const plans = request.insights.map((insight) => planInsight(insight, run));
    if (request.published === 0 && plans.every(({ skipped }) => skipped !== null)) {
      const skipped = plans.map((plan) => `${plan.name}: ${plan.skipped}`).join(' ');
      const nothing = { name: NOTHING_PUBLISHED, attachmentId: null, skipped };
      return await this.#publish(endOfRequest(request), nothing, run);
    }
    for (const [index, plan] of plans.entries()) {
      if (index < request.published) continue;
      const outcome: InsightOutcome =
        plan.skipped === null
          ? await generateLog(this.#deps, request, plan, this.#stopping.signal)
          : { ...plan, attachmentId: null };
      await this.#publish({ ...request, published: index + 1 }, outcome, run);
    }
  }

  /** In one commit with the request as it is then. A run that refuses is gone. */
  async #publish(request: InsightRequest, outcome: InsightOutcome, run: Run): Promise<void> {
    const event = insightResult(request, outcome, run, this.#deps.clock.timestamp());
    const documents = [requestDocument(request)];
    const published = await this.#deps.bus.publish(event, { documents });
    if (published.outcome === 'refused') throw new OrchestratorError('NotFound', published.why);
  }

  /** The run was removed: what was generated since then would never be found again. */
  async #forget(request: InsightRequest): Promise<void> {
    const { store, blobs } = this.#deps;
    const { workflowId } = request;
    if ((await store.workflow(workflowId)) === null) await blobs.deleteScope(workflowId);
    await store.write({ documents: [requestDocument(endOfRequest(request))] });
  }
}

const tooManyRequests = (): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `There are ${COLLECTOR_LIMITS.requests} requests for insights under way already; try again later.`,
  );
