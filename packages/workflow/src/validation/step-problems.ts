/** Keys of steps that only mean something in one of their two forms (wire facts 1.4). */
import type { WorkflowManifest, WorkflowStep } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

/** Allowed places of the keys of steps. A step without a form, or with a misspelt one, may be either. */
const FORM_OF_KEY = [
  ['shell', 'run', 'uses'],
  ['with', 'uses', 'run'],
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

function problemsOfStep(step: WorkflowStep, path: () => DocumentPath): readonly Problem[] {
  const unfit = FORM_OF_KEY.flatMap(([key, form, other]) =>
    Object.hasOwn(step, key) && Object.hasOwn(step, other) && !Object.hasOwn(step, form)
      ? [{ path: path(), key, message: `"${key}" belongs to steps with "${form}".` }]
      : [],
  );
  return [...unfit, ...fileProblems(step, path)];
}

/** No provider can offer a file: its name would be that of the file. */
function fileProblems({ uses = '' }: WorkflowStep, path: () => DocumentPath): readonly Problem[] {
  if (!/^\.{1,2}\//.test(uses)) return [];
  const message = `"${uses}" is a file, and steps call functions of providers; a job can call a workflow in a file.`;
  return [{ path: [...path(), 'uses'], message }];
}
