/**
 * Folds the events of a run into a trace. The run, its jobs, their waits for environments and their steps are spans. The same events always
 * give the same spans with the same ids. So a span that is sent twice exists once.
 *
 * Attributes have the names of OpenTelemetry's conventions for pipelines, where there is one.
 */
import {
  assertNever,
  dictionary,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  isRunEvent,
  type JobId,
  type JobMetadata,
  type LoggedEvent,
  parseTimestamp,
  type StepMetadata,
  type Timestamp,
  type WorkflowCanceledEvent,
} from '@tutti/manifests';
import { factOf } from '../facts/decode.ts';
import type { Fact, FactOf, JobResult } from '../facts/fact.ts';
import { firstLine } from '../projection/step-label.ts';
import { stepNamesIn } from './step-names.ts';
import { runSpanId, spanIdOf, traceIdOf } from './trace-ids.ts';
import { parseTraceparent } from './traceparent.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface RunSpan {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Null for a run whose sender has no trace. */
  readonly parentId: string | null;
  readonly name: string;
  /** Milliseconds since 1970, with microseconds as a fraction. */
  readonly startMs: number;
  readonly endMs: number;
  /** Why the span failed; null when it did not. */
  readonly error: string | null;
  readonly attributes: SpanAttributes;
}

export interface RunTrace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** False when whoever started the run wants no trace of it. */
  readonly isSampled: boolean;
  readonly spans: readonly RunSpan[];
  /** Spans beyond the limit, which are left out. */
  readonly dropped: number;
}

/** Spans of one run that are kept: the largest runs have some thousands of steps. */
export const TRACE_SPANS_MAX = 10_000;
const NAME_LENGTH_MAX = 200;
/** Characters of an attribute or an error: many spans share a request, and collectors take some MiB. */
const TEXT_LENGTH_MAX = 500;

/** Words of OpenTelemetry for our results. */
const RESULTS: Readonly<Record<string, string>> = dictionary<string>({
  success: 'success',
  failure: 'failure',
  cancelled: 'cancellation',
  skipped: 'skip',
});

interface OpenSpan extends Omit<RunSpan, 'endMs' | 'attributes'> {
  endMs: number | null;
  error: string | null;
  attributes: SpanAttributes;
}

interface OpenedSpan {
  readonly parent: string | null;
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** Takes the events of one run in their order. */
export class TraceFold {
  readonly #spans = new Map<string, OpenSpan>();
  readonly #stepNames = new Map<string, string>();
  #traceId = '';
  #isSampled = true;
  #root: OpenSpan | null = null;
  #dropped = 0;
  /** Time of the last event. */
  #lastMs = 0;

  add(event: LoggedEvent): void {
    if (!isRunEvent(event)) return;
    this.#lastMs = msOf(event.metadata.creationTimestamp);
    this.#take(factOf(event));
  }

  /** Null without a run. Open spans end with the run, or now if that is not over. */
  trace(): RunTrace | null {
    const root = this.#root;
    if (root === null) return null;
    const endMs = root.endMs ?? this.#lastMs;
    const spans = [root, ...this.#spans.values()].map((span) => ({
      ...span,
      endMs: Math.max(span.startMs, span.endMs ?? endMs),
      error: span.error === null ? null : cut(span.error, TEXT_LENGTH_MAX),
    }));
    return { id: this.#traceId, isSampled: this.#isSampled, spans, dropped: this.#dropped };
  }

