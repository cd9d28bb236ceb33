/**
 * Turns test reports that steps attach into test results (wire facts 9.8).
 *
 * A report is one worker of its run: set up before it is read, torn down when nothing more comes of it, whatever it was worth.
 * Events may be handed over again after a crash; a report that may have been begun before is first looked up in the log, and
 * goes on where that ends. So each result is published once.
 */
import {
  type AttachmentId,
  apiVersionOf,
  isOrchestratorError,
  type NotificationEvent,
  parseTimestamp,
} from '@tutti/manifests';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Store } from '../../store/store.ts';
import { readAhead } from './read-ahead.ts';
import { NO_PROGRESS, type ReportProgress, readReportProgress } from './report-progress.ts';
import {
  type Report,
  type ReportingEvent,
  reportsOfEvent,
  workerIdOf,
} from './reports-of-event.ts';
import { createResultsSource, type ResultsSource } from './results-source.ts';

export interface InterpreterDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribeDurably'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly store: Pick<Store, 'events'>;
  readonly clock: Clock;
  readonly apiGroup: string;
}

/** The names of the subscriptions are in the outbox: they stay what they were when surefire was the only format. */
export const SUBSCRIPTIONS = {
  ExecutionResult: 'interpreter-surefire',
  WorkflowResult: 'interpreter-surefire-artifacts',
} as const satisfies Record<ReportingEvent['kind'], string>;

/**
 * Events with test results in one commit at most: a second core reads on while the store writes, and fewer commits change the same pages
 * less often. More would keep everything else waiting for longer, some hundredths of a second.
 */
const EVENTS_PER_COMMIT = 4;

/** Subscribes the interpreter; to be called before the bus starts. */
export function interpretReports(deps: InterpreterDeps): void {
  const interpreter = createInterpreter(deps);
  const hasReports = (event: ReportingEvent): boolean => reportsOfEvent(event).length > 0;
  const giveUp = (event: ReportingEvent) => giveUpReports(deps, event);
  const { ExecutionResult, WorkflowResult } = SUBSCRIPTIONS;
  deps.bus.subscribeDurably(ExecutionResult, 'ExecutionResult', hasReports, interpreter, giveUp);
  deps.bus.subscribeDurably(WorkflowResult, 'WorkflowResult', hasReports, interpreter, giveUp);
}

/** The run must not wait for ever for reports that cannot be read. */
async function giveUpReports(deps: InterpreterDeps, event: ReportingEvent): Promise<void> {
  for (const report of reportsOfEvent(event)) {
    const { workflow_id } = event.metadata;
    const { isFinished } = await readReportProgress(deps.store, workflow_id, report);
    if (isFinished) continue;
    const place = { deps, event, report };
    await notify(place, { logs: [`ERROR,Could not read the test results of ${report.name}.`] });
    const worker_id = workerIdOf(report);
    await notify(place, { worker: { worker_id, status: 'teardown' } });
  }
}

type Interpreter = (event: ReportingEvent, signal: AbortSignal) => Promise<void>;

function createInterpreter(deps: InterpreterDeps): Interpreter {
  const startedMs = deps.clock.now();
  /** Reports whose reading failed in this process, and may be asked for again. */
  const interrupted = new Set<AttachmentId>();
  const read = createResultsSource();
  return async (event, signal) => {
    const isOlder = (parseTimestamp(event.metadata.creationTimestamp) ?? 0) <= startedMs;
    for (const report of reportsOfEvent(event)) {
      const { attachmentId } = report;
      const mayBeBegun = isOlder || interrupted.has(attachmentId);
      interrupted.add(attachmentId);
      await interpretReport({ deps, event, report, signal, read }, mayBeBegun);
      interrupted.delete(attachmentId);
    }
  };
}

interface Reading {
  readonly deps: InterpreterDeps;
  readonly event: ReportingEvent;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly read: ResultsSource;
}

