/**
 * Turns test reports that steps attach into test results (wire facts 9.8).
 *
 * A report is one worker of its run. Its setup precedes the reading. Its teardown follows the end, for any outcome. Events may be repeated
 * after a crash. A reading that may have begun before is looked up in the log, and continues where it ended. So each result is published
 * once.
 */
import {
  type AttachmentId,
  apiVersionOf,
  isOrchestratorError,
  type NotificationEvent,
  type ReportFault,
} from '@tutti/manifests';
import { specEntries } from '@tutti/workflow/facts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Store } from '../../store/store.ts';
import { createReportReader, type ReadReport, readAhead } from './read-report.ts';
import { NO_PROGRESS, type ReportProgress, readReportProgress } from './report-progress.ts';
import {
  type Report,
  type ReportingEvent,
  reportsOfEvent,
  workerIdOf,
} from './reports-of-event.ts';

interface InterpreterDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribe' | 'subscribeDurably'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly store: Pick<Store, 'events'>;
  readonly clock: Pick<Clock, 'timestamp'>;
  readonly apiGroup: string;
}

/** These names are stored in the outbox, so they stay the same as when surefire was the only format. */
export const SUBSCRIPTIONS = {
  ExecutionResult: 'interpreter-surefire',
  WorkflowResult: 'interpreter-surefire-artifacts',
} as const satisfies Record<ReportingEvent['kind'], string>;

/**
 * Maximum events with test results per commit. A second core reads on while the store writes, and fewer commits rewrite fewer
 * pages. More would delay other work by some hundredths of a second.
 */
const EVENTS_PER_COMMIT = 4;

/** Subscribes the interpreter; to be called before the bus starts. */
export function interpretReports(deps: InterpreterDeps): void {
  const unbegun = new Set<AttachmentId>();
  const interpreter = createInterpreter(deps, unbegun);
  const note = (event: ReportingEvent) => {
    for (const { attachmentId } of reportsOfEvent(event)) unbegun.add(attachmentId);
  };
  const hasReports = (event: ReportingEvent): boolean => reportsOfEvent(event).length > 0;
  const giveUp = (event: ReportingEvent) => {
    // The reading of an earlier report of the event failed.
    for (const { attachmentId } of reportsOfEvent(event)) unbegun.delete(attachmentId);
    return giveUpReports(deps, event);
  };
  const { ExecutionResult, WorkflowResult } = SUBSCRIPTIONS;
  deps.bus.subscribe('ExecutionResult', note);
  deps.bus.subscribe('WorkflowResult', note);
  deps.bus.subscribeDurably(ExecutionResult, 'ExecutionResult', {
    takes: hasReports,
    handle: interpreter,
    giveUp,
  });
  deps.bus.subscribeDurably(WorkflowResult, 'WorkflowResult', {
    takes: hasReports,
    handle: interpreter,
    giveUp,
  });
}

/** Without it, the run would wait for ever for unreadable reports. */
async function giveUpReports(deps: InterpreterDeps, event: ReportingEvent): Promise<void> {
  for (const report of reportsOfEvent(event)) {
    const { workflow_id } = event.metadata;
    const { isFinished, results } = await readReportProgress(deps.store, workflow_id, report);
    if (isFinished) continue;
    const logs = [`ERROR,Could not read the test results of ${report.name}.`];
    const problem = 'The server could not read it, and tried several times.';
    await conclude({ deps, event, report }, [
      { logs, ...brokenBy(report, { problem, testCases: results, isCut: true }) },
    ]);
  }
}

type Interpreter = (event: ReportingEvent, signal: AbortSignal) => Promise<void>;

/**
 * `unbegun`: reports of events that this process committed, and whose reading nobody can have begun. Times of events do not say that.
 * Clocks of replicas differ, and one that waits is older than the events that it gets.
 */
function createInterpreter(deps: InterpreterDeps, unbegun: Set<AttachmentId>): Interpreter {
  const read = createReportReader();
  return async (event, signal) => {
    for (const report of reportsOfEvent(event)) {
      const mayBeBegun = !unbegun.delete(report.attachmentId);
      try {
        await interpretReport({ deps, event, report, signal, read }, mayBeBegun);
      } finally {
        // The outbox may show an event before this process learns of its commit. It has learned of it once this reading published.
        unbegun.delete(report.attachmentId);
      }
    }
  };
}

type Place = Pick<Reading, 'deps' | 'event' | 'report'>;

interface Reading {
  readonly deps: InterpreterDeps;
  readonly event: ReportingEvent;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly read: ReadReport;
}

