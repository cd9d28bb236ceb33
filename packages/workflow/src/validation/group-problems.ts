/** Jobs that would wait for themselves: a bundle around them, or the workflow, holds their group. Only for written-out names. */
import { OPENING } from '@tutti/expressions';
import type { WorkflowJobs, WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';
import type { WorkflowUse } from './workflow-use.ts';

export function groupProblems(
  { jobs, concurrency }: WorkflowManifest,
  use: WorkflowUse,
): readonly Problem[] {
  // The group of a called workflow applies only when it is started by itself.
  const own = use === 'started' ? namedBy(concurrency) : null;
  return problemsIn(jobs, ['jobs'], new Map(own === null ? [] : [[own, 'workflow']]));
}

function problemsIn(
  jobs: WorkflowJobs,
  path: DocumentPath,
  /** For each group that is held around these jobs, its holder. */
  holders: ReadonlyMap<string, string>,
): readonly Problem[] {
  return Object.entries(jobs).flatMap(([name, job]) => {
    const group = namedBy(job.concurrency);
    const holder = group === null ? undefined : holders.get(group);
    const own = holder === undefined ? [] : [problem([...path, name], group ?? '', holder)];
    if (job.jobs === undefined) return own;
    const around = group === null ? holders : new Map(holders).set(group, 'bundle');
    return [...own, ...problemsIn(job.jobs, [...path, name, 'jobs'], around)];
  });
}

/** Null where there is no name, or where expressions make it. */
function namedBy(concurrency: WorkflowManifest['concurrency']): string | null {
  const group = concurrency?.group;
  return group === undefined || group.includes(OPENING) ? null : group;
}

const problem = (job: DocumentPath, group: string, holder: string): Problem => ({
  path: [...job, 'concurrency', 'group'],
  message: `Group "${group}" is held by the ${holder} of the job, which would wait for itself.`,
  topic: 'concurrency',
});
