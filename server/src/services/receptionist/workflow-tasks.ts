/** Tasks about workflows; a thread runs those with large texts (`document-tasks.ts`). */
import type { DocumentTask } from '../../http/document-tasks.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { CalledFilesInput, CheckedFiles } from './called-files.ts';
import type { ReadWorkflow, WorkflowInput } from './workflow-source.ts';

/** Reads and checks a workflow. Throws its problems. */
export const READ_WORKFLOW: DocumentTask<WorkflowInput, ReadWorkflow> = {
  name: 'read-workflow',
  load: loadedOnce(async () => (await import('./read-workflow.ts')).readWorkflow),
};

/** Checks the called files that are present. */
export const CHECK_CALLED_FILES: DocumentTask<CalledFilesInput, CheckedFiles> = {
  name: 'check-called-files',
  load: loadedOnce(async () => (await import('./called-files.ts')).checkCalledFiles),
};
