/** Jobs as the data source shows them (specification 2.7, wire facts 9.2). Only jobs that ended are shown. */
import { type JobId, parseTimestamp, type Timestamp, type WorkflowId } from '@tutti/manifests';
import type { RunOfItem } from './test-cases.ts';
import { countStatus, type TestCountStatus, type TestCounts } from './test-counts.ts';

/** `SUCCEEDED` is the specification's; the others follow it for jobs that ended otherwise. */
export type JobPhase = 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

export interface EndedJob {
  readonly jobId: JobId;
  readonly name: string;
  readonly runsOn: readonly string[];
  /** Variables of the workflow, overridden by variables of the job. */
  readonly variables: Readonly<Record<string, string>>;
  readonly phase: JobPhase;
  /** When an environment was asked for, when the first command began (null if none did), when the environment was freed. */
  readonly requestTime: Timestamp;
  readonly startTime: Timestamp | null;
  readonly endTime: Timestamp;
}

export interface JobManifest {
  readonly apiVersion: string;
  readonly kind: 'Job';
  readonly metadata: {
    readonly name: string;
    readonly id: JobId;
    readonly namespace: string;
    readonly workflow_id: WorkflowId;
    readonly creationTimestamp: Timestamp;
  };
  readonly spec: {
    readonly 'runs-on': readonly string[];
    readonly variables: Readonly<Record<string, string>>;
  };
  readonly status: {
    readonly phase: JobPhase;
    readonly requestTime: Timestamp;
    /** The end time for a job of which no step began: the duration is always the time between the two. */
    readonly startTime: Timestamp;
    readonly endTime: Timestamp;
    /** Milliseconds. */
    readonly duration: number;
  } & Partial<TestCountStatus>;
  /** The name of the job, by the specification. */
  readonly uuid: string;
}

/** A job without the counts of its test cases, which grow after it ended; `withTestCounts` adds them. */
export function jobManifest(apiGroup: string, workflow: RunOfItem, job: EndedJob): JobManifest {
  const { requestTime, endTime } = job;
  const startTime = job.startTime ?? endTime;
  return {
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'Job',
    metadata: {
      name: job.name,
      id: job.jobId,
      namespace: workflow.namespace,
      workflow_id: workflow.id,
      creationTimestamp: requestTime,
    },
    spec: { 'runs-on': job.runsOn, variables: job.variables },
    status: {
      phase: job.phase,
      requestTime,
      startTime,
      endTime,
      duration: durationMs(startTime, endTime),
    },
    uuid: job.name,
  };
}

export function withTestCounts(job: JobManifest, counts: TestCounts): JobManifest {
  return { ...job, status: { ...job.status, ...countStatus(counts) } };
}

/** To the microsecond, which the timestamps have. A clock that was set back gives 0. */
function durationMs(from: Timestamp, to: Timestamp): number {
  const ms = (parseTimestamp(to) ?? 0) - (parseTimestamp(from) ?? 0);
  return Math.max(0, Math.round(ms * 1000) / 1000);
}
