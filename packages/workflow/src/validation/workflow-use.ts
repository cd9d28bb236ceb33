/**
 * Why a workflow is checked: it is started, or called from a file or a repository. A called workflow sees repositories
 * and test managers of the started workflow, which are not known here. In a repository it may call all files there. Generated jobs see
 * inputs, secrets and resources of the run, which do not come with them.
 */
export type WorkflowUse = 'started' | 'called' | 'called-in-repository' | 'generated';
