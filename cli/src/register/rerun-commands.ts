/** The commands that run a workflow again, or remove it. */
import type { Command } from 'commander';
import type { DeleteOptions } from '../commands/delete-workflows.ts';
import type { RerunOptions } from '../commands/rerun.ts';
import { withConnection } from '../options/connection-options.ts';
import { addEndOptions } from '../options/end-options.ts';
import { withLocalOptions } from '../options/local-options.ts';
import { addNames } from '../options/option-values.ts';
import { withSelectors } from '../options/selector-options.ts';
import { addViewOptions } from '../options/view-options.ts';
import type { Act } from './act.ts';

/** `group` is that of the workflows. */
export function addRerunCommands(group: Command, act: Act): void {
  addRerunCommand(group, act);
  addDeleteCommand(group, act);
}

function addRerunCommand(group: Command, act: Act): void {
  const rerun = group
    .command('rerun')
    .description('Run a workflow again, with all that it was started with.');
  addEndOptions(
    addViewOptions(withLocalOptions(withConnection(rerun)), 'tutti workflows rerun 0198 --wait'),
  )
    .argument(
      '[id]',
      'id of a workflow, or the beginning of one; the one that was started last if absent',
    )
    .option('--failed', 'run only what failed or did not run; what succeeded is taken over')
    .option(
      '--jobs <list>',
      'run only these jobs and what they need, separated by commas',
      addNames('--jobs'),
    )
    .option('--wait', 'follow the run to its end: exit code 0 when it is done, 1 when it failed')
    .option('--no-hints', 'with --wait: do not say what can be done next')
    .addHelpText('after', RERUN_HELP)
    .action(async (id: string | undefined, options: RerunOptions) => {
      const { rerunWorkflow } = await import('../commands/rerun.ts');
      await act((io) => rerunWorkflow(id, options, io));
    });
}

const RERUN_HELP = `
Inputs, variables and resource files are those of the earlier run. Test cases and attachments of jobs that are taken over stay with it; a gate judges both.

Examples:
  tutti workflows rerun 0198 --failed --wait
  tutti workflows rerun 0198 --jobs unit-tests`;

function addDeleteCommand(group: Command, act: Act): void {
  const remove = group
    .command('delete')
    .description('Remove workflows that are over: their events, logs, files and test cases.');
  withSelectors(
    withConnection(remove).argument('[ids...]', 'ids of workflows, or the beginnings of them'),
  )
    .option('--dry-run', 'say what would be deleted, and delete nothing')
    .option('-y, --yes', 'do not ask before the workflows of selectors are removed')
    .addHelpText('after', DELETE_HELP)
    .action(async (ids: readonly string[], options: DeleteOptions) => {
      const { deleteWorkflows } = await import('../commands/delete-workflows.ts');
      await act((io) => deleteWorkflows(ids, options, io));
    });
}

const DELETE_HELP = `
Selectors choose among those that are over. One that goes on is refused: cancel it first, with "tutti cancel".

Exit codes:
  0  all of them are deleted, or there was nothing to delete
  2  one of them could not be deleted; the others were

Examples:
  tutti workflows delete 0198 01a3
  tutti workflows delete -l team=web --dry-run`;
