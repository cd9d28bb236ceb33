/** Jobs and tags, as data sources show them, with the counts of their test cases (specification 2.7, 2.8). */
import type { JobId } from '@tutti/manifests';
import {
  addOutcome,
  type JobManifest,
  NO_TESTS,
  type TestCounts,
  tagManifests,
  testOfManifest,
  withTestCounts,
} from '@tutti/workflow';
import { pageLength } from '../../http/answer-memory.ts';
import { Turns } from '../../runtime/turns.ts';
import type { Store, StoredTestCase } from '../../store/store.ts';
import type { ItemPage, ItemQuery } from './item-query.ts';
import { scan } from './test-case-items.ts';

type ReadableStore = Pick<Store, 'testCases' | 'testCaseSummary' | 'jobs'>;

export async function readJobs(store: ReadableStore, query: ItemQuery): Promise<ItemPage> {
  const { takes, offset, limit } = query;
  const counts = await readCounts(store, query);
  const count = pageLength(query);
  const texts: string[] = [];
  let total = 0;
  let hasData = false;
  for await (const job of jobsOf(store, query)) {
    hasData = true;
    const counted = withTestCounts(job, counts.get(job.metadata.id) ?? NO_TESTS);
    if (takes?.(counted) === false) continue;
    if (total >= offset && total < offset + limit) {
      const text = JSON.stringify(counted);
      count(text);
      texts.push(text);
    }
    total += 1;
  }
  return { texts, total, hasMore: false, hasData };
}

export async function readTags(store: ReadableStore, query: ItemQuery): Promise<ItemPage> {
  const { takes, offset, limit } = query;
  const jobs: JobManifest[] = [];
  for await (const job of jobsOf(store, query)) jobs.push(job);
  const tags = tagManifests(jobs, await readCounts(store, query));
  const taken = takes === null ? tags : tags.filter(takes);
  return {
    texts: taken.slice(offset, offset + limit).map((tag) => JSON.stringify(tag)),
    total: taken.length,
    hasMore: false,
    // If no job has tags, the list exists and is empty.
    hasData: jobs.length > 0,
  };
}

async function* jobsOf(
  store: ReadableStore,
  { workflowId }: ItemQuery,
): AsyncGenerator<JobManifest> {
  const turns = new Turns();
  for (const { json } of await store.jobs(workflowId)) {
    yield JSON.parse(json);
    if (turns.isOver) await turns.next();
  }
}

async function readCounts(
  store: ReadableStore,
  { workflowId, scope }: ItemQuery,
): Promise<ReadonlyMap<JobId, TestCounts>> {
  const counts = new Map<JobId, TestCounts>();
  const add = (jobId: JobId, outcome: StoredTestCase['outcome'], count: number): void => {
    counts.set(jobId, addOutcome(counts.get(jobId) ?? NO_TESTS, outcome, count));
  };
  if (scope === null) {
    const summaries = await store.testCaseSummary(workflowId);
    for (const { jobId, outcome, count } of summaries) add(jobId, outcome, count);
    return counts;
  }
  const turns = new Turns();
  for await (const slice of scan(store, workflowId, 0)) {
    for (const { json, jobId, outcome } of slice) {
      if (scope(testOfManifest(json))) add(jobId, outcome, 1);
      if (turns.isOver) await turns.next();
    }
  }
  return counts;
}
