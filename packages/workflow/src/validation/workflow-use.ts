/**
 * What a workflow is checked for: to be started, to be called in a file that comes with the run, or to be called in a repository. What
 * is called sees the repositories and test managers of the workflow that was started, which nobody knows before; in a repository it
 * may call all files there. Jobs that a generator gives see the inputs, secrets and resources of the run, which are not with them.
 */
export type WorkflowUse = 'started' | 'called' | 'called-in-repository' | 'generated';
