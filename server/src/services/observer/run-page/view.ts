/** `GET /workflows/{workflow_id}/view`: a run as its page shows it, in one answer. */
import { type JobId, type Status, status, type WorkflowId } from '@tutti/manifests';
import { runDocument, type TestNumbers } from '@tutti/run-view';
import type { Store } from '../../../store/store.ts';
import type { RunStories } from './run-stories.ts';

export interface ViewQuestion {
  readonly workflowId: WorkflowId;
  /** Number of the last event; null for all. */
  readonly at: number | null;
  readonly parent: string | null;
  readonly depth: number | null;
}

export interface ViewDeps {
  readonly store: Pick<Store, 'testCaseSummary'>;
  readonly stories: RunStories;
}

export async function viewOf(
  { store, stories }: ViewDeps,
  { workflowId, at, parent, depth }: ViewQuestion,
): Promise<Status> {
  const { seq, total, story } = await stories.upTo(workflowId, at);
  const tests = seq === total ? await testsByJob(store, workflowId) : null;
  const document = runDocument(story, { parent, depth, tests });
  return status('OK', `Workflow ${story.view.name}`, { seq, total, ...document });
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
