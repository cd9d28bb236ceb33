/** Tags as the data source shows them (specification 2.8, wire facts 9.2): what ran on the environments of each tag. */
import type { JobId, WorkflowId } from '@tutti/manifests';
import type { JobManifest } from './jobs.ts';
import {
  addCounts,
  countStatus,
  NO_TESTS,
  type TestCountStatus,
  type TestCounts,
} from './test-counts.ts';

export interface TagManifest {
  readonly apiVersion: string;
  readonly kind: 'Tag';
  readonly metadata: {
    readonly name: string;
    readonly workflow_id: WorkflowId;
    readonly namespace: string;
  };
  readonly status: { readonly jobCount: number } & TestCountStatus;
}

interface TagTotal {
  readonly jobCount: number;
  readonly counts: TestCounts;
  /** Any job that has the tag: they all agree on the run. */
  readonly job: JobManifest;
}

/** The tags of a run, in the order in which jobs first name them. A tag that a job names twice counts once. */
export function tagManifests(
  jobs: readonly JobManifest[],
  counts: ReadonlyMap<JobId, TestCounts>,
): readonly TagManifest[] {
  const totals = new Map<string, TagTotal>();
  for (const job of jobs) {
    const ofJob = counts.get(job.metadata.id) ?? NO_TESTS;
    for (const tag of new Set(job.spec['runs-on'])) {
      const total = totals.get(tag) ?? { jobCount: 0, counts: NO_TESTS, job };
      const sum = addCounts(total.counts, ofJob);
      totals.set(tag, { jobCount: total.jobCount + 1, counts: sum, job });
    }
  }
  return [...totals].map(([name, total]) => tagManifest(name, total));
}

function tagManifest(name: string, { jobCount, counts, job }: TagTotal): TagManifest {
  const { workflow_id, namespace } = job.metadata;
  return {
    apiVersion: job.apiVersion,
    kind: 'Tag',
    metadata: { name, workflow_id, namespace },
    status: { jobCount, ...countStatus(counts) },
  };
}
