/** Pages of test cases, as data sources show them. They have their executions in this run and in earlier ones (specification 2.6). */
import type { WorkflowId } from '@tutti/manifests';
import type { Selector } from '@tutti/selectors';
import {
  earlierRunExecution,
  presentTestCase,
  type TestCaseManifest,
  testOfManifest,
} from '@tutti/workflow';
import { pageLength } from '../../http/answer-memory.ts';
import { nextTurn, Turns } from '../../runtime/turns.ts';
import type { EarlierExecution, Store, StoredTestCase } from '../../store/store.ts';
import type { ItemPage, ItemQuery } from './item-query.ts';

type TestCaseStore = Pick<Store, 'testCases' | 'earlierExecutions'>;

type EarlierByPlace = ReadonlyMap<number, readonly EarlierExecution[]>;

/** Test cases that are read at a time; the event loop runs in between. */
const SCAN_SIZE = 500;
/** Least number of test cases to check for one page: some hundredths of a second. */
const COUNTED_MAX = 2_000;
/** Test cases of a page that are read at a time: each may have a hundred executions. */
const READ_SIZE = 100;
const NO_EARLIER: EarlierByPlace = new Map();

export async function readTestCases(store: TestCaseStore, query: ItemQuery): Promise<ItemPage> {
  const { workflowId, offset, limit } = query;
  if (query.scope !== null || query.takes !== null) return readChosen(store, query);
  const count = pageLength(query);
  const items: StoredTestCase[] = [];
  for (let total = Number.POSITIVE_INFINITY; ; ) {
    const at = offset + items.length;
    const length = Math.min(READ_SIZE, offset + limit - at, total - at);
    if (length <= 0) {
      const texts = await presented(store, query, items);
      return { texts, total, hasMore: false, hasData: total > 0 };
    }
    const page = await store.testCases(workflowId, at, length);
    total = page.total;
    for (const stored of page.items) countTexts(stored, count);
    items.push(...page.items);
  }
}

function countTexts({ json, history }: StoredTestCase, count: (text: string) => void): void {
  count(json);
  history.forEach(count);
}

/** Whether the selector needs earlier executions, which are otherwise read only for the items of a page. */
export function looksAtExecutions({ conditions }: Selector): boolean {
  return conditions.some(({ path: [first, second] }) =>
    first === 'metadata' ? second === 'executions' : first === 'executionHistory',
  );
}

/**
 * A page that scope and selector select. It counts on for a while, so that most listings have a last page. Counting a million
 * test cases for each page would take seconds.
 */
async function readChosen(store: TestCaseStore, query: ItemQuery): Promise<ItemPage> {
  const { workflowId, offset, limit, places } = query;
  const start = places?.find(offset) ?? null;
  const end = offset + limit;
  const page: StoredTestCase[] = [];
  const count = pageLength(query);
  let total = start === null ? 0 : offset;
  let looked = 0;
  const turns = new Turns();
  const answer = async (hasMore: boolean): Promise<ItemPage> => ({
    texts: await presented(store, query, page),
    total,
    hasMore,
    hasData: start !== null || looked > 0,
  });
  for await (const slice of scan(store, workflowId, start ?? 0)) {
    const earlier = query.looksAtExecutions
      ? await earlierOf(store, workflowId, slice)
      : NO_EARLIER;
    for (const stored of slice) {
      looked += 1;
      if (turns.isOver) await turns.next();
      if (!isChosen(stored, query, earlier)) continue;
      if (total === end) places?.remember(end, stored.place);
      if (total >= offset && total < end) {
        countTexts(stored, count);
        page.push(stored);
      }
      total += 1;
      if (total > end && looked >= COUNTED_MAX) return answer(true);
    }
  }
  return answer(false);
}

/** Scopes do not look at other executions. */
function isChosen(
  stored: StoredTestCase,
  { scope, takes }: ItemQuery,
  earlier: EarlierByPlace,
): boolean {
  if (scope?.(testOfManifest(stored.json)) === false) return false;
  return takes === null || takes(present(parse(stored.json), stored, earlier));
}

/** Slices of the test cases of a run from a place on. */
export async function* scan(
  store: Pick<Store, 'testCases'>,
  workflowId: WorkflowId,
  start: number,
): AsyncGenerator<readonly StoredTestCase[]> {
  for (let offset = start; ; ) {
    const { items, total } = await store.testCases(workflowId, offset, SCAN_SIZE);
    yield items;
    offset += items.length;
    if (items.length === 0 || offset >= total) return;
    await nextTurn();
  }
}

async function presented(
  store: TestCaseStore,
  query: ItemQuery,
  items: readonly StoredTestCase[],
): Promise<readonly string[]> {
  const earlier = await earlierOf(store, query.workflowId, items);
  const count = pageLength(query);
  const turns = new Turns();
  const texts: string[] = [];
  for (const stored of items) {
    const text = JSON.stringify(present(parse(stored.json), stored, earlier));
    count(text);
    texts.push(text);
    if (turns.isOver) await turns.next();
  }
  return texts;
}

async function earlierOf(
  store: TestCaseStore,
  workflowId: WorkflowId,
  items: readonly StoredTestCase[],
): Promise<EarlierByPlace> {
  const places = items.map(({ place }) => place);
  if (places.length <= READ_SIZE) return await store.earlierExecutions(workflowId, places);
  const all = new Map<number, readonly EarlierExecution[]>();
  for (let start = 0; start < places.length; start += READ_SIZE) {
    const some = await store.earlierExecutions(workflowId, places.slice(start, start + READ_SIZE));
    for (const [place, executions] of some) all.set(place, executions);
    await nextTurn();
  }
  return all;
}

function present(
  newest: TestCaseManifest,
  { executions, history, place }: StoredTestCase,
  earlier: EarlierByPlace,
): TestCaseManifest {
  const ofEarlierRuns = (earlier.get(place) ?? []).map(earlierRunExecution);
  return presentTestCase(newest, executions, history.map(parse), ofEarlierRuns);
}

function parse(json: string): TestCaseManifest {
  return JSON.parse(json);
}
