/** What is done with the texts of workflows, in a thread where they are large (`document-tasks.ts`). */
import type { WorkflowManifest } from '@tutti/manifests';
import type { WorkflowUse } from '@tutti/workflow/validation';
import type { DocumentTask } from '../../http/document-tasks.ts';
import type { CalledFilesInput, MissingFiles } from './called-files.ts';

/** A workflow as it was written. */
export interface WorkflowSource {
  readonly content: Uint8Array | string;
  /** Null for the content of a part or a file, which says nothing of itself. */
  readonly contentType: string | null;
}

export interface WorkflowInput {
  readonly source: WorkflowSource;
  readonly use: WorkflowUse;
  readonly apiGroup: string;
}

/** Reads and checks a workflow. Throws what is wrong with it. */
export const READ_WORKFLOW: DocumentTask<WorkflowInput, WorkflowManifest> = {
  name: 'read-workflow',
  load: async () => (await import('./read-workflow.ts')).readWorkflow,
};

/** Checks the files that a workflow calls, as far as they are there. */
export const CHECK_CALLED_FILES: DocumentTask<CalledFilesInput, MissingFiles> = {
  name: 'check-called-files',
  load: async () => (await import('./called-files.ts')).checkCalledFiles,
};

/** Large enough to be copied into memory once more while they are read. */
export const bytesOf = ({ content }: WorkflowSource): number => content.length;
