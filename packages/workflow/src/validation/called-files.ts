/** The files of the run that jobs call by a name which is written out (docs/workflows.md, called workflows). */
import type { WorkflowJob, WorkflowJobs } from '@tutti/manifests';
import { parseCall } from '../run/call-reference.ts';

export interface FileCall {
  /** As `resources.files` has it. */
  readonly file: string;
  /** What the job gives; null when only the run knows it. */
  readonly inputs: NonNullable<WorkflowJob['with']> | null;
}

/** Those of jobs inside of jobs included, in the order in which they stand there. */
export function fileCallsOf(jobs: WorkflowJobs): readonly FileCall[] {
  return Object.values(jobs).flatMap((job) => [
    ...ownCall(job),
    ...(job.jobs === undefined ? [] : fileCallsOf(job.jobs)),
  ]);
}

function ownCall({ uses, with: given = {} }: WorkflowJob): readonly FileCall[] {
  if (uses === undefined || hasExpression(uses)) return [];
  const call = parseCall(uses, null);
  if (call.kind !== 'file') return [];
  return [{ file: call.file, inputs: hasExpression(JSON.stringify(given)) ? null : given }];
}

const hasExpression = (text: string): boolean => text.includes('${{');
