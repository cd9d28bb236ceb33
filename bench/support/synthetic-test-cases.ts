/** A run that is over, with many test cases, as a store has it. */
import type {
  AttachmentId,
  JobId,
  StepId,
  TestResult,
  TestResultStatus,
  Timestamp,
  WorkflowId,
} from '@tutti/manifests';
import {
  outcomeOf,
  resultPrecedence,
  type TestCaseManifest,
  type TestOrigin,
  testCaseKey,
  testCaseManifest,
} from '@tutti/workflow';
import type { Projection, Store, WorkflowRow } from '../../server/src/store/store.ts';
import { inTenths } from './tenths.ts';

const AT = '2026-01-31T12:00:00.000000' as Timestamp;
const RUN = {
  id: 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb' as WorkflowId,
  name: 'nightly',
  namespace: 'default',
};
const API_GROUP = 'opentestfactory.org';
/** The batch size of the report reader. */
const PORTION = 500;

const ORIGINS = ['junit', 'cypress', 'junit', 'robotframework'].map(originOf);
const STATUSES: readonly TestResultStatus[] = [
  'SUCCESS',
  'SUCCESS',
  'SKIPPED',
  'SUCCESS',
  'FAILURE',
];

function originOf(technology: string, index: number): TestOrigin {
  return {
    jobId: `job-${index}` as JobId,
    jobName: `job ${index}`,
    jobKey: `job-${index}`,
    runsOn: ['linux', technology],
    stepId: 's' as StepId,
    uses: `${technology}/execute@v1`,
    test: 'shop/src/test#cart',
    technology,
    managed: null,
    creationTimestamp: AT,
    startTime: AT,
    endTime: AT,
  };
}

function numbered<T>(list: readonly T[], number: number): T {
  const item = list[number % list.length];
  if (item === undefined) throw new Error('The list is empty.');
  return item;
}

function resultOf(number: number): TestResult {
  const suite = `com.acme.shop.cart.CartTest${number % 997}`;
  const status = numbered(STATUSES, number);
  const result = {
    id: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    name: `${suite}#adds item ${number}`,
    suite,
    duration: number % 1000,
    attachment_origin: '00000000-0000-7000-9000-000000000000' as AttachmentId,
  };
  if (status !== 'FAILURE') return { ...result, status };
  return { ...result, status, failureDetails: { message: `expected ${number}`, type: 'Error' } };
}

export function syntheticTestCase(number: number): TestCaseManifest {
  const [origin, result] = [numbered(ORIGINS, number), resultOf(number)];
  return testCaseManifest({ apiGroup: API_GROUP, workflow: RUN, origin, result });
}

const rowOf = (workflowId: WorkflowId, live: boolean): WorkflowRow => ({
  workflowId,
  name: RUN.name,
  namespace: RUN.namespace,
  status: live ? 'RUNNING' : 'DONE',
  live,
  workers: [],
  createdAt: AT,
  completedAt: live ? null : AT,
});

function projectionOf(
  workflowId: WorkflowId,
  numbers: readonly number[],
  isFirst: boolean,
): Projection {
  return {
    workflow: isFirst ? rowOf(workflowId, true) : null,
    logText: '',
    attachments: [],
    testCases: numbers.map((number) => {
      const [origin, result] = [numbered(ORIGINS, number), resultOf(number)];
      return {
        key: testCaseKey(origin, result),
        jobId: origin.jobId,
        precedence: resultPrecedence(0, result),
        outcome: outcomeOf(result.status),
        durationMs: result.duration,
        startedAt: origin.startTime,
        endedAt: origin.endTime,
        json: JSON.stringify(syntheticTestCase(number)),
      };
    }),
    jobs: [],
  };
}

interface WrittenCases {
  readonly count: number;
  readonly clockMs?: () => number;
  /** The number of a test case decides its name and its outcome. */
  readonly numberOf?: (index: number) => number;
}

/**
 * Writes a run to its end. Resolves with the microseconds of each test case in each tenth, as the clock counts them. Two runs have the same test
 * cases.
 */
export async function writeTestCases(
  store: Store,
  workflowId: WorkflowId,
  { count, clockMs = () => performance.now(), numberOf = (index) => index }: WrittenCases,
): Promise<readonly number[]> {
  let seq = 0;
  const append = async (projection: Projection) => {
    const events = [{ kind: 'Notification', json: '{}' }];
    await store.append({
      workflowId,
      expectedSeq: seq,
      events,
      projection,
      documents: [],
      outbox: [],
    });
    seq += 1;
  };
  const costs = await inTenths(count, clockMs, async (from, to) => {
    for (let first = from; first < to; first += PORTION) {
      const length = Math.min(PORTION, to - first);
      const numbers = Array.from({ length }, (_, index) => numberOf(first + index));
      await append(projectionOf(workflowId, numbers, first === 0));
    }
  });
  await append({ ...projectionOf(workflowId, [], false), workflow: rowOf(workflowId, false) });
  // Nothing has expired: this waits for what the store does after the end of a run.
  await store.forgetExecutions(AT);
  return costs;
}
