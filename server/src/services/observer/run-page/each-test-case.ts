/** Reads all test cases of a run, for answers about them as a whole. */
import { OrchestratorError, type WorkflowId } from '@tutti/manifests';
import type { TestCaseManifest } from '@tutti/workflow';
import { nextTurn, Turns } from '../../../runtime/turns.ts';
import type { Store } from '../../../store/store.ts';
import { WHOLE_RUN_LIMITS } from '../run-page-limits.ts';

export type TestCaseStore = Pick<Store, 'testCaseManifests' | 'testCaseSummary'>;

const READ_SIZE = 500;

/** Throws `Invalid` for a run with too many of them. */
export async function eachTestCase(
  store: TestCaseStore,
  workflowId: WorkflowId,
  take: (testCase: TestCaseManifest) => void,
): Promise<void> {
  const turns = new Turns();
  await refuseTooMany(store, workflowId);
  for (let at = 0; ; ) {
    const texts = await store.testCaseManifests(workflowId, at, READ_SIZE);
    for (const text of texts) {
      take(JSON.parse(text));
      if (turns.isOver) await turns.next();
    }
    at += texts.length;
    if (texts.length === 0) return;
    await nextTurn();
  }
}

async function refuseTooMany(store: TestCaseStore, workflowId: WorkflowId): Promise<void> {
  const counts = await store.testCaseSummary(workflowId);
  const cases = counts.reduce((sum, { count }) => sum + count, 0);
  if (cases <= WHOLE_RUN_LIMITS.cases) return;
  throw new OrchestratorError(
    'Invalid',
    `Workflow ${workflowId} has ${cases} test cases. This is answered for workflows with up to ${WHOLE_RUN_LIMITS.cases}.`,
  );
}
