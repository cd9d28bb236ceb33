/**
 * The insight collector (specification 4.9): takes requests, and publishes a `WorkflowResult` for each of their insights. The end of a run
 * also is a request, for the configured insights.
 *
 * A request is a document of the store before it is answered. Each result is one commit with the document after it. Ids of files follow
 * from the request, so interrupted work is done again, and published once. The end of a run may be published again after a crash. A report
 * that is an attachment of the run by then is not made again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Actor,
  isOrchestratorError,
  OrchestratorError,
  type RunEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { isInsightWorker, isReportReader, type Run } from '@tutti/workflow';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import { createSlots, type Slots } from '../../bus/slots.ts';
import type { Timers } from '../../bus/timers.ts';
import { ByteShares } from '../../runtime/byte-shares.ts';
import type { Clock, Ids } from '../../runtime/clock.ts';
import { heapBytes } from '../../runtime/heap-bytes.ts';
import type { Service } from '../../runtime/service.ts';
import { type Holder, type ShareFractions, Shares } from '../../runtime/shares.ts';
import type { Store } from '../../store/store.ts';
import type { ConfiguredInsights } from './configured-insights.ts';
import { type GenerateInsightDeps, generateInsight } from './generate-insight.ts';
import type { InsightDefinition } from './insight-document.ts';
import { type InsightPlan, planInsight } from './insight-plan.ts';
import {
  automaticRequestId,
  endOfRequest,
  type InsightRequest,
  isOver,
  parseRequest,
  REQUESTS_COLLECTION,
  requestDocument,
  type WantedInsight,
  wantedInsight,
} from './insight-request.ts';
import {
  type InsightOutcome,
  insightAttachmentId,
  insightResult,
  NOTHING_PUBLISHED,
  workerNotification,
} from './insight-result.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { spoolScope } from './spool.ts';
import { WorkersWatch } from './workers-watch.ts';

export interface InsightCollectorDeps extends GenerateInsightDeps {
  readonly store: GenerateInsightDeps['store'] &
    Pick<Store, 'attachment' | 'document' | 'documents' | 'write'>;
  readonly bus: Pick<EventBus, 'publish' | 'subscribe'>;
  /** Insights that are made at the end of each run. */
  readonly configured: Pick<ConfiguredInsights, 'all'>;
  readonly runs: Pick<RunDirectory, 'current' | 'find'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random'>;
  readonly timers: Timers;
  /** Shares of the requests under way. */
  readonly limits: ShareFractions;
  /** Bytes of memory for all requests under way. */
  readonly bytesMax: number;
}

/** Holder of requests of the server itself. */
const SERVER: Holder = { subject: '', namespaces: '*' };

const askerOf = ({ subject, namespaces }: Holder) => ({
  subject,
  namespaces: namespaces === '*' ? namespaces : [...namespaces],
});

const holderOf = ({ subject, namespaces }: NonNullable<InsightRequest['asker']>): Holder => ({
  subject,
  namespaces: namespaces === '*' ? namespaces : new Set(namespaces),
});

/** A request without an asker comes from the configuration; it belongs to no namespace. */
const namespacesOf = ({ asker }: Pick<InsightRequest, 'asker'>) => asker?.namespaces ?? '*';

/** The sender of a request for insights. */
export interface InsightAsker {
  readonly actor?: Actor;
  /** The holder whose share of the requests under way it uses. */
  readonly holder?: Holder;
}

export class InsightCollector implements Service {
  readonly name = 'insightcollector';
  readonly #deps: InsightCollectorDeps;
  readonly #workers: WorkersWatch;
  readonly #slots: Slots = createSlots(COLLECTOR_LIMITS.generations);
  readonly #stopping = new AbortController();
  readonly #work = new Set<Promise<void>>();
  /** For requests of ended runs; others are refused where there are too many. */
  readonly #places: Slots = createSlots(COLLECTOR_LIMITS.requests);
  /** Requests under way, by their ids. */
  readonly #requests = new Map<string, Pick<InsightRequest, 'isAutomatic' | 'asker'>>();
  readonly #memory: ByteShares;

