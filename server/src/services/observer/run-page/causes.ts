/** `GET /workflows/{workflow_id}/causes`: the failed test cases of a run, those that look alike in one group. */
import { createHash } from 'node:crypto';
import { formatTimestamp, type Status, status } from '@tutti/manifests';
import { type Cause, CauseFinder, failureOf, fingerprintKey } from '@tutti/test-history';
import type { Store, WorkflowRow } from '../../../store/store.ts';
import { CAUSE_LIMITS } from '../run-page-limits.ts';
import { eachTestCase, type TestCaseStore } from './each-test-case.ts';

/** A failed test case, as far as an answer names it. */
interface Failed {
  readonly id: string;
  readonly job: string;
  readonly suite: string;
  readonly name: string;
}

type CauseStore = TestCaseStore & Pick<Store, 'runProject' | 'knownCauses'>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export async function causesOfRun(store: CauseStore, row: WorkflowRow): Promise<Status> {
  const finder = new CauseFinder(sha256);
  const failed: Failed[] = [];
  await eachTestCase(store, row.workflowId, ({ metadata: { id }, test, execution }) => {
    if (test.outcome !== 'failure' && test.outcome !== 'error') return;
    failed.push({ id, job: test.job, suite: test.suiteName, name: test.testCaseName });
    finder.add(failureOf(execution));
  });
  const { causes } = finder;
  const known = await knownOf(store, row, causes);
  const items = causes.map(({ title, fingerprints, failures }, at) => ({
    id: fingerprints[0],
    title,
    failures: failures.length,
    known: known[at] ?? null,
    tests: failures.slice(0, CAUSE_LIMITS.tests).map((index) => failed[index]),
  }));
  return status('OK', `${failed.length} failures, ${items.length} causes`, {
    failures: failed.length,
    ungrouped: finder.ungrouped,
    items,
  });
}

/** Since when causes are known over all runs, in their order. Nothing is known of a run that was not folded. */
async function knownOf(
  store: CauseStore,
  { workflowId, namespace }: WorkflowRow,
  causes: readonly Cause[],
) {
  const project = causes.length === 0 ? null : await store.runProject(workflowId);
  if (project === null) return [];
  const keys = causes.map(({ fingerprints: [first = ''] }) =>
    fingerprintKey({ namespace, project }, first, sha256),
  );
  const stored = await store.knownCauses(keys, keys.length);
  const byKey = new Map(stored.map((each) => [each.key, each]));
  return keys.map((key) => {
    const found = byKey.get(key);
    if (found === undefined) return null;
    const { id, sinceWorkflowId, sinceMs } = found;
    return {
      cause_id: id,
      isNew: sinceWorkflowId === workflowId,
      since: { workflow_id: sinceWorkflowId, at: formatTimestamp(sinceMs) },
    };
  });
}
