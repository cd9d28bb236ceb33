/** Calls of workflows: which file a job means, and whether it may be called there. */
import { interpolateText, type Scope } from '@tutti/expressions';
import { OrchestratorError } from '@tutti/manifests';
import { bundlesAround } from './job-tree.ts';
import type { Job, Run } from './run.ts';

/** Workflows that call workflows that call … end here. */
export const CALLS_MAX = 10;

/** A file of the run, and the blob in which it is kept. */
export interface CalledFile {
  readonly file: string;
  readonly blob: string;
}

/** What `uses` of a job means. Throws `Invalid` where it means nothing that can be called. */
export function calledFile(run: Run, job: Job, uses: string, scope: Scope): CalledFile {
  const file = interpolateText(uses, scope).replace(/^\.\//, '');
  const blob = Object.hasOwn(run.files, file) ? run.files[file] : undefined;
  if (blob === undefined)
    throw invalid(`There is no file "${file}" with the run that could be called.`);
  refuseEndlessCalls(callsAround(run, job), file);
  return { file, blob };
}

function callsAround(run: Run, job: Job): readonly string[] {
  return bundlesAround(run, job).flatMap(({ bundle }) => bundle?.called?.file ?? []);
}

function refuseEndlessCalls(around: readonly string[], file: string): void {
  if (around.includes(file)) {
    const chain = [...around, file].map((name) => `"${name}"`).join(' calls ');
    throw invalid(`Workflows call themselves: ${chain}.`);
  }
  if (around.length >= CALLS_MAX) {
    throw invalid(`Workflows call each other more than ${CALLS_MAX} deep.`);
  }
}

function invalid(message: string): OrchestratorError {
  return new OrchestratorError('Invalid', message);
}
