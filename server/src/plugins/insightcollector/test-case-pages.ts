/** The test cases of a run, one after the other; everything else has its turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkflowId } from '@tutti/manifests';
import { presentTestCase, type TestCaseManifest } from '@tutti/workflow';
import type { Store, StoredTestCase } from '../../store/store.ts';
import { COLLECTOR_LIMITS } from './limits.ts';

/** Test cases that exist at the first read: while a run goes on others may follow without end. */
export async function* testCasePages(
  store: Pick<Store, 'testCases'>,
  workflowId: WorkflowId,
): AsyncGenerator<readonly StoredTestCase[]> {
  let end = Number.POSITIVE_INFINITY;
  for (let offset = 0; offset < end; await nextTurn()) {
    const limit = Math.min(COLLECTOR_LIMITS.testCasesSlice, end - offset);
    const { items, total } = await store.testCases(workflowId, offset, limit);
    if (items.length === 0) return;
    yield items;
    end = Math.min(end, total);
    offset += items.length;
  }
}

export function presented({ json, executions, history }: StoredTestCase): TestCaseManifest {
  return presentTestCase(
    JSON.parse(json),
    executions,
    history.map((each) => JSON.parse(each)),
  );
}