  #take(fact: Fact): void {
    switch (fact.type) {
      case 'RunReceived':
        this.#begin(fact);
        break;
      case 'EnvironmentRequested':
        this.#request(fact.event);
        break;
      case 'EnvironmentOffered':
        this.#offer(fact.event.metadata);
        break;
      case 'StepStarted':
        this.#command(fact);
        break;
      case 'StepAnswered':
        this.#result(fact.event);
        break;
      case 'JobReleased':
        this.#jobResult(fact.event.metadata.job_id, fact.result);
        break;
      case 'EnvironmentFreed':
        this.#close(fact.event.metadata.job_id, atOf(fact), null);
        break;
      case 'FunctionCalled':
        this.#step(fact.event.metadata, fact.event.metadata.name);
        break;
      case 'FunctionAnswered':
        this.#learnNames(fact.event.steps);
        break;
      case 'JobsAsked':
      case 'JobsGiven':
        if (fact.type === 'JobsGiven') this.#learnNames(fact.event.jobs);
        this.#job(fact.event.metadata);
        break;
      case 'StepEnded':
        this.#stepEnded(fact);
        break;
      case 'JobEnded':
        this.#jobEnded(fact);
        break;
      case 'RunSucceeded':
        this.#end(atOf(fact), 'success', null);
        break;
      case 'RunEnded':
        this.#canceled(fact.event);
        break;
      case 'StepStopped':
      case 'TestsAsked':
      case 'TestsJudged':
      case 'DownloadBegun':
      case 'Held':
      case 'Granted':
      case 'Halted':
      case 'Superseded':
      case 'JobOverdue':
      case 'StepOverdue':
      case 'StepPrinted':
      case 'WorkerChanged':
      case 'ReportRead':
      case 'Noted':
      case 'FilesPublished':
      case 'RunFailed':
      case 'CancellationAsked':
        break;
      default:
        assertNever(fact);
    }
  }

  #canceled({ metadata, details }: WorkflowCanceledEvent): void {
    const result = details.status === 'cancelled' ? 'cancellation' : 'failure';
    this.#end(metadata.creationTimestamp, result, details.reason ?? 'The workflow failed.');
  }

  #begin({ event, traceparent }: FactOf<'RunReceived'>): void {
    const { metadata } = event;
    const parent = parseTraceparent(traceparent);
    this.#traceId = parent?.traceId ?? traceIdOf(metadata.workflow_id);
    this.#isSampled = parent?.isSampled ?? true;
    this.#root = {
      id: runSpanId(metadata.workflow_id),
      parentId: parent?.spanId ?? null,
      name: shortName(metadata.name),
      startMs: msOf(metadata.creationTimestamp),
      endMs: null,
      error: null,
      attributes: bounded({
        'cicd.pipeline.name': metadata.name,
        'cicd.pipeline.run.id': metadata.workflow_id,
        'tutti.run.namespace': metadata.namespace,
      }),
    };
    this.#learnNames(event.jobs);
  }

  #end(at: Timestamp, result: string, error: string | null): void {
    if (this.#root === null) return;
    const attributes = { ...this.#root.attributes, 'cicd.pipeline.result': result };
    Object.assign(this.#root, { endMs: msOf(at), error, attributes });
  }

  #learnNames(definitions: unknown): void {
    for (const [id, name] of stepNamesIn(definitions)) this.#stepNames.set(id, name);
  }

  #request(event: ExecutionCommandEvent): void {
    const { metadata } = event;
    this.#job(metadata);
    const attributes = { 'tutti.job.tags': event['runs-on'].join(' ') };
    const parent = metadata.job_id;
    this.#open(waitKey(metadata), metadata, { parent, name: 'environment', attributes });
  }

  #offer(metadata: ExecutionResultEvent['metadata']): void {
    this.#close(waitKey(metadata), metadata.creationTimestamp, null);
    if (metadata.channel_id !== undefined) {
      this.#describe(metadata.job_id, { 'cicd.worker.id': metadata.channel_id });
    }
  }

  #command({ event, name }: FactOf<'StepStarted'>): void {
    const { metadata, scripts } = event;
    const written = this.#stepNames.get(metadata.step_id);
    this.#step(metadata, name ?? written ?? firstLine(scripts.join('\n')));
  }

  #result({ metadata, status }: ExecutionResultEvent): void {
    this.#describe(stepKey(metadata), { 'process.exit.code': status });
    const error = status === 0 ? null : `Exit code ${status}.`;
    this.#close(stepKey(metadata), metadata.creationTimestamp, error);
  }

  #stepEnded(fact: FactOf<'StepEnded'>): void {
    const { job_id: jobId, step_id: stepId } = fact.event.metadata;
    const error = fact.outcome === 'failure' ? 'The step failed.' : null;
    this.#close(`${jobId}/${stepId}`, atOf(fact), error);
  }

  /** A job that never asked for an environment has no span: it took no time. */
  #jobEnded(fact: FactOf<'JobEnded'>): void {
    const { job_id: jobId } = fact.event.metadata;
    if (jobId === undefined) return;
    this.#jobResult(jobId, fact.result);
    this.#close(`${jobId}/environment`, atOf(fact), null);
    this.#close(jobId, atOf(fact), null);
  }

  #job(metadata: JobMetadata): void {
    const { job_id: jobId, job_origin: origin, name } = metadata;
    const attributes = {
      'cicd.pipeline.task.name': name,
      'cicd.pipeline.task.run.id': jobId,
    };
    this.#open(jobId, metadata, { parent: origin.at(-1) ?? null, name, attributes });
  }

  #jobResult(jobId: JobId, conclusion: JobResult | null): void {
    const result = conclusion === null ? undefined : RESULTS[conclusion];
    if (result !== undefined) this.#describe(jobId, { 'cicd.pipeline.task.run.result': result });
    const span = this.#spans.get(jobId);
    if (span !== undefined && conclusion === 'failure') span.error = 'The job failed.';
  }

  #step(metadata: StepMetadata, name: string): void {
    const { job_id: jobId, step_origin: origin } = metadata;
    const around = origin.at(-1);
    const parent = around === undefined ? jobId : `${jobId}/${around}`;
    const attributes = { 'tutti.step.id': metadata.step_id };
    this.#open(stepKey(metadata), metadata, { parent, name, attributes });
  }

  /** Leaves an open span as it is: two events announce a bundle whose jobs are fetched. */
  #open(
    key: string,
    { creationTimestamp }: { readonly creationTimestamp: Timestamp },
    { parent, name, attributes }: OpenedSpan,
  ): void {
    if (this.#root === null || this.#spans.has(key)) return;
    if (this.#spans.size >= TRACE_SPANS_MAX - 1) {
      this.#dropped += 1;
      return;
    }
    this.#spans.set(key, {
      id: spanIdOf(key),
      // Around a step whose own was left out is the run.
      parentId: (parent === null ? undefined : this.#spans.get(parent)?.id) ?? this.#root.id,
      name: shortName(name),
      startMs: msOf(creationTimestamp),
      endMs: null,
      error: null,
      attributes: bounded(attributes),
    });
  }

  #describe(key: string, more: SpanAttributes): void {
    const span = this.#spans.get(key);
    if (span !== undefined) span.attributes = { ...span.attributes, ...bounded(more) };
  }

  /** The first end counts; `error`: why it failed, if no earlier event said so. */
  #close(key: string, at: Timestamp, error: string | null): void {
    const span = this.#spans.get(key);
    if (span === undefined || span.endMs !== null) return;
    span.endMs = msOf(at);
    span.error ??= error;
  }
}

const stepKey = ({ job_id: jobId, step_id: stepId }: StepMetadata): string => `${jobId}/${stepId}`;
const waitKey = ({ job_id: jobId }: JobMetadata): string => `${jobId}/environment`;

const atOf = ({ event }: Fact): Timestamp => event.metadata.creationTimestamp;
const msOf = (timestamp: Timestamp): number => parseTimestamp(timestamp) ?? 0;

const shortName = (name: string): string => cut(firstLine(name), NAME_LENGTH_MAX) || 'unnamed';

const bounded = (attributes: SpanAttributes): SpanAttributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === 'string' ? cut(value, TEXT_LENGTH_MAX) : value,
    ]),
  );

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;
