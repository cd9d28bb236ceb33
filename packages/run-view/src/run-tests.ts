/** Counts of the tests of a run, folded from its events. */
import type { AttachmentId, RunEventOf, TestResult } from '@tutti/manifests';
import { factOf } from '@tutti/workflow/facts';
import {
  addCounts,
  NO_TESTS,
  type ResultsOrigin,
  type TestCounts,
  TestTally,
} from './test-tally.ts';

type NotificationMetadata = RunEventOf<'Notification'>['metadata'];

interface AttachedFile {
  /** The files of one attempt of a step belong together and have one key. */
  readonly step: string;
  /** Number of the step's first file among all files of the run. */
  readonly order: number;
  readonly type: string;
}

export interface RunTests {
  readonly tally: TestTally;
  readonly attachments: ReadonlyMap<AttachmentId, AttachedFile>;
  /** Function and test of the steps that have them, by job key and step id, joined by a slash. */
  readonly references: ReadonlyMap<string, string>;
  /** Attempts of judged steps that run again, by job id and step id. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Counts so far of reports that are being read: a large report arrives in pieces. */
  readonly readings: ReadonlyMap<AttachmentId, TestCounts>;
}

export const NO_RUN_TESTS: RunTests = {
  tally: new TestTally(),
  attachments: new Map(),
  references: new Map(),
  attempts: new Map(),
  readings: new Map(),
};

export function filesAttached(
  tests: RunTests,
  event: RunEventOf<'ExecutionResult' | 'WorkflowResult'>,
): RunTests {
  const found = Object.values(event.metadata.attachments ?? {});
  if (found.length === 0) return tests;
  const attachments = new Map(tests.attachments);
  const stepKey = stepOf(event);
  const step = `${stepKey} ${tests.attempts.get(stepKey) ?? 1}`;
  const order =
    [...attachments.values()].find((one) => one.step === step)?.order ?? attachments.size;
  for (const { uuid, type = '' } of found) attachments.set(uuid, { step, order, type });
  return { ...tests, attachments };
}

/** Uploads name the job alone. */
function stepOf(event: RunEventOf<'ExecutionResult' | 'WorkflowResult'>): string {
  const { job_id: job, creationTimestamp: at } = event.metadata;
  if (event.kind === 'WorkflowResult') return `${job} ${at}`;
  return `${job} ${event.metadata.step_origin[0] ?? event.metadata.step_id}`;
}

export function functionCalled(
  tests: RunTests,
  jobKey: string,
  event: RunEventOf<'ProviderCommand'>,
): RunTests {
  const { metadata, step } = event;
  if ((metadata.step_origin ?? []).length > 0) return tests;
  const inputs: { readonly test?: unknown } = typeof step.with === 'object' ? { ...step.with } : {};
  const test = typeof inputs.test === 'string' ? inputs.test : '';
  // The version does not change which test runs.
  const reference = `${step.uses.split('@')[0]}/${test}`;
  const key = `${jobKey}/${metadata.step_id}`;
  const references = new Map(tests.references).set(key, reference);
  const { attempt } = factOf(event);
  if (attempt === 1) return { ...tests, references };
  const attempts = new Map(tests.attempts);
  attempts.set(`${metadata.job_id} ${metadata.step_id}`, attempt);
  return { ...tests, references, attempts };
}

/** Distinguishes test cases like the server, as far as events allow. */
export function resultsShown(
  tests: RunTests,
  jobKey: string,
  { metadata, spec }: RunEventOf<'Notification'>,
): RunTests {
  const step = metadata.step_origin?.[0] ?? metadata.step_id ?? '';
  const reference = tests.references.get(`${jobKey}/${step}`);
  const originOf = (result: TestResult): ResultsOrigin => {
    const attachment = tests.attachments.get(result.attachment_origin);
    const scope = `${jobKey}/${reference ?? attachment?.type ?? ''}`;
    return { scope, order: attachment?.order ?? 0 };
  };
  const tally = tests.tally.add(spec.testResults ?? [], originOf);
  const report = reportOf(metadata);
  const before = report === null ? undefined : tests.readings.get(report);
  if (report === null || before === undefined) return { ...tests, tally };
  const readings = new Map(tests.readings).set(report, addCounts(before, tally.added));
  return { ...tests, tally, readings };
}

/** A worker began or ended; after a crash of the server it may begin again. */
export function workerShown(
  tests: RunTests,
  { metadata, spec }: RunEventOf<'Notification'>,
): RunTests {
  const report = reportOf(metadata);
  if (report === null || spec.worker === undefined) return tests;
  const readings = new Map(tests.readings);
  if (spec.worker.status === 'teardown') readings.delete(report);
  else readings.set(report, readings.get(report) ?? NO_TESTS);
  return { ...tests, readings };
}

/** Counts to show now. A report is shown as a whole, when its last piece has arrived. */
export function countsShown(
  before: RunTests,
  { metadata, spec }: RunEventOf<'Notification'>,
  after: RunTests,
): TestCounts {
  const report = reportOf(metadata);
  const read = report === null ? undefined : before.readings.get(report);
  if (spec.worker?.status === 'teardown') return read ?? NO_TESTS;
  return spec.testResults === undefined || read !== undefined ? NO_TESTS : after.tally.added;
}

const reportOf = ({ attachment_origin: [id] = [] }: NotificationMetadata): AttachmentId | null =>
  id ?? null;
