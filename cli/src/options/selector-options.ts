/** Options that select among resources of a server (specification 4.1). */
import type { Selection } from '@tutti/client';
import type { Command } from 'commander';

export interface SelectorOptions {
  readonly selector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** `-l` and `--field-selector`; both must hold. */
export function withSelectors(command: Command): Command {
  return command
    .option('-l, --selector <selector>', 'those with these labels, as in "team=web,!flaky"')
    .option(
      '--field-selector <selector>',
      'those with these fields, as in "status.phase in (RUNNING, PENDING)"',
    );
}

/** The conditions as a client takes them. */
export const selectionOf = ({ selector, fieldSelector }: SelectorOptions): Selection => ({
  labelSelector: selector,
  fieldSelector,
});
