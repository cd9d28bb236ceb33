/** Projections of a run, from its new events: its row, log text, attachments, ended jobs and test cases. */
import {
  type AttachmentId,
  atOnce,
  isRunEvent,
  type RunEvent,
  type Steps,
  type TestResult,
  technologyOfType,
} from '@tutti/manifests';
import {
  createLogOptions,
  isDownload,
  isLive,
  type Job,
  type JobPhase,
  jobManifest,
  jobOfAttachment,
  type LogOptions,
  managedTest,
  managedTestsOf,
  nameOfPath,
  outcomeOf,
  type PlacedErrors,
  placedErrors,
  type Redactor,
  type Run,
  renderEvent,
  renderTexts,
  resultPrecedence,
  shownTexts,
  spanOf,
  type TestOrigin,
  testCaseKey,
  testCaseManifest,
  valuesSince,
} from '@tutti/workflow';
import { historiesIn, type KnownHistory } from '@tutti/workflow/facts';
import type { CommittedEvent } from '../../bus/bus.ts';
import { LOG_PART_LENGTH_MIN, logPartOf } from '../../store/log-part.ts';
import type {
  AttachmentRow,
  JobRow,
  PlacedLogPart,
  Projection,
  TestCaseRow,
  TestErrorsRow,
  WorkflowRow,
} from '../../store/store.ts';
import { brokenReportRows } from './broken-report-rows.ts';
import { shownVariables } from './job-variables.ts';
import { summaryRow } from './summary-row.ts';

/** Everything is of the events as they are shown; values from the run itself are redacted here. */
export function* projectionSteps(
  before: Run,
  after: Run,
  committed: readonly CommittedEvent[],
  redactor: Pick<Redactor, 'document'>,
): Steps<Projection> {
  const events = committed.map(({ shown }) => shown.event).filter(isRunEvent);
  return {
    workflow: isRowChanged(before, after) ? rowOf(after) : null,
    ...(yield* logOf(after, committed)),
    attachments: events.flatMap(attachmentsOf),
    testCases: yield* testCasesOf(after, events, redactor),
    testErrors: placedErrors(before, after, events).flatMap((placed) =>
      testErrorsRow(after, placed, redactor),
    ),
    brokenReports: brokenReportRows(after, events, redactor),
    jobs: yield* endedJobs(before, after, redactor),
    summary: summaryRow(before, after, committed, redactor),
  };
}

/** Computes the projections at once, without pauses. */
export const project = (...given: Parameters<typeof projectionSteps>): Projection =>
  atOnce(projectionSteps(...given));

type AddedLog = Pick<Projection, 'logText' | 'logParts'>;

/** The text is not joined, to avoid another copy of long texts. */
function* logOf({ labels }: Run, committed: readonly CommittedEvent[]): Steps<AddedLog> {
  const options = createLogOptions(labels);
  const logParts: PlacedLogPart[] = [];
  let logText = '';
  for (const [index, each] of committed.entries()) {
    const printed = printedPart(each, options);
    if (printed === null) logText += renderEvent(each.shown.event, options);
    else {
      logParts.push({ ...printed.part, event: index, textBefore: logText.length });
      logText += printed.rest;
    }
    yield;
  }
  return logParts.length === 0 ? { logText } : { logText, logParts };
}

/** The output that an event has, as a part of the log, and the text behind it. Null where the text has to be stored. */
function printedPart({ json, shown }: CommittedEvent, options: LogOptions) {
  const { event } = shown;
  // The event has masked text as it was.
  const isStored = json.length >= LOG_PART_LENGTH_MIN && shown.json === json;
  if (!isStored || !isRunEvent(event) || event.kind === 'Workflow') return null;
  const { prefix, output, texts } = shownTexts(event, options);
  const part = logPartOf({ event, json, prefix, lines: output });
  return part === null ? null : { part, rest: renderTexts(prefix, texts) };
}

function isRowChanged(before: Run, after: Run): boolean {
  return before.phase !== after.phase || before.workers !== after.workers;
}

function rowOf(run: Run): WorkflowRow {
  return {
    workflowId: run.workflowId,
    name: run.name,
    namespace: run.namespace,
    status: run.phase === 'NONE' ? 'PENDING' : run.phase,
    live: isLive(run),
    workers: [...run.workers],
    createdAt: run.createdAt,
    completedAt: run.completedAt,
  };
}

function attachmentsOf(event: RunEvent): readonly AttachmentRow[] {
  if (event.kind !== 'ExecutionResult' && event.kind !== 'WorkflowResult') return [];
  return Object.entries(event.metadata.attachments ?? {}).map(([path, { uuid, type, name }]) => ({
    attachmentId: uuid,
    name: nameOfPath(path) ?? name ?? uuid,
    type: type ?? null,
  }));
}

const PHASES = {
  success: 'SUCCEEDED',
  skipped: 'SUCCEEDED',
  failure: 'FAILED',
  cancelled: 'CANCELLED',
} as const satisfies Record<NonNullable<Job['result']>, JobPhase>;

