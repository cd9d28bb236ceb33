/** Finds entries that only a started workflow may have, in a called one (docs/reference/language.md, called workflows). */
import type { WorkflowManifest } from '@tutti/manifests';
import type { Problem } from '@tutti/manifests/documents';
import type { WorkflowUse } from './workflow-use.ts';

/**
 * Values of secrets and addresses with credentials would not be masked from the start of the run. Secrets without values declare which ones
 * the workflow expects.
 */
export function callerProblems(
  { secrets = {}, resources = {} }: WorkflowManifest,
  use: WorkflowUse,
): readonly Problem[] {
  if (use === 'started') return [];
  const { repositories = [], testmanagers = [] } = resources;
  const why = 'in a called workflow: those of the workflow that is started count';
  return [
    ...Object.entries(secrets).flatMap(([name, value]) =>
      value === ''
        ? []
        : [problem(['secrets', name], `The secret "${name}" must have no value ${why}.`)],
    ),
    ...(repositories.length === 0
      ? []
      : [problem(['resources', 'repositories'], `There must be no repositories ${why}.`)]),
    ...(testmanagers.length === 0
      ? []
      : [problem(['resources', 'testmanagers'], `There must be no test managers ${why}.`)]),
  ];
}

const problem = (path: Problem['path'], message: string): Problem => ({
  path,
  message,
  topic: 'called-workflows',
});
