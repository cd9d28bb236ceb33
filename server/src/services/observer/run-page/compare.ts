/** `GET /workflows/{workflow_id}/compare`: the test cases whose results differ between two runs. */
import { type Status, status, type WorkflowId } from '@tutti/manifests';
import type { TestCaseManifest } from '@tutti/workflow';
import { COMPARE_LIMITS } from '../run-page-limits.ts';
import { eachTestCase, type TestCaseStore } from './each-test-case.ts';

type Outcome = TestCaseManifest['test']['outcome'];

interface Result {
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly duration: number;
}

/** A row of a list. Null for a run without the test case. */
interface Row {
  readonly job: string;
  readonly suite: string;
  readonly name: string;
  readonly before: Result | null;
  readonly after: Result | null;
}

interface Rows {
  readonly items: Row[];
  total: number;
}

type ListName = 'newly_failed' | 'fixed' | 'still_failing' | 'new' | 'gone' | 'slower';

const empty = (): Rows => ({ items: [], total: 0 });

/** `before` is the earlier run, with which the other one is compared. */
export async function compareTests(
  store: TestCaseStore,
  { before, after }: { readonly before: WorkflowId; readonly after: WorkflowId },
): Promise<Status> {
  const earlier = new Map<string, Result>();
  await eachCase(store, before, (key, result) => earlier.set(key, result));
  const lists: Readonly<Record<ListName, Rows>> = {
    newly_failed: empty(),
    fixed: empty(),
    still_failing: empty(),
    new: empty(),
    gone: empty(),
    slower: empty(),
  };
  const add = (list: ListName | null, key: string, results: Pick<Row, 'before' | 'after'>) => {
    if (list === null) return;
    const { items } = lists[list];
    lists[list].total += 1;
    if (items.length < COMPARE_LIMITS.rows) items.push({ ...partsOf(key), ...results });
  };
  await eachCase(store, after, (key, result) => {
    const other = earlier.get(key) ?? null;
    earlier.delete(key);
    add(listOf(other, result), key, { before: other, after: result });
  });
  for (const [key, result] of earlier) add('gone', key, { before: result, after: null });
  return status('OK', 'Test cases of two workflows', { before, after, ...lists });
}

function eachCase(
  store: TestCaseStore,
  workflowId: WorkflowId,
  take: (key: string, result: Result) => void,
): Promise<void> {
  return eachTestCase(store, workflowId, ({ test, execution }) => {
    const key = JSON.stringify([test.job, test.suiteName, test.testCaseName]);
    take(key, { outcome: test.outcome, duration: execution.duration ?? 0 });
  });
}

/** The name of a test case in both runs. */
function partsOf(key: string): Pick<Row, 'job' | 'suite' | 'name'> {
  const [job, suite, name]: [string, string, string] = JSON.parse(key);
  return { job, suite, name };
}

const hasFailed = ({ outcome }: Result): boolean => outcome === 'failure' || outcome === 'error';

/** Null for a test case that is as it was. */
function listOf(before: Result | null, after: Result): ListName | null {
  if (before === null) return hasFailed(after) ? 'newly_failed' : 'new';
  if (hasFailed(after)) return hasFailed(before) ? 'still_failing' : 'newly_failed';
  if (hasFailed(before)) return 'fixed';
  const more = after.duration - before.duration;
  const isSlower = more > COMPARE_LIMITS.slowerMs && more > before.duration * COMPARE_LIMITS.slower;
  return isSlower ? 'slower' : null;
}
