/** `GET /workflows/{workflow_id}/causes`: the failed test cases of a run, those that look alike in one group. */
import { createHash } from 'node:crypto';
import { type Status, status, type WorkflowId } from '@tutti/manifests';
import { CauseFinder, failureOf } from '@tutti/test-history';
import { CAUSE_LIMITS } from '../run-page-limits.ts';
import { eachTestCase, type TestCaseStore } from './each-test-case.ts';

/** A failed test case, as far as an answer names it. */
interface Failed {
  readonly id: string;
  readonly job: string;
  readonly suite: string;
  readonly name: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export async function causesOfRun(store: TestCaseStore, workflowId: WorkflowId): Promise<Status> {
  const finder = new CauseFinder(sha256);
  const failed: Failed[] = [];
  await eachTestCase(store, workflowId, ({ metadata: { id }, test, execution }) => {
    if (test.outcome !== 'failure' && test.outcome !== 'error') return;
    failed.push({ id, job: test.job, suite: test.suiteName, name: test.testCaseName });
    finder.add(failureOf(execution));
  });
  const items = finder.causes.map(({ title, fingerprints, failures }) => ({
    id: fingerprints[0],
    title,
    failures: failures.length,
    tests: failures.slice(0, CAUSE_LIMITS.tests).map((at) => failed[at]),
  }));
  return status('OK', `${failed.length} failures, ${items.length} causes`, {
    failures: failed.length,
    ungrouped: finder.ungrouped,
    items,
  });
}
