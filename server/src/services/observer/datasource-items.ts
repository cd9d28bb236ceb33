/** The items of data sources, read from the store (specification 2.6 to 2.8). */
import type { JobId, WorkflowId } from '@tutti/manifests';
import {
  addOutcome,
  type JobManifest,
  NO_TESTS,
  presentTestCase,
  type TagManifest,
  type TestCaseManifest,
  type TestCounts,
  tagManifests,
  withTestCounts,
} from '@tutti/workflow';
import type { Store, StoredTestCase } from '../../store/store.ts';
import type { PlacesOfQuestion } from './page-places.ts';

/** What one request chooses: `offset` and `limit` count the items that `takes` lets through. */
export interface ItemQuery {
  readonly workflowId: WorkflowId;
  /** On test cases; null for all of them. */
  readonly scope: ((testCase: TestCaseManifest) => boolean) | null;
  /** On the items themselves; null for all of them. */
  readonly takes: ((item: object) => boolean) | null;
  readonly offset: number;
  readonly limit: number;
  /** Where pages of chosen test cases begin; null where that is not remembered. */
  readonly places: PlacesOfQuestion | null;
}

export interface ItemPage {
  readonly items: readonly object[];
  /** Of all pages; where `hasMore`, those that were counted. */
  readonly total: number;
  /** True when there are more items than this page and those before, and not all of them were counted. */
  readonly hasMore: boolean;
  /** False when the data source is empty for want of data, and not because everything was filtered out. */
  readonly hasData: boolean;
}

type ReadableStore = Pick<Store, 'testCases' | 'testCaseSummary' | 'jobs'>;

/** Test cases that are read at a time; the event loop runs in between. */
const SCAN_SIZE = 500;
/** Test cases that are looked at for one page at least, unless there are fewer: some hundredths of a second. */
const COUNTED_MAX = 2_000;

export async function readTestCases(store: ReadableStore, query: ItemQuery): Promise<ItemPage> {
  const { workflowId, offset, limit } = query;
  if (query.scope === null && query.takes === null) {
    const page = await store.testCases(workflowId, offset, limit);
    const items = page.items.map(present);
    return { items, total: page.total, hasMore: false, hasData: page.total > 0 };
  }
  return readChosen(store, query);
}

/**
 * A page of what scope and selector let through. Beyond the page it counts on for a while, so that most listings have a last page;
 * counting through a million test cases for each page would take seconds.
 */
async function readChosen(store: ReadableStore, query: ItemQuery): Promise<ItemPage> {
  const { workflowId, offset, limit, places } = query;
  const start = places?.find(offset) ?? null;
  const end = offset + limit;
  const items: object[] = [];
  let total = start === null ? 0 : offset;
  let looked = 0;
  for await (const stored of scan(store, workflowId, start ?? 0)) {
    looked += 1;
    const testCase = chosen(stored, query);
    if (testCase === null) continue;
    if (total === end) places?.remember(end, (start ?? 0) + looked - 1);
    if (total >= offset && total < end) items.push(testCase);
    total += 1;
    if (total > end && looked >= COUNTED_MAX) return { items, total, hasMore: true, hasData: true };
  }
  return { items, total, hasMore: false, hasData: start !== null || looked > 0 };
}

/** The test case as it is shown; null when it is not let through. Scopes do not look at its history. */
function chosen(stored: StoredTestCase, { scope, takes }: ItemQuery): TestCaseManifest | null {
  const newest = parse(stored.json);
  if (scope?.(newest) === false) return null;
  const testCase = presentTestCase(newest, stored.executions, stored.history.map(parse));
  return takes?.(testCase) === false ? null : testCase;
}

export async function readJobs(store: ReadableStore, query: ItemQuery): Promise<ItemPage> {
  const { jobs, counts } = await readCountedJobs(store, query);
  const counted = jobs.map((job) => withTestCounts(job, counts.get(job.metadata.id) ?? NO_TESTS));
  return pageOf(counted, query);
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
  for await (const stored of scan(store, workflowId, 0)) {
    if (scope(parse(stored.json))) add(stored.jobId, stored.outcome, 1);
  }
  return counts;
}

async function* scan(
  store: ReadableStore,
  workflowId: WorkflowId,
  start: number,
): AsyncGenerator<StoredTestCase> {
  for (let offset = start; ; offset += SCAN_SIZE) {
    const { items } = await store.testCases(workflowId, offset, SCAN_SIZE);
    yield* items;
    if (items.length < SCAN_SIZE) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function present({ json, executions, history }: StoredTestCase): TestCaseManifest {
  return presentTestCase(parse(json), executions, history.map(parse));
}

function parse(json: string): TestCaseManifest {
  return JSON.parse(json);
}
