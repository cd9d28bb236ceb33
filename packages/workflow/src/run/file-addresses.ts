/** Addresses of files that are fetched before there is a run, evaluated with the inputs of its start. */
import type { FetchedFile, WorkflowEvent } from '@tutti/manifests';
import { basicContexts } from './contexts.ts';
import { evolve } from './evolve.ts';
import { addressedFiles } from './resources.ts';
import { emptyRun } from './run.ts';

/** Files with their addresses as they are meant. The result throws `Invalid` for an address that cannot be evaluated. */
export function fileAddresses(event: WorkflowEvent): (file: FetchedFile) => FetchedFile {
  const run = evolve(emptyRun, event);
  return addressedFiles(run, basicContexts(run));
}
