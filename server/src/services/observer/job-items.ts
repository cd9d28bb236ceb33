/** Jobs and tags, as data sources show them, with the counts of their test cases (specification 2.7, 2.8). */
import type { JobId } from '@tutti/manifests';
import {
  addOutcome,
  type JobManifest,
  NO_TESTS,
  type TagManifest,
  type TestCounts,
  tagManifests,
  testOfManifest,
  withTestCounts,
} from '@tutti/workflow';
import type { Store, StoredTestCase } from '../../store/store.ts';
import { type ItemPage, type ItemQuery, pageLength } from './item-query.ts';
import { scan } from './test-case-items.ts';

type ReadableStore = Pick<Store, 'testCases' | 'testCaseSummary' | 'jobs'>;

export async function readJobs(store: ReadableStore, query: ItemQuery): Promise<ItemPage> {
  const { jobs, counts } = await readCountedJobs(store, query);
  const counted = jobs.map((job) => withTestCounts(job, counts.get(job.metadata.id) ?? NO_TESTS));
  const page = pageOf(counted, query);
  const count = pageLength(query);
  for (const item of page.items) count(JSON.stringify(item));
  return page;
}

export async function readTags(store: ReadableStore, query: ItemQuery): Promise<ItemPage> {
  const { jobs, counts } = await readCountedJobs(store, query);
  const tags: readonly TagManifest[] = tagManifests(jobs, counts);
  // A run whose jobs have no tags has tags all the same: none.
  return { ...pageOf(tags, query), hasData: jobs.length > 0 };
}

function pageOf(all: readonly object[], { takes, offset, limit }: ItemQuery): ItemPage {
  const taken = takes === null ? all : all.filter(takes);
  return {
    items: taken.slice(offset, offset + limit),
    total: taken.length,
    hasMore: false,
    hasData: all.length > 0,
  };
}

interface CountedJobs {
  readonly jobs: readonly JobManifest[];
  readonly counts: ReadonlyMap<JobId, TestCounts>;
}

async function readCountedJobs(store: ReadableStore, query: ItemQuery): Promise<CountedJobs> {
  const rows = await store.jobs(query.workflowId);
  const jobs = rows.map(({ json }): JobManifest => JSON.parse(json));
  return { jobs, counts: await readCounts(store, query) };
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
  for await (const slice of scan(store, workflowId, 0)) {
    for (const { json, jobId, outcome } of slice) {
      if (scope(testOfManifest(json))) add(jobId, outcome, 1);
    }
  }
  return counts;
}