async function interpretReport(reading: Reading, mayBeBegun: boolean): Promise<void> {
  const { deps, event, report } = reading;
  const progress = mayBeBegun
    ? await readReportProgress(deps.store, event.metadata.workflow_id, report)
    : NO_PROGRESS;
  if (progress.isFinished) return;
  await notify(reading, { worker: { worker_id: workerIdOf(report), status: 'setup' } });
  const found: Found = { count: 0, errors: [], doubt: null };
  const ending = await publishResults(reading, progress, found);
  const errors = progress.hasErrors ? null : errorsOf(reading, found);
  await conclude(reading, [errors, ending]);
}

/** Publishes the final notifications of a report in one commit: a repeated reading publishes all of them or none. */
async function conclude(
  place: Place,
  answers: readonly (NotificationEvent['spec'] | null)[],
): Promise<void> {
  const worker_id = workerIdOf(place.report);
  const specs = answers.filter((spec) => spec !== null);
  await notify(place, ...specs, { worker: { worker_id, status: 'teardown' } });
}

function brokenBy({ name: file }: Report, fault: Omit<ReportFault, 'file'>) {
  return specEntries({ type: 'ReportRead', fault: { file, ...fault } });
}

/** Findings of a reading so far, including those already published. */
interface Found {
  count: number;
  readonly errors: string[];
  doubt: string | null;
}

function errorsOf(reading: Reading, { count, errors }: Found): NotificationEvent['spec'] | null {
  // General errors are shown with a test case: without one, only the log shows them.
  if (count === 0 || errors.length === 0) return null;
  const timestamp = reading.deps.clock.timestamp();
  const generalErrors = errors.map((message) => ({ message, timestamp }));
  return { ...specEntries({ type: 'ReportRead', generalErrors }) };
}

/** Returns the notification about the report itself, with lines for the log of the run; null without one. */
async function publishResults(
  reading: Reading,
  progress: ReportProgress,
  found: Found,
): Promise<NotificationEvent['spec'] | null> {
  const { deps, event, report, signal, read } = reading;
  const blob = await deps.blobs.get(`${event.metadata.workflow_id}/${report.attachmentId}`);
  if (blob === null) {
    const problem = 'It cannot be read: the server does not have the file.';
    return {
      logs: [`ERROR,Could not read the test results of ${report.name}: no content.`],
      ...brokenBy(report, { problem, testCases: progress.results, isCut: true }),
    };
  }
  const request = { ...report, skip: progress.results };
  try {
    for await (const parts of readAhead(read(request, blob, signal), EVENTS_PER_COMMIT)) {
      signal.throwIfAborted();
      found.count = parts.at(-1)?.found ?? found.count;
      found.errors.push(...parts.flatMap((part) => part.generalErrors));
      found.doubt = parts.at(-1)?.doubt ?? found.doubt;
      const results = parts.map((part) => part.results).filter((some) => some.length > 0);
      await notify(reading, ...results.map((testResults) => ({ testResults })));
    }
  } catch (error) {
    // Only failures of the report itself end here; the bus retries others.
    if (!isOrchestratorError(error) || error.reason !== 'Invalid') throw error;
    const what = `Could not read all test results of ${report.name}: ${error.message}`;
    found.errors.push(`${what}.`);
    const which = found.count === 0 ? 'be read' : 'be read to its end';
    const problem = `It cannot ${which}: ${error.message}.`;
    return {
      logs: [`ERROR,${what}. Test results read before: ${found.count}.`],
      ...brokenBy(report, { problem, testCases: found.count, isCut: true }),
    };
  } finally {
    blob.content.destroy();
  }
  return endOf(report, found);
}

/** The notification about a report that was read to its end. */
function endOf(report: Report, { count, errors, doubt }: Found): NotificationEvent['spec'] | null {
  const broken =
    doubt === null ? {} : brokenBy(report, { problem: doubt, testCases: count, isCut: false });
  if (count === 0) {
    const lines = errors.map((error) => `ERROR,${oneLine(error)}`);
    return { logs: [...lines, `WARNING,No test results in ${report.name}.`], ...broken };
  }
  if (doubt === null) return null;
  const line = `WARNING,Test results of ${report.name} may be missing: ${oneLine(doubt)}`;
  return { logs: [line], ...broken };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Sends notifications about the report in one commit. A deleted run takes none, which is no error. */
async function notify(place: Place, ...specs: readonly NotificationEvent['spec'][]): Promise<void> {
  const preceding = specs.map((spec) => notification(place, spec));
  const last = preceding.pop();
  if (last !== undefined) await place.deps.bus.publish(last, { preceding });
}

function notification(
  { deps, event, report }: Place,
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
