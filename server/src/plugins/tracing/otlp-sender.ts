/** Sends traces to a collector by OTLP over HTTP. Loads OpenTelemetry, so it is itself loaded when there is a first trace to send. */
import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { RunSpan, RunTrace } from '@tutti/workflow/trace';
import { TRACING_LIMITS } from './limits.ts';

export interface OtlpSenderOptions {
  /** Address to which traces are posted. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: what `OTEL_SERVICE_NAME` says, or `tutti`. */
  readonly serviceName: string | null;
  readonly version: string;
}

export class OtlpSender {
  readonly #exporter: OTLPTraceExporter;
  readonly #resource: Resource;
  readonly #scope: ReadableSpan['instrumentationScope'];

  /** `OTEL_EXPORTER_OTLP_` variables set time limit, compression, certificates and further headers. */
  constructor({ url, headers, serviceName, version }: OtlpSenderOptions) {
    this.#exporter = new OTLPTraceExporter({ url, headers: { ...headers } });
    const own = { 'service.name': 'tutti', 'service.version': version };
    this.#resource = resourceFromAttributes(own)
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes(serviceName === null ? {} : { 'service.name': serviceName }));
    this.#scope = { name: 'tutti', version };
  }

  /** Resolves when the collector has all of it; rejects when it did not take a part after some tries. */
  async send(trace: RunTrace): Promise<void> {
    const spans = trace.spans.map((span) => this.#readable(trace, span));
    for (let at = 0; at < spans.length; at += TRACING_LIMITS.spansPerRequest) {
      await this.#post(spans.slice(at, at + TRACING_LIMITS.spansPerRequest));
    }
  }

  close(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #post(spans: ReadableSpan[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#exporter.export(spans, ({ code, error }) => {
        if (code === EXPORTED) resolve();
        else reject(error ?? new Error('The collector did not take the spans.'));
      });
    });
  }

  #readable(trace: RunTrace, span: RunSpan): ReadableSpan {
    const context = (spanId: string, isRemote: boolean) => ({
      traceId: trace.id,
      spanId,
      traceFlags: TraceFlags.SAMPLED,
      isRemote,
    });
    return {
      name: span.name,
      kind: SpanKind.INTERNAL,
      spanContext: () => context(span.id, false),
      ...(span.parentId === null ? {} : { parentSpanContext: context(span.parentId, false) }),
      startTime: hrTime(span.startMs),
      endTime: hrTime(span.endMs),
      duration: hrTime(span.endMs - span.startMs),
      status:
        span.error === null
          ? { code: SpanStatusCode.UNSET }
          : { code: SpanStatusCode.ERROR, message: span.error },
      attributes: span.attributes,
      links: [],
      events: [],
      ended: true,
      resource: this.#resource,
      instrumentationScope: this.#scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  }
}

/** `ExportResultCode.SUCCESS` of a package that is not ours to import. */
const EXPORTED = 0;

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000) * 1_000];
}
