/** Finds the failures of a run that gates leave out: those of tests in quarantine. In a job with a mass failure, all count. */
import type { JobId } from '@tutti/manifests';
import { isMass } from '@tutti/test-history';
import type { TestCaseManifest, TestOutcome } from '@tutti/workflow';
import type { Store } from '../../store/store.ts';
import { GATE_LIMITS } from './limits.ts';
import { NONE_SPARED, type ResultSource, type SparedFailures } from './result-source.ts';

type SparingStore = Pick<Store, 'testCaseManifests' | 'testCaseSummary'>;

// In texts, quotation marks are escaped: only keys read like this. A test management may have such keys, too.
const FAILED = /"status":"(?:FAILURE|ERROR)"/;
const QUARANTINED = '"quarantined":true';

/** A run without failures is not looked at, and reading ends with the last failure. Null if `mayGoOn` ends it before. */
export async function sparedFailures(
  store: SparingStore,
  { workflowId, jobIds }: ResultSource,
  mayGoOn: () => Promise<boolean>,
): Promise<SparedFailures | null> {
  const jobs = new Map<JobId, JobFailures>();
  let left = 0;
  for (const { jobId, outcome, count } of await store.testCaseSummary(workflowId)) {
    const job = jobs.get(jobId) ?? new JobFailures();
    jobs.set(jobId, job);
    if (outcome !== 'skipped') job.ran += count;
    if (isFailed(outcome)) left += count;
  }
  for (let offset = 0; left > 0; ) {
    if (offset > 0 && !(await mayGoOn())) return null;
    const page = await store.testCaseManifests(workflowId, offset, GATE_LIMITS.page);
    if (page.length === 0) break;
    for (const json of page) {
      const failure = failureIn(json);
      if (failure === null) continue;
      left -= 1;
      jobs.get(failure.metadata.job_id)?.add(failure.test);
    }
    offset += page.length;
  }
  return sparedIn([...jobs].filter(([id]) => jobIds === null || jobIds.has(id)));
}

const isFailed = (outcome: string): boolean => outcome === 'failure' || outcome === 'error';

function failureIn(json: string): TestCaseManifest | null {
  if (!FAILED.test(json)) return null;
  const testCase: TestCaseManifest = JSON.parse(json);
  return isFailed(testCase.test.outcome) ? testCase : null;
}

/** The failures of a job. */
class JobFailures {
  /** Test cases that were not skipped. */
  ran = 0;
  newFailures = 0;
  readonly quarantined = new Map<TestOutcome, number>();

  /** Without a known history, a failure is new. */
  add({ outcome, newlyFailed, quarantined }: TestCaseManifest['test']): void {
    if (newlyFailed !== false) this.newFailures += 1;
    if (quarantined !== true) return;
    this.quarantined.set(outcome, (this.quarantined.get(outcome) ?? 0) + 1);
  }
}

function sparedIn(jobs: readonly (readonly [JobId, JobFailures])[]): SparedFailures {
  const sparing = jobs.filter(([, job]) => job.quarantined.size > 0 && !isMass(job));
  if (sparing.length === 0) return NONE_SPARED;
  const counts = new Map<TestOutcome, number>();
  for (const [, { quarantined }] of sparing) {
    for (const [outcome, count] of quarantined) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + count);
    }
  }
  const ids = new Set(sparing.map(([id]) => id));
  const has = (json: string): boolean => {
    const failure = json.includes(QUARANTINED) ? failureIn(json) : null;
    return failure?.test.quarantined === true && ids.has(failure.metadata.job_id);
  };
  return { counts, has };
}
