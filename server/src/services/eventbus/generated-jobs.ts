/** What is wrong with the jobs that a generator answers. */
import type { GeneratorResultEvent, RunEvent } from '@tutti/manifests';
import { createJobsCheck } from '@tutti/workflow/validation';
import type { Publication } from '../../bus/bus.ts';
import { loadSchemaLibrary, type Problem } from '../../http/validate.ts';
import { sentencesOf, withProblems } from './malformed-event.ts';

const problemsOfJobs = createJobsCheck(loadSchemaLibrary);

/** A run that waits for jobs must hear of wrong ones, or it would wait for ever: it gets the problems in their place. */
export function withJobProblems(event: GeneratorResultEvent): RunEvent {
  const problems = problemsOfJobs(event.jobs, event.outputs);
  if (problems.length === 0) return event;
  return { ...withProblems(event, sentencesOf(problems)), jobs: {} };
}

/** In an answer that is malformed elsewhere. */
export function problemsOfGenerated({ jobs, outputs }: Publication): readonly Problem[] {
  const isMap = typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs);
  return problemsOfJobs(jobs, isMap ? { ...outputs } : {});
}
