/** Steps share with the whole run: every later command lists the artifacts, and the run masks all masked texts. */
import type { ExecutionCommandEvent, RunEvent } from '@tutti/manifests';
import { masksIn } from '../../facts/decode.ts';
import type { Run } from '../run.ts';
import { must } from './must.ts';

export class SharingRules {
  readonly #artifacts: string[] = [];
  readonly #masks: Set<string>;

  /** `secrets`: those of the workflow, and what its resources have in their addresses. */
  constructor(secrets: readonly string[]) {
    this.#masks = new Set(secrets);
  }

  check(event: RunEvent): void {
    for (const mask of masksIn(event)) this.#masks.add(mask);
    if (event.kind === 'WorkflowResult') this.#artifacts.push(...event.attachments);
    if (event.kind === 'ExecutionCommand') this.#checkCommand(event);
  }

  #checkCommand({ metadata }: ExecutionCommandEvent): void {
    const listed = metadata.artifacts ?? [];
    const expected = metadata.step_sequence_id < 0 ? [] : this.#artifacts;
    must(listed.join() === expected.join(), `A command lists the artifacts "${listed.join()}".`);
  }

  checkRun(run: Run): void {
    must(run.masks.join() === [...this.#masks].join(), `The run masks "${run.masks.join()}".`);
  }
}
