/** What runs a step, and where: what it says itself, else what the workflow says for the steps that are written in it. */
import type { ExecutionCommandEvent } from '@tutti/manifests';
import { must } from './must.ts';
import type { StepPlan, WorkflowPlan } from './plan.ts';
import { DIRECTORY, stepsByKey } from './plan-manifest.ts';

export class DefaultRules {
  readonly #shell: string | null;
  readonly #steps: ReadonlyMap<string, StepPlan>;

  constructor(plan: WorkflowPlan) {
    this.#shell = plan.shell;
    this.#steps = stepsByKey(plan);
  }

  /** For the command of a step. */
  check({ metadata, scripts, shell, 'working-directory': directory }: ExecutionCommandEvent): void {
    const [key = ''] = (scripts[0] ?? '').split(' ');
    const isWritten = metadata.step_origin.length === 0 && metadata['tutti.hook'] === undefined;
    const byDefault = isWritten ? this.#shell : null;
    const expected = this.#steps.get(key)?.shell ?? byDefault ?? undefined;
    must(shell === expected, `Step ${key} should run in ${expected}, runs in ${shell}.`);
    const isThere = directory === (byDefault === null ? undefined : DIRECTORY);
    must(isThere, `Step ${key} should not run in the directory ${directory}.`);
  }
}