async function interpretReport(reading: Reading, mayBeBegun: boolean): Promise<void> {
  const { deps, event, report } = reading;
  const progress = mayBeBegun
    ? await readReportProgress(deps.store, event.metadata.workflow_id, report)
    : NO_PROGRESS;
  if (progress.isFinished) return;
  const worker_id = workerIdOf(report);
  await notify(reading, { worker: { worker_id, status: 'setup' } });
  const found = { count: 0, errors: [] };
  const logs = await publishResults(reading, progress, found);
  if (!progress.hasErrors) await publishErrors(reading, found);
  if (logs.length > 0) await notify(reading, { logs });
  await notify(reading, { worker: { worker_id, status: 'teardown' } });
}

/** What a reading found so far, what was published before included. */
interface Found {
  count: number;
  readonly errors: string[];
}

async function publishErrors(reading: Reading, { count, errors }: Found): Promise<void> {
  // They are shown with a test case: where there is none, the log alone tells them.
  if (count === 0 || errors.length === 0) return;
  const timestamp = reading.deps.clock.timestamp();
  const told = errors.map((message) => ({ message, timestamp }));
  await notify(reading, { 'tutti.general-errors': told });
}

/** Answers lines for the log of the run when there is something to say about the report. */
async function publishResults(
  reading: Reading,
  progress: ReportProgress,
  found: Found,
): Promise<readonly string[]> {
  const { deps, event, report, signal, read } = reading;
  const blob = await deps.blobs.get(`${event.metadata.workflow_id}/${report.attachmentId}`);
  if (blob === null)
    return [`ERROR,Could not read the test results of ${report.name}: no content.`];
  const request = { ...report, skip: progress.results };
  try {
    for await (const parts of readAhead(read(request, blob, signal), EVENTS_PER_COMMIT)) {
      signal.throwIfAborted();
      found.count = parts.at(-1)?.found ?? found.count;
      found.errors.push(...parts.flatMap((part) => part.generalErrors));
      const results = parts.map((part) => part.results).filter((some) => some.length > 0);
      await notify(reading, ...results.map((testResults) => ({ testResults })));
    }
  } catch (error) {
    // Only what the report itself is guilty of; anything else is tried again by the bus.
    if (!isOrchestratorError(error) || error.reason !== 'Invalid') throw error;
    const what = `Could not read all test results of ${report.name}: ${error.message}`;
    found.errors.push(`${what}.`);
    return [`ERROR,${what}. Test results read before: ${found.count}.`];
  } finally {
    blob.content.destroy();
  }
  if (found.count > 0) return [];
  const errors = found.errors.map((error) => `ERROR,${oneLine(error)}`);
  return [...errors, `WARNING,No test results in ${report.name}.`];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Notifications about the report, in one commit. A run that is gone takes none, and then there is nothing to do about it. */
async function notify(
  place: Omit<Reading, 'signal' | 'read'>,
  ...specs: readonly NotificationEvent['spec'][]
): Promise<void> {
  const preceding = specs.map((spec) => notification(place, spec));
  const last = preceding.pop();
  if (last !== undefined) await place.deps.bus.publish(last, { preceding });
}

function notification(
  { deps, event, report }: Omit<Reading, 'signal' | 'read'>,
  spec: NotificationEvent['spec'],
): NotificationEvent {
  return {
    apiVersion: apiVersionOf(deps.apiGroup, 'Notification'),
    kind: 'Notification',
    metadata: {
      name: spec.logs === undefined ? 'test results' : 'log notification',
      workflow_id: event.metadata.workflow_id,
      namespace: event.metadata.namespace,
      creationTimestamp: deps.clock.timestamp(),
      ...placeOf(event),
      attachment_origin: [report.attachmentId],
    },
    spec,
  };
}

function placeOf(event: ReportingEvent): Partial<NotificationEvent['metadata']> {
  if (event.kind === 'WorkflowResult') {
    const { job_id } = event.metadata;
    return job_id === undefined ? {} : { job_id };
  }
  const { job_id, job_origin, step_id, step_origin, step_sequence_id } = event.metadata;
  return { job_id, job_origin, step_id, step_origin, step_sequence_id };
}
