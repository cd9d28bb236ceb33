/** Tasks about workflows; a thread carries out those with large texts (`document-tasks.ts`). */
import type { WorkflowManifest } from '@tutti/manifests';
import type { DocumentTask } from '../../http/document-tasks.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { CalledFilesInput, MissingFiles } from './called-files.ts';
import type { WorkflowInput } from './workflow-source.ts';

/** Reads and checks a workflow. Throws what is wrong with it. */
export const READ_WORKFLOW: DocumentTask<WorkflowInput, WorkflowManifest> = {
  name: 'read-workflow',
  load: loadedOnce(async () => (await import('./read-workflow.ts')).readWorkflow),
};

/** Checks the files that a workflow calls, as far as they are there. */
export const CHECK_CALLED_FILES: DocumentTask<CalledFilesInput, MissingFiles> = {
  name: 'check-called-files',
  load: loadedOnce(async () => (await import('./called-files.ts')).checkCalledFiles),
};
