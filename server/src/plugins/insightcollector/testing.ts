/** A run with test cases, as the store would give them. */
import { Readable } from 'node:stream';
import {
  type AttachmentId,
  type BrokenReport,
  formatTimestamp,
  type JobId,
  parseWorkflowId,
  type StepId,
  type TestResult,
} from '@tutti/manifests';
import {
  emptyRun,
  jobManifest,
  outcomeOf,
  type Run,
  type TestCaseManifest,
  testCaseManifest,
} from '@tutti/workflow';
import type { StoredTestCase, WorkflowRow } from '../../store/store.ts';
import type { ReportStore, SummaryOptions } from './summary/collect-report.ts';

export const RUN_ID = parseWorkflowId('0198c0de-0000-7000-8000-000000000001');
const START_MS = Date.UTC(2026, 0, 31, 12);
const API_GROUP = 'opentestfactory.org';

export interface SampleCase extends Partial<Omit<TestResult, 'suite' | 'name'>> {
  readonly suite?: string;
  readonly name?: string;
  readonly job?: string;
  readonly technology?: string;
  readonly tags?: readonly string[];
  /** Earlier executions, oldest first. */
  readonly earlier?: readonly SampleCase[];
}

export const sampleRun = (more: Partial<Run> = {}): Run => ({
  ...emptyRun,
  workflowId: RUN_ID,
  name: 'nightly',
  namespace: 'shop',
  apiGroup: API_GROUP,
  phase: 'DONE',
  createdAt: formatTimestamp(START_MS),
  ...more,
});

export const summaryOptions = (more: Partial<SummaryOptions> = {}): SummaryOptions => ({
  title: null,
  scope: null,
  style: '',
  scripts: '',
  template: null,
  ...more,
});

/** The same id for the same job. */
const jobIdOf = (job: string): JobId => `job-${job}` as JobId;

export function caseManifest(given: SampleCase, index: number): TestCaseManifest {
  const { suite = 'suite', name = `case ${index}`, job = 'unit', technology = 'junit' } = given;
  const { tags = ['linux'], earlier: _, ...result } = given;
  return testCaseManifest({
    apiGroup: API_GROUP,
    workflow: { id: RUN_ID, name: 'nightly', namespace: 'shop' },
    origin: {
      jobId: jobIdOf(job),
      jobName: job,
      jobKey: job,
      runsOn: tags,
      stepId: 'step' as StepId,
      uses: `${technology}/execute@v1`,
      test: `${suite}.file`,
      technology,
      managed: null,
      creationTimestamp: formatTimestamp(START_MS),
      startTime: formatTimestamp(START_MS + 1_000),
      endTime: formatTimestamp(START_MS + 2_000),
    },
    result: {
      id: `r${index}`,
      status: 'SUCCESS',
      duration: 10,
      attachment_origin: 'a' as AttachmentId,
      ...result,
      suite,
      name: `${suite}#${name}`,
    },
  });
}

function storedCase(given: SampleCase, index: number): StoredTestCase {
  const { earlier = [], job = 'unit', status = 'SUCCESS' } = given;
  return {
    place: index,
    jobId: jobIdOf(job),
    outcome: outcomeOf(status),
    json: JSON.stringify(caseManifest(given, index)),
    executions: earlier.length + 1,
    counting: earlier.length + 1,
    history: earlier.map((each) => JSON.stringify(caseManifest({ ...given, ...each }, index))),
  };
}

const row: WorkflowRow = {
  workflowId: RUN_ID,
  name: 'nightly',
  namespace: 'shop',
  status: 'DONE',
  live: false,
  workers: [],
  createdAt: formatTimestamp(START_MS),
  completedAt: formatTimestamp(START_MS + 754_000),
};

