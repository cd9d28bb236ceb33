/** Calls of workflows whose file is written out: it must come with the run (docs/workflows.md, called workflows). */
import { nameOfFile, type WorkflowJobs, type WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

export function callProblems({ jobs, resources }: WorkflowManifest): readonly Problem[] {
  return problemsIn(jobs, (resources?.files ?? []).map(nameOfFile), ['jobs']);
}

function problemsIn(
  jobs: WorkflowJobs,
  files: readonly string[],
  path: DocumentPath,
): readonly Problem[] {
  return Object.entries(jobs).flatMap(([name, job]) => {
    const why = job.uses === undefined ? null : reasonAgainst(job.uses, files);
    const message = `Job "${name}" calls "${job.uses}", ${why}.`;
    return [
      ...(why === null ? [] : [{ path: [...path, name, 'uses'], message }]),
      ...problemsIn(job.jobs ?? {}, files, [...path, name, 'jobs']),
    ];
  });
}

function reasonAgainst(uses: string, files: readonly string[]): string | null {
  if (uses.includes('${{')) return null;
  if (!uses.startsWith('./')) {
    return 'but only files that come with the run can be called: attach it, and call it as "./NAME"';
  }
  const file = uses.slice('./'.length);
  return files.includes(file) ? null : `but "${file}" is not in "resources.files"`;
}
