/** Checks generated jobs like those of whole workflows. */
import { createJobsCheck } from '@tutti/workflow/validation';
import { loadSchemaLibrary, type Problem } from '../../http/validate.ts';

export interface JobsInput {
  readonly jobs: unknown;
  readonly outputs: Readonly<Record<string, unknown>>;
}

const check = createJobsCheck(loadSchemaLibrary);

export const problemsOfJobs = ({ jobs, outputs }: JobsInput): readonly Problem[] =>
  check(jobs, outputs);
