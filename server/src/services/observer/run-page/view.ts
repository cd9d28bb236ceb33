/** `GET /workflows/{workflow_id}/view`: a run as its page shows it, in one answer. */
import { type JobId, type Status, status, type WorkflowId } from '@tutti/manifests';
import { type RunDocument, runDocument, type TestNumbers } from '@tutti/run-view';
import type { Store } from '../../../store/store.ts';
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
  readonly store: Pick<Store, 'testCaseSummary' | 'log' | 'logPlace'>;
  readonly stories: RunStories;
}

export async function viewOf(
  { store, stories }: ViewDeps,
  { workflowId, at, parent, depth }: ViewQuestion,
): Promise<Status> {
  const { seq, total, story } = await stories.upTo(workflowId, at);
  const tests = seq === total ? await testsByJob(store, workflowId) : null;
  const document = runDocument(story, { parent, depth, tests });
  const line = await lineOf({ store, workflowId }, document.failures[0]);
  const name = `Workflow ${story.view.name}`;
  return status('OK', name, { seq, total, failure_line: line, ...document });
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
  failure: RunDocument['failures'][number] | undefined,
): Promise<number | null> {
  const { job_id: jobId = null, at = null } = failure ?? {};
  const log = await source.store.logPlace(source.workflowId, 0);
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
