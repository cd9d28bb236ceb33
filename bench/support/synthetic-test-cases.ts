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
import type { Projection, Store } from '../../server/src/store/store.ts';
import { timed } from './benchmark.ts';

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

function projectionOf(workflowId: WorkflowId, first: number, count: number): Projection {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  return {
    workflow:
      first > 0
        ? null
        : {
            workflowId,
            name: RUN.name,
            namespace: RUN.namespace,
            status: 'DONE',
            live: false,
            workers: [],
            createdAt: AT,
            completedAt: AT,
          },
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

/** Writes a run; resolves with the milliseconds of each tenth. Two runs have the same test cases. */
export async function writeTestCases(
  store: Store,
  workflowId: WorkflowId,
  count: number,
): Promise<readonly number[]> {
  const tenthsMs: number[] = [];
  const tenth = Math.ceil(count / 10);
  let seq = 0;
  for (let begin = 0; begin < count; begin += tenth) {
    const end = Math.min(begin + tenth, count);
    tenthsMs.push(
      await timed(async () => {
        for (let first = begin; first < end; first += PORTION) {
          await store.append({
            workflowId,
            expectedSeq: seq,
            events: [{ kind: 'Notification', json: '{}' }],
            projection: projectionOf(workflowId, first, Math.min(PORTION, end - first)),
            documents: [],
            outbox: [],
          });
          seq += 1;
        }
      }),
    );
  }
  return tenthsMs;
}
