/** Keys of steps that only mean something in one of their two forms (wire facts 1.4). */
import type { WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

/** Where which key belongs. */
const FORM_OF_KEY = [
  ['shell', 'run'],
  ['with', 'uses'],
] as const;

export function stepProblems(
  jobs: WorkflowManifest['jobs'],
  path: DocumentPath = ['jobs'],
): readonly Problem[] {
  return Object.entries(jobs).flatMap(([name, job]) => {
    const steps = (job.steps ?? []).flatMap((step, index) =>
      problemsOfStep(step, () => [...path, name, 'steps', index]),
    );
    if (job.jobs === undefined) return steps;
    return [...steps, ...stepProblems(job.jobs, [...path, name, 'jobs'])];
  });
}

function problemsOfStep(step: object, path: () => DocumentPath): readonly Problem[] {
  return FORM_OF_KEY.filter(([key, form]) => key in step && !(form in step)).map(([key, form]) => ({
    path: path(),
    key,
    message: `"${key}" belongs to steps with "${form}".`,
  }));
}
