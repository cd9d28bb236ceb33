/** What is done with large publications in a thread (`document-tasks.ts`). */
import type { DocumentTask } from '../../http/document-tasks.ts';
import type { Problem } from '../../http/validate.ts';

export interface JobsInput {
  readonly jobs: unknown;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** What is wrong with the jobs that a generator answers. */
export const CHECK_JOBS: DocumentTask<JobsInput, readonly Problem[]> = {
  name: 'check-jobs',
  load: async () => (await import('./generated-jobs.ts')).problemsOfJobs,
};
