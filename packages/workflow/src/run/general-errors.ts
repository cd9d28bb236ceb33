/**
 * General errors of executions: of whole suites, or of the reading of a report. The interface shows them with the first test case that was
 * executed (specification 2.6). The order and the result that they came with do not matter.
 */
import {
  type AttachmentId,
  type GeneralError,
  isRunEvent,
  type LoggedEvent,
  type NotificationEvent,
  type TestResult,
} from '@tutti/manifests';
import { cutText } from '../environment/cut-text.ts';
import { factOf } from '../facts/decode.ts';
import { withJob } from './job-tree.ts';
import { type FirstTest, type Job, jobOfAttachment, type ReportedTests, type Run } from './run.ts';

/** Bounds of the errors that are kept of one execution; more would tell nobody anything new. */
export const GENERAL_ERRORS_LIMITS = {
  errors: 100,
  /** Characters of one message. */
  messageLength: 4096,
} as const;

/** Errors that events brought, with the test case they belong to. */
export interface PlacedErrors {
  readonly attachmentId: AttachmentId;
  readonly test: FirstTest;
  readonly errors: readonly GeneralError[];
}

/** Tests and errors of one attachment, as one notification has them. */
interface Results {
  readonly tests: FirstTest[];
  readonly errors: GeneralError[];
}

const NOTHING: ReportedTests = { first: null, errorCount: 0, waiting: [] };

/** The run, knowing which test case of each attachment comes first. */
export function testsNoted(run: Run, event: NotificationEvent): Run {
  let noted = run;
  for (const [attachmentId, found] of resultsBy([event])) {
    const job = jobOfAttachment(noted, attachmentId);
    const after = job === null ? null : withTests(job, attachmentId, found);
    if (after !== null && after !== job) noted = withJob(noted, after);
  }
  return noted;
}

function withTests(job: Job, attachmentId: AttachmentId, found: Results): Job {
  const attachment = job.attachments.get(attachmentId);
  if (attachment === undefined) return job;
  const { tests = NOTHING } = attachment;
  const after = testsAfter(tests, found);
  if (after === tests) return job;
  const attachments = new Map(job.attachments).set(attachmentId, { ...attachment, tests: after });
  return { ...job, attachments };
}

function testsAfter(before: ReportedTests, found: Results): ReportedTests {
  const first = firstAfter(before, found.tests);
  const room = GENERAL_ERRORS_LIMITS.errors - before.errorCount;
  const errors = found.errors.slice(0, room);
  if (first === before.first && errors.length === 0) return before;
  return {
    first,
    errorCount: before.errorCount + errors.length,
    waiting: first === null ? [...before.waiting, ...errors] : [],
  };
}

function firstAfter(
  { first, errorCount }: ReportedTests,
  tests: readonly FirstTest[],
): FirstTest | null {
  if (first !== null && (first.isExecuted || errorCount > 0)) return first;
  return tests.find(({ isExecuted }) => isExecuted) ?? first ?? tests[0] ?? null;
}

/** General errors of the events between two states of a run that have a test case now. The events may be redacted. */
export function placedErrors(
  before: Run,
  after: Run,
  events: readonly LoggedEvent[],
): readonly PlacedErrors[] {
  const notifications = events.filter(isRunEvent).filter((event) => event.kind === 'Notification');
  return [...resultsBy(notifications)].flatMap(([attachmentId, found]) => {
    const earlier = reportedIn(before, attachmentId);
    const { first, errorCount } = reportedIn(after, attachmentId);
    const errors = [...earlier.waiting, ...found.errors.slice(0, errorCount - earlier.errorCount)];
    return first === null || errors.length === 0 ? [] : [{ attachmentId, test: first, errors }];
  });
}

function reportedIn(run: Run, attachmentId: AttachmentId): ReportedTests {
  const attachment = jobOfAttachment(run, attachmentId)?.attachments.get(attachmentId);
  return attachment?.tests ?? NOTHING;
}

function resultsBy(events: readonly NotificationEvent[]): ReadonlyMap<AttachmentId, Results> {
  const all = new Map<AttachmentId, Results>();
  for (const event of events) {
    const { metadata, spec } = event;
    const fact = factOf(event);
    const resultsOf = (origin = metadata.attachment_origin?.[0]): Results | null =>
      origin === undefined ? null : entryOf(all, origin);
    for (const result of spec.testResults ?? [])
      addResult(resultsOf(result.attachment_origin), result);
    for (const error of 'generalErrors' in fact ? fact.generalErrors : []) {
      resultsOf(error.attachment_origin)?.errors.push(bounded(error));
    }
  }
  return all;
}

function entryOf(all: Map<AttachmentId, Results>, attachmentId: AttachmentId): Results {
  const found = all.get(attachmentId) ?? { tests: [], errors: [] };
  all.set(attachmentId, found);
  return found;
}

function addResult(
  found: Results | null,
  { name, suite, status, errorsList = [] }: TestResult,
): void {
  const isExecuted = status !== 'SKIPPED';
  found?.tests.push({ name, isExecuted, ...(suite === undefined ? {} : { suite }) });
  // A list has as many as its sender likes; as arguments they would end the stack.
  found?.errors.push(...errorsList.slice(0, GENERAL_ERRORS_LIMITS.errors).map(bounded));
}

const bounded = ({ message, timestamp }: GeneralError): GeneralError => ({
  message: cutText(message, GENERAL_ERRORS_LIMITS.messageLength),
  ...(timestamp === undefined ? {} : { timestamp }),
});
