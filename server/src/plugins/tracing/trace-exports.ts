/**
 * Sends the trace of each run that is over to a collector. The outbox keeps the end of a run until its trace was sent or given up. So a
 * restart loses no trace. No run waits for it. A collector that does not take a trace loses it, and those of the next seconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkflowId } from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import { type RunTrace, TraceFold } from '@tutti/workflow/trace';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Meters } from '../../runtime/meters.ts';
import type { Service } from '../../runtime/service.ts';
import type { Store } from '../../store/store.ts';
import { TRACING_LIMITS } from './limits.ts';
import type { OtlpSender, OtlpSenderOptions } from './otlp-sender.ts';

export interface TraceExportsDeps {
  readonly bus: Pick<EventBus, 'subscribeDurably'>;
  /** A store that gives redacted events. */
  readonly store: Pick<Store, 'events'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly logger: Logger;
  readonly meters: Pick<Meters, 'traces' | 'traceSpans'>;
  readonly collector: OtlpSenderOptions;
}

/** To be called before the bus starts. */
export function exportTraces(deps: TraceExportsDeps): Service {
  const exports = new TraceExports(deps);
  for (const kind of ['WorkflowCompleted', 'WorkflowCanceled'] as const) {
    deps.bus.subscribeDurably(`tracing-${kind}`, kind, {
      takes: () => true,
      handle: ({ metadata }, signal) =>
        exports.export(metadata.workflow_id, epochMs(metadata.creationTimestamp), signal),
    });
  }
  return { name: 'tracing', start: async () => undefined, stop: () => exports.close() };
}

class TraceExports {
  readonly #deps: TraceExportsDeps;
  readonly #startedMs: number;
  #sender: Promise<OtlpSender> | null = null;
  /** Since when the collector takes nothing; null while it does. */
  #failingSinceMs: number | null = null;
  #triedAtMs = 0;

  constructor(deps: TraceExportsDeps) {
    this.#deps = deps;
    this.#startedMs = deps.clock.now();
  }

  /** Rejects only when the server stops, which keeps the run for the next start. */
  async export(workflowId: WorkflowId, endedMs: number, signal: AbortSignal): Promise<void> {
    const { meters } = this.#deps;
    if (this.#isTooMuch(endedMs)) {
      meters.traces.add('dropped');
      return;
    }
    const trace = await this.#read(workflowId);
    if (trace === null || !trace.isSampled) return;
    try {
      await unlessAborted(this.#send(trace), signal);
      this.#succeeded(trace);
    } catch (error) {
      signal.throwIfAborted();
      this.#failed(workflowId, error);
    }
  }

  async close(): Promise<void> {
    await (await this.#sender)?.close();
  }

  /** After a failure, one trace at a time finds out whether the collector is back. */
  #isTooMuch(endedMs: number): boolean {
    const nowMs = this.#deps.clock.now();
    if (nowMs - Math.max(endedMs, this.#startedMs) > TRACING_LIMITS.waitMaxMs) return true;
    if (this.#failingSinceMs === null) return false;
    const steadyMs = this.#deps.clock.monotonicMs();
    if (steadyMs - this.#triedAtMs < TRACING_LIMITS.pauseAfterFailureMs) return true;
    this.#triedAtMs = steadyMs;
    return false;
  }

  async #read(workflowId: WorkflowId): Promise<RunTrace | null> {
    const fold = new TraceFold();
    for (let seq = 1; ; ) {
      const page = await this.#deps.store.events(workflowId, seq, TRACING_LIMITS.eventsPerPage);
      const items = page?.items ?? [];
      for (const json of items) fold.add(JSON.parse(json));
      seq += items.length;
      if (page === null || items.length === 0 || seq > page.total) return fold.trace();
      // A long log takes seconds, in which others want answers.
      await nextTurn();
    }
  }

  async #send(trace: RunTrace): Promise<void> {
    this.#sender ??= loadSender(this.#deps.collector);
    await (await this.#sender).send(trace);
  }

  #succeeded({ spans, dropped }: RunTrace): void {
    const { meters, logger } = this.#deps;
    meters.traces.add('sent');
    meters.traceSpans.add('sent', spans.length);
    meters.traceSpans.add('dropped', dropped);
    if (this.#failingSinceMs !== null) logger.info('Traces are sent again.');
    this.#failingSinceMs = null;
  }

  /** Logged once, not for each of many traces. */
  #failed(workflowId: WorkflowId, err: unknown): void {
    const { meters, logger, collector, clock } = this.#deps;
    meters.traces.add('failed');
    this.#triedAtMs = clock.monotonicMs();
    if (this.#failingSinceMs !== null) return;
    this.#failingSinceMs = this.#triedAtMs;
    logger.warn(
      { err, workflowId },
      `The collector at ${withoutSecrets(collector.url)} did not take a trace. It is tried again every ten seconds; traces of runs that end in between are lost.`,
    );
  }
}

/** Addresses may have a password, or a key among their parameters. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

/** Most of the memory of tracing, which a server without a collector never needs. */
async function loadSender(options: OtlpSenderOptions): Promise<OtlpSender> {
  const { OtlpSender } = await import('./otlp-sender.ts');
  return new OtlpSender(options);
}

/** The server does not wait for a collector when it stops. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
