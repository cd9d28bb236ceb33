/** Files that steps uploaded. They belong to the whole run. Every later step can download them (wire facts part 5). */
import type { StepId, WorkflowResultEvent } from '@tutti/manifests';
import { isArtifactPath } from '../environment/attachments.ts';
import { withJob } from './job-tree.ts';
import { attachmentOf, jobById, type Run, stepOriginOf } from './run.ts';

/** Artifacts of one run: every later command lists them all. */
export const ARTIFACTS_MAX = 1024;

/** Results that belong to no run's steps, such as reports, are no artifacts. */
export function artifactsPublished(run: Run, event: WorkflowResultEvent): Run {
  const paths = event.attachments.filter((path) => isArtifactPath(path, run.workflowId));
  const artifacts = [...run.artifacts, ...paths].slice(0, ARTIFACTS_MAX);
  return withOrigins(paths.length === 0 ? run : { ...run, artifacts }, event);
}

/** Test results may be found in an artifact, too. They belong to the step that uploaded it, which is the running one. */
function withOrigins(run: Run, { metadata }: WorkflowResultEvent): Run {
  const job = metadata.job_id === undefined ? null : jobById(run, metadata.job_id);
  const stepId = job === null ? undefined : (stepOriginOf(job)[0] ?? job.command?.stepId);
  if (job === null || stepId === undefined) return run;
  const attachments = new Map(job.attachments);
  const of = attachmentOf(job, stepId satisfies StepId);
  // Old plugins may have left them out.
  for (const { uuid, type } of Object.values(metadata.attachments ?? {})) {
    const at = metadata.creationTimestamp;
    attachments.set(uuid, { ...of, type: type ?? null, at });
  }
  return withJob(run, { ...job, attachments });
}
