/** `GET /workflows/{workflow_id}/view`: a run as its page shows it, in one answer. */
import { type JobId, type Status, status, type WorkflowId } from '@tutti/manifests';
import { type RunDocument, runDocument, type TestNumbers } from '@tutti/run-view';
import type { TestCaseManifest } from '@tutti/workflow';
import type { LogPlace, Store } from '../../../store/store.ts';
import { createLineFilter, type LogSource, lineAfter, linesFrom, placeOf } from './log-lines.ts';
import type { RunStories } from './run-stories.ts';

export interface ViewQuestion {
  readonly workflowId: WorkflowId;
  /** Number of the last event; null for all. */
  readonly at: number | null;
  readonly parent: string | null;
  readonly depth: number | null;
}

export interface ViewDeps {
  readonly store: Pick<Store, 'testCaseSummary' | 'testCaseManifests' | 'log' | 'logPlace'>;
  readonly stories: RunStories;
}

export async function viewOf(
  { store, stories }: ViewDeps,
  { workflowId, at, parent, depth }: ViewQuestion,
): Promise<Status> {
  const { seq, total, story } = await stories.upTo(workflowId, at);
  const tests = seq === total ? await testsByJob(store, workflowId) : null;
  const document = runDocument(story, { parent, depth, tests });
  const [first] = document.failures;
  const log = await store.logPlace(workflowId, 0);
  const line = await lineOf({ store, workflowId }, log, first);
  const test = tests === null ? null : await failedTest({ store, workflowId }, tests, first);
  const name = `Workflow ${story.view.name}`;
  return status('OK', name, {
    ...{ seq, total, log_bytes: log?.bytes ?? 0, failure_line: line, failure_test: test },
    ...document,
  });
}

/** Counts of the present: the store has none of earlier moments. */
async function testsByJob(
  store: ViewDeps['store'],
  workflowId: WorkflowId,
): Promise<ReadonlyMap<JobId, TestNumbers>> {
  const byJob = new Map<JobId, TestNumbers>();
  for (const { jobId, outcome, count } of await store.testCaseSummary(workflowId)) {
    const known = byJob.get(jobId) ?? { success: 0, failure: 0, error: 0, skipped: 0 };
    byJob.set(jobId, { ...known, [outcome]: known[outcome] + count });
  }
  return byJob;
}

/** Lines before its end in which a failed step is looked for: other jobs print meanwhile. */
const NEAR_LINES = 500;

/** The last line of the failed step in the log; null where that is not known. */
async function lineOf(
  source: LogSource,
  log: LogPlace | null,
  failure: RunDocument['failures'][number] | undefined,
): Promise<number | null> {
  const { job_id: jobId = null, at = null } = failure ?? {};
  if (jobId === null || at === null || log === null || log.lines === null) return null;
  const end = await lineAfter(source, at);
  const isOfJob = createLineFilter({ jobId, since: null, until: null });
  const begin = Math.max(1, end - NEAR_LINES);
  let last: number | null = null;
  for await (const lines of linesFrom(source, await placeOf(source, begin), log.bytes)) {
    for (const line of lines) {
      if (line.number >= end) return last;
      if (line.number >= begin && isOfJob(line)) last = line.number;
    }
  }
  return last;
}

/** Test cases that are looked at for the first failed one, some milliseconds. */
const LOOKED_AT = 2_000;
const READ_SIZE = 500;

/** The first failed test case of the job that failed first; null if there is none among the first ones. */
async function failedTest(
  { store, workflowId }: { readonly store: ViewDeps['store']; readonly workflowId: WorkflowId },
  tests: ReadonlyMap<JobId, TestNumbers>,
  failure: RunDocument['failures'][number] | undefined,
) {
  const jobId = failure?.job_id as JobId | undefined;
  const counts = jobId === undefined ? undefined : tests.get(jobId);
  if (counts === undefined || counts.failure + counts.error === 0) return null;
  for (let at = 0; at < LOOKED_AT; at += READ_SIZE) {
    const texts = await store.testCaseManifests(workflowId, at, READ_SIZE);
    for (const text of texts) {
      const { metadata, test, execution, status: state }: TestCaseManifest = JSON.parse(text);
      if (metadata.job_id !== jobId || (state !== 'FAILURE' && state !== 'ERROR')) continue;
      const { message = '', text: report = '' } =
        execution.failureDetails ?? execution.errorDetails ?? {};
      return { suite: test.suiteName, name: test.testCaseName, message, text: report };
    }
    if (texts.length < READ_SIZE) return null;
  }
  return null;
}
