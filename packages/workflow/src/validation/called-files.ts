/** The files of the run that jobs call by a name which is written out (docs/reference/language.md, called workflows). */
import type { WorkflowJob, WorkflowJobs } from '@tutti/manifests';
import type { DocumentPath } from '@tutti/manifests/documents';
import { parseCall } from '../run/call-reference.ts';

export interface FileCall {
  /** Name of the file in `resources.files`. */
  readonly file: string;
  /** Inputs that the job gives; null when only the run knows them. */
  readonly inputs: NonNullable<WorkflowJob['with']> | null;
  /** Place of the inputs in the calling workflow; the job, if it gives none. */
  readonly place: DocumentPath;
}

/** Calls of files, also by jobs in jobs, in the order of the document. */
export function fileCallsOf(
  jobs: WorkflowJobs,
  path: DocumentPath = ['jobs'],
): readonly FileCall[] {
  return Object.entries(jobs).flatMap(([name, job]) => [
    ...ownCall(job, [...path, name]),
    ...(job.jobs === undefined ? [] : fileCallsOf(job.jobs, [...path, name, 'jobs'])),
  ]);
}

/** The file that a job calls by a name which is written out; null for none. */
export function calledFile({ uses }: WorkflowJob): string | null {
  if (uses === undefined || hasExpression(uses)) return null;
  const call = parseCall(uses, null);
  return call.kind === 'file' ? call.file : null;
}

function ownCall(job: WorkflowJob, path: DocumentPath): readonly FileCall[] {
  const file = calledFile(job);
  if (file === null) return [];
  const { with: given } = job;
  const inputs = hasExpression(JSON.stringify(given ?? {})) ? null : (given ?? {});
  return [{ file, inputs, place: given === undefined ? path : [...path, 'with'] }];
}

const hasExpression = (text: string): boolean => text.includes('${{');
