/** Test cases that a gate judges, and the failures among them that it leaves out. */
import type { JobId, WorkflowId } from '@tutti/manifests';
import type { TestOutcome } from '@tutti/workflow';

/** Test cases of a run. */
export interface ResultSource {
  readonly workflowId: WorkflowId;
  /** Only results of these jobs; null for all. */
  readonly jobIds: ReadonlySet<JobId> | null;
}

export interface SparedFailures {
  /** Their number by outcome. */
  readonly counts: ReadonlyMap<TestOutcome, number>;
  /** By the JSON text of their test case. */
  has(json: string): boolean;
}

export const NONE_SPARED: SparedFailures = { counts: new Map(), has: () => false };