/** A store whose test cases are made as they are read: `caseOf` makes each by its number. */
export function sampleStore(
  total: number,
  caseOf: (index: number) => SampleCase,
  jobs: readonly SampleCase[] = [],
  broken: readonly BrokenReport[] = [],
): ReportStore {
  const manifests = jobs.map(({ job = 'unit', tags = ['linux'], status = 'SUCCESS' }) =>
    jobManifest(
      API_GROUP,
      { id: RUN_ID, name: 'nightly', namespace: 'shop' },
      {
        jobId: jobIdOf(job),
        name: job,
        runsOn: tags,
        variables: {},
        phase: status === 'SUCCESS' ? 'SUCCEEDED' : 'FAILED',
        requestTime: formatTimestamp(START_MS),
        startTime: formatTimestamp(START_MS + 1_000),
        endTime: formatTimestamp(START_MS + 61_000),
      },
    ),
  );
  return {
    workflow: async (id) => (id === RUN_ID ? row : null),
    testCases: async (_id, offset, limit) => {
      const count = Math.max(0, Math.min(limit, total - offset));
      const items = Array.from({ length: count }, (_, place) =>
        storedCase(caseOf(offset + place), offset + place),
      );
      return { items, total };
    },
    brokenReports: async (_id, limit) => ({
      items: broken.slice(0, limit).map((report) => JSON.stringify(report)),
      total: broken.length,
    }),
    jobs: async () =>
      manifests.map((manifest) => ({
        jobId: manifest.metadata.id,
        json: JSON.stringify(manifest),
      })),
  };
}

export const storeOf = (
  cases: readonly SampleCase[],
  jobs?: readonly SampleCase[],
  broken?: readonly BrokenReport[],
): ReportStore => sampleStore(cases.length, (index) => cases[index] ?? {}, jobs, broken);

/** A report that is not whole, and the warning about it. */
export const BROKEN: BrokenReport = {
  job: 'unit',
  step: 'Run <all> tests',
  file: 'report.xml',
  problem: 'It cannot be read to its end: line 2, column 7: unclosed tag: testcase.',
  testCases: 12,
  isCut: true,
};
export const BROKEN_WARNING =
  'Report "report.xml" of job "unit", step "Run <all> tests": It cannot be read to its end: line 2, column 7: unclosed tag: testcase. ' +
  '12 test cases were read, those after them are missing. Look into the log of the step, correct what writes the report, and run it again.';

const SUITES = [
  'Cart',
  'Checkout',
  'Search',
  'Account',
  'Shipping',
  'Prices',
  'Orders',
  'Invoices',
];
const JOBS = [
  { job: 'unit', technology: 'junit', tags: ['linux', 'java'] },
  { job: 'browser', technology: 'playwright', tags: ['linux', 'chromium'] },
  { job: 'acceptance', technology: 'robotframework', tags: ['windows'] },
  { job: 'contract', technology: 'postman', tags: ['linux'] },
];

export const SHOP_JOBS: readonly SampleCase[] = [
  ...JOBS.map(
    (job) => ({ ...job, status: job.job === 'browser' ? 'FAILURE' : 'SUCCESS' }) as const,
  ),
  { job: 'deploy', tags: ['linux'] },
];

/** Test cases of a shop, of which some fail: as many as are wanted, and the same each time. */
export function shopCase(index: number): SampleCase {
  const place = (index * 2_654_435_761) % 4_294_967_296;
  const home = JOBS[index % JOBS.length];
  const suite = SUITES[Math.floor(index / 3) % SUITES.length] ?? '';
  const named = {
    ...home,
    suite: `com.example.shop.${suite}Test`,
    name: `handles ${suite.toLowerCase()} variant ${index} of the regression plan`,
    duration: 5 + (place % 1_900) + (place % 97 === 0 ? 9_000 : 0),
  };
  if (place % 41 === 0) return { ...named, status: 'SKIPPED', duration: 0 };
  if (place % 53 === 0) {
    const errorDetails = { type: 'java.net.SocketTimeoutException', message: 'Read timed out' };
    return { ...named, status: 'ERROR', errorDetails };
  }
  if (place % 29 !== 0)
    return place % 31 === 0 ? { ...named, earlier: [{ status: 'FAILURE' }] } : named;
  const failureDetails = {
    type: 'org.opentest4j.AssertionFailedError',
    message: `expected: <${index}.00> but was: <${index}.99>`,
    text: `expected: <${index}.00> but was: <${index}.99>\n\tat com.example.shop.${suite}Test.run(${suite}Test.java:${index % 400})\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)`,
  };
  return { ...named, status: 'FAILURE', failureDetails };
}

/** A spool in memory. */
export async function memorySpool(content: AsyncIterable<Uint8Array>): Promise<Readable> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Readable.from(pieces);
}

/** All that a generator gives, as one text. */
export async function gathered(content: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
