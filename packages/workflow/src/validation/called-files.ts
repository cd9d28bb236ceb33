/** The files of the run that jobs call by a name which is written out (docs/workflows.md, called workflows). */
import type { WorkflowJob, WorkflowJobs } from '@tutti/manifests';
import type { DocumentPath } from '@tutti/manifests/documents';
import { parseCall } from '../run/call-reference.ts';

export interface FileCall {
  /** As `resources.files` has it. */
  readonly file: string;
  /** What the job gives; null when only the run knows it. */
  readonly inputs: NonNullable<WorkflowJob['with']> | null;
  /** Where the inputs stand in the workflow that calls; of a job that gives none, the job. */
  readonly place: DocumentPath;
}

/** Those of jobs inside of jobs included, in the order in which they stand there. */
export function fileCallsOf(
  jobs: WorkflowJobs,
  path: DocumentPath = ['jobs'],
): readonly FileCall[] {
  return Object.entries(jobs).flatMap(([name, job]) => [
    ...ownCall(job, [...path, name]),
    ...(job.jobs === undefined ? [] : fileCallsOf(job.jobs, [...path, name, 'jobs'])),
  ]);
}

function ownCall({ uses, with: given }: WorkflowJob, path: DocumentPath): readonly FileCall[] {
  if (uses === undefined || hasExpression(uses)) return [];
  const call = parseCall(uses, null);
  if (call.kind !== 'file') return [];
  const inputs = hasExpression(JSON.stringify(given ?? {})) ? null : (given ?? {});
  return [{ file: call.file, inputs, place: given === undefined ? path : [...path, 'with'] }];
}

const hasExpression = (text: string): boolean => text.includes('${{');
