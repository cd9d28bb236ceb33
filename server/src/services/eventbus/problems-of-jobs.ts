/** Checks jobs that come alone as those of whole workflows. */
import { createJobsCheck } from '@tutti/workflow/validation';
import { loadSchemaLibrary, type Problem } from '../../http/validate.ts';
import type { JobsInput } from './publication-tasks.ts';

const check = createJobsCheck(loadSchemaLibrary);

export const problemsOfJobs = ({ jobs, outputs }: JobsInput): readonly Problem[] =>
  check(jobs, outputs);