  constructor(deps: InsightCollectorDeps) {
    this.#deps = deps;
    this.#workers = new WorkersWatch(deps);
    this.#memory = new ByteShares({
      bytesMax: deps.bytesMax,
      what: 'requests for insights under way',
      remedy: 'Try again later, or ask for less at a time.',
    });
  }

  /** Takes up what an earlier process left. */
  async start(): Promise<void> {
    for (const { json } of await this.#deps.store.documents(REQUESTS_COLLECTION)) {
      const request = parseRequest(json);
      if (this.#requests.has(request.requestId)) continue;
      this.#count(request);
      this.#begin(request);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#work);
  }

  /** The insights that are made at the end of each run. */
  configured(): Promise<readonly InsightDefinition[]> {
    return this.#deps.configured.all();
  }

  /** Resolves with the id of the request once it is durable; throws `TooManyRequests`. */
  async accept(
    workflowId: WorkflowId,
    insights: readonly WantedInsight[],
    { actor, holder = SERVER }: InsightAsker = {},
  ): Promise<string> {
    const requestId: string = this.#deps.ids.random();
    if (insights.length === 0) return requestId;
    // Requests of ended runs may wait for long; they count for nobody's limit.
    const asked = [...this.#requests.values()].filter(({ isAutomatic }) => isAutomatic !== true);
    if (asked.length >= COLLECTOR_LIMITS.requests) throw tooManyRequests();
    this.#checkShare(holder, asked);
    this.#memory.requireRoom(holder.namespaces, heapBytes(insights));
    const acceptedMs = this.#deps.clock.now();
    const by = { asker: askerOf(holder), ...(actor === undefined ? {} : { actor }) };
    await this.#keep({ requestId, workflowId, acceptedMs, insights, published: 0, ...by });
    return requestId;
  }

  #checkShare(holder: Holder, asked: readonly Pick<InsightRequest, 'asker'>[]): void {
    const { limits } = this.#deps;
    const total = COLLECTOR_LIMITS.requests;
    const shares = new Shares({ ...limits, total, things: 'requests for insights under way' });
    for (const { asker } of asked) if (asker !== undefined) shares.add(holderOf(asker));
    const refusal = holder === SERVER ? null : shares.refusal(holder);
    if (refusal !== null) throw refusal;
  }

  /** The run ended. Resolves once the request is durable, for which there must be room; may be called again for the same run. */
  async acceptEnd(workflowId: WorkflowId, signal: AbortSignal): Promise<void> {
    const requestId = automaticRequestId(workflowId);
    if (this.#requests.has(requestId)) return;
    const insights = (await this.#deps.configured.all()).map(wantedInsight);
    if (insights.length === 0) return;
    const giveBack = await this.#places.take(signal);
    try {
      const acceptedMs = this.#deps.clock.now();
      const fresh = { requestId, workflowId, acceptedMs, insights, published: 0 };
      const left = await this.#stored(requestId);
      // Another call may have been here while this one waited.
      if (this.#requests.has(requestId)) return giveBack();
      await this.#keep(left ?? { ...fresh, isAutomatic: true }, giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Begins a request once it is durable. */
  async #keep(request: InsightRequest, whenOver: () => void = () => undefined): Promise<void> {
    this.#count(request);
    try {
      await this.#deps.store.write({ documents: [requestDocument(request)] });
    } catch (error) {
      this.#uncount(request);
      throw error;
    }
    this.#begin(request, whenOver);
  }

  #count(request: InsightRequest): void {
    this.#requests.set(request.requestId, request);
    this.#memory.add(namespacesOf(request), heapBytes(request.insights));
  }

  #uncount(request: InsightRequest): void {
    this.#requests.delete(request.requestId);
    this.#memory.add(namespacesOf(request), -heapBytes(request.insights));
  }

  #begin(request: InsightRequest, whenOver: () => void = () => undefined): void {
    const work = this.#serveStubbornly(request)
      .catch(async (error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        const about = { err: error, workflowId: request.workflowId };
        this.#deps.logger.error(about, 'A request for insights waits for the next start.');
        await this.#withdraw(request);
      })
      .finally(() => {
        this.#uncount(request);
        this.#work.delete(work);
        whenOver();
      });
    this.#work.add(work);
  }

  /** The store may refuse work for a moment; the document has the results published until then. */
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

  /** Ends the worker of a request that waits itself, so that nobody waits for it. */
  async #withdraw(request: InsightRequest): Promise<void> {
    const { runs, bus, logger } = this.#deps;
    try {
      const run = await runs.find(request.workflowId);
      if (run !== null) await bus.publish(this.#worker(request, 'teardown', run));
    } catch (error) {
      logger.warn({ err: error, workflowId: request.workflowId }, 'A worker could not be ended.');
    }
  }

  async #stored(requestId: string): Promise<InsightRequest | null> {
    const json = await this.#deps.store.document(REQUESTS_COLLECTION, requestId);
    return json === null ? null : parseRequest(json);
  }

  async #serve(request: InsightRequest): Promise<void> {
    try {
      const isAnnounced = await this.#announce(request);
      await this.#waitForWorkers(request);
      const giveBack = await this.#slots.take(this.#stopping.signal);
      await this.#publishAll(request, isAnnounced).finally(giveBack);
    } catch (error) {
      if (!isOrchestratorError(error) || error.reason !== 'NotFound') throw error;
      await this.#forget(request);
    }
  }

  /**
   * Announces a worker for the reports of a run that ended. Without a worker, the run would leave memory after the last reader of its
   * reports. It would be folded again from a long log. For a moment nothing more would seem to come.
   */
  async #announce(request: InsightRequest): Promise<boolean> {
    if (request.isAutomatic !== true) return false;
    const run = await this.#deps.runs.find(request.workflowId);
    if (run === null) return false;
    const plans = await this.#plans(request, run);
    if (plans.every(({ skipped }) => skipped !== null)) return false;
    await this.#publish(request, [this.#worker(request, 'setup', run)]);
    return true;
  }

  /**
   * A user's request waits a limited time, then reports what exists; the user may ask again. Nobody asks again for the reports at the end
   * of a run. They wait for all test results: our own readers are certain to end.
   */
  async #waitForWorkers({ workflowId, acceptedMs, isAutomatic }: InsightRequest): Promise<void> {
    const { signal } = this.#stopping;
    const { workersWaitMs, readersWaitMs } = COLLECTOR_LIMITS;
    const { clock } = this.#deps;
    // The time of day tells only the time before this process: it may have been set back since.
    const waitedMs = Math.max(0, clock.now() - acceptedMs);
    const sinceMs = clock.monotonicMs() - waitedMs;
    const left = (waitMs: number) => sinceMs + waitMs - clock.monotonicMs();
    const isOther = (id: string) => !isInsightWorker(id);
    await this.#workers.free(workflowId, isOther, left(workersWaitMs), signal);
    if (isAutomatic !== true) return;
    await this.#workers.free(workflowId, isReportReader, left(readersWaitMs), signal);
  }

  async #publishAll(request: InsightRequest, isAnnounced: boolean): Promise<void> {
    const run = await this.#deps.runs.find(request.workflowId);
    if (run === null) return await this.#forget(request);
    const plans = await this.#plans(request, run);
    if (request.published === 0 && plans.every(({ skipped }) => skipped !== null)) {
      const skipped = plans.map((plan) => `${plan.name}: ${plan.skipped}`).join(' ');
      const nothing = { name: NOTHING_PUBLISHED, attachmentId: null, skipped };
      const end = isAnnounced ? [this.#worker(request, 'teardown', run)] : [];
      const notices = [...this.#notices(request, nothing, run), ...end];
      return await this.#publish(endOfRequest(request), notices);
    }
    if (!isAnnounced) await this.#publish(request, [this.#worker(request, 'setup', run)]);
    for (const [index, plan] of plans.entries()) {
      if (index < request.published) continue;
      const results = await this.#resultsOf(request, plan, run);
      const next = { ...request, published: index + 1 };
      // In one commit with the last result: a worker that is never done would keep the run from being over.
      const end = isOver(next) ? [this.#worker(request, 'teardown', run)] : [];
      await this.#publish(next, [...results, ...end]);
    }
  }

  #plans(request: InsightRequest, run: Run): Promise<readonly InsightPlan[]> {
    return Promise.all(request.insights.map((each) => this.#plan(request, each, run)));
  }

  async #plan(request: InsightRequest, insight: WantedInsight, run: Run): Promise<InsightPlan> {
    const plan = planInsight(insight, run);
    if (plan.skipped !== null || request.isAutomatic !== true) return plan;
    const attachmentId = insightAttachmentId(request, insight.name);
    const known = await this.#deps.store.attachment(request.workflowId, attachmentId);
    return known === null ? plan : { name: insight.name, skipped: 'The report is there already.' };
  }

  async #resultsOf(
    request: InsightRequest,
    plan: InsightPlan,
    run: Run,
  ): Promise<readonly RunEvent[]> {
    if (plan.skipped !== null) {
      return this.#notices(request, { ...plan, attachmentId: null }, run);
    }
    // Others may have ended their work since the insight before this one was begun.
    const current = (await this.#deps.runs.find(request.workflowId)) ?? run;
    const generation = { request, insight: plan.insight, run: current };
    const outcome = await generateInsight(this.#deps, generation, this.#stopping.signal);
    return [insightResult(request, outcome, { ...run, at: this.#deps.clock.timestamp() })];
  }

  /** Only a user who asked for a report learns that there is none. */
  #notices(request: InsightRequest, outcome: InsightOutcome, run: Run): readonly RunEvent[] {
    if (request.isAutomatic === true) return [];
    return [insightResult(request, outcome, { ...run, at: this.#deps.clock.timestamp() })];
  }

  #worker(request: InsightRequest, status: 'setup' | 'teardown', run: Run): RunEvent {
    return workerNotification(request, status, { ...run, at: this.#deps.clock.timestamp() });
  }

  /** In one commit with the request as it is then. A run that refuses is gone. */
  async #publish(request: InsightRequest, events: readonly RunEvent[]): Promise<void> {
    const documents = [requestDocument(request)];
    const last = events.at(-1);
    if (last === undefined) return await this.#deps.store.write({ documents });
    const options = { documents, preceding: events.slice(0, -1) };
    const published = await this.#deps.bus.publish(last, options);
    if (published.outcome === 'refused') throw new OrchestratorError('NotFound', published.why);
  }

  /** The run was removed: files generated since then would never be found again. */
  async #forget(request: InsightRequest): Promise<void> {
    const { store, blobs } = this.#deps;
    const { workflowId } = request;
    if ((await store.workflow(workflowId)) === null) await blobs.deleteScope(workflowId);
    for (const { name } of request.insights) {
      await blobs.deleteScope(spoolScope(insightAttachmentId(request, name)));
    }
    await store.write({ documents: [requestDocument(endOfRequest(request))] });
  }
}

const tooManyRequests = (): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `There are ${COLLECTOR_LIMITS.requests} requests for insights under way already; try again later.`,
  );