/** Jobs that ended with these events. It omits jobs that never asked for an environment (such as bundles), and our own. */
function* endedJobs(
  before: Run,
  after: Run,
  redactor: Pick<Redactor, 'document'>,
): Steps<readonly JobRow[]> {
  if (before.jobs === after.jobs) return [];
  const rows: JobRow[] = [];
  for (const job of valuesSince(after.jobs, before.jobs)) {
    if (
      job.bundle !== null ||
      isDownload(job) ||
      job.phase !== 'COMPLETED' ||
      before.jobs.get(job.key)?.phase === 'COMPLETED'
    )
      continue;
    const row = jobRow(after, job, redactor);
    if (row !== null) rows.push(row);
    yield;
  }
  return rows;
}

function jobRow(run: Run, job: Job, redactor: Pick<Redactor, 'document'>): JobRow | null {
  const { jobId, requestedAt, endedAt, result } = job;
  if (jobId === null || requestedAt === null || endedAt === null || result === null) return null;
  const manifest = jobManifest(run.apiGroup, workflowOf(run), {
    jobId,
    name: job.name,
    runsOn: job.tags,
    variables: shownVariables(run, job),
    phase: PHASES[result],
    requestTime: requestedAt,
    startTime: job.workedAt,
    endTime: endedAt,
  });
  const { metadata, uuid, ...rest } = manifest;
  // The name of a job stays as its events have it.
  const shown = { ...redactor.document(rest), metadata, uuid };
  return { jobId, json: JSON.stringify(shown) };
}

const workflowOf = (run: Run) => ({
  id: run.workflowId,
  name: run.name,
  namespace: run.namespace,
});

function* testCasesOf(
  run: Run,
  events: readonly RunEvent[],
  redactor: Pick<Redactor, 'document'>,
): Steps<readonly TestCaseRow[]> {
  const testCases: TestCaseRow[] = [];
  for (const event of events) {
    if (event.kind !== 'Notification') continue;
    const histories = historiesIn(event);
    for (const [index, result] of (event.spec.testResults ?? []).entries()) {
      const origin = originOf(
        run,
        result.attachment_origin ?? event.metadata.attachment_origin?.[0],
      );
      if (origin !== null) {
        const history = histories[index] ?? null;
        testCases.push(testCaseRow(run, { origin, result, history }, redactor));
      }
      yield;
    }
  }
  return testCases;
}

interface PlacedResult {
  readonly origin: ReportOrigin;
  readonly result: TestResult;
  readonly history: KnownHistory | null;
}

function testCaseRow(
  run: Run,
  { origin, result, history }: PlacedResult,
  redactor: Pick<Redactor, 'document'>,
): TestCaseRow {
  const workflow = workflowOf(run);
  const manifest = testCaseManifest({
    apiGroup: run.apiGroup,
    workflow,
    origin,
    result,
    history,
  });
  return {
    key: testCaseKey(origin, result),
    jobId: origin.jobId,
    precedence: resultPrecedence(origin.order, result),
    outcome: outcomeOf(result.status),
    durationMs: result.duration,
    startedAt: origin.startTime,
    endedAt: origin.endTime,
    json: JSON.stringify(redactor.document(manifest)),
  };
}

/** The run holds the test case and its waiting errors unredacted, so they are redacted here. */
function testErrorsRow(
  run: Run,
  { attachmentId, test, errors }: PlacedErrors,
  redactor: Pick<Redactor, 'document'>,
): readonly TestErrorsRow[] {
  const origin = originOf(run, attachmentId);
  if (origin === null) return [];
  const key = testCaseKey(origin, redactor.document(test));
  const json = JSON.stringify(redactor.document({ errors }).errors);
  return [{ key, attachmentId, json }];
}

export interface ReportOrigin extends TestOrigin {
  readonly order: number;
}

/** Origin of a test result; null if its attachment belongs to another run. */
export function originOf(run: Run, attachmentId: AttachmentId): ReportOrigin | null {
  const job = jobOfAttachment(run, attachmentId);
  const attachment = job?.attachments.get(attachmentId);
  if (job === null || attachment === undefined || job.jobId === null) return null;
  const steps = job.definition.steps ?? [];
  const step = steps.find(({ id }) => id === attachment.stepId);
  const span = spanOf(job, attachment.stepId);
  const uses = step?.uses ?? null;
  return {
    jobId: job.jobId,
    jobName: job.name,
    jobKey: job.key,
    runsOn: job.tags,
    stepId: attachment.stepId,
    uses,
    test: typeof step?.with?.test === 'string' ? step.with.test : null,
    technology: technologyOf(attachment.type, uses),
    managed: managedTest(managedTestsOf(run, job), steps, attachment.stepId),
    creationTimestamp: span?.askedAt ?? attachment.at,
    startTime: span?.startedAt ?? attachment.at,
    endTime: span?.endedAt ?? attachment.at,
    order: attachment.order,
    ...(attachment.retry === undefined ? {} : { retried: attachment.retry.retried }),
  };
}

/** The provider's name if a provider made the report, else the name for the attachment's type. */
function technologyOf(type: string | null, uses: string | null): string {
  const ofType = type === null ? null : technologyOfType(type);
  const ofUses = uses?.includes('/') === true ? uses.slice(0, uses.indexOf('/')) : null;
  return ofUses ?? ofType ?? 'unknown';
}
