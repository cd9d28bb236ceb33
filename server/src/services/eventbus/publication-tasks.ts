/** Tasks about publications; a thread carries out large ones (`document-tasks.ts`). */
import { DOCUMENT_TASK_LIMITS, type DocumentTask } from '../../http/document-tasks.ts';
import type { Problem } from '../../http/validate.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { JobsInput } from './problems-of-jobs.ts';
import type { PublicationInput, ReadPublication } from './read-publication.ts';

/** Problems of the jobs that a generator answers. */
export const CHECK_JOBS: DocumentTask<JobsInput, readonly Problem[]> = {
  name: 'check-jobs',
  load: loadedOnce(async () => (await import('./problems-of-jobs.ts')).problemsOfJobs),
};

/** Reads a publication. Throws `BadRequest`. */
export const READ_PUBLICATION: DocumentTask<PublicationInput, ReadPublication> = {
  name: 'read-publication',
  load: loadedOnce(async () => (await import('./read-publication.ts')).readPublication),
};

/** Checking a large publication takes as long as parsing it. */
export const isLarge = (content: Uint8Array): boolean =>
  content.length > DOCUMENT_TASK_LIMITS.jsonBytesHere;
