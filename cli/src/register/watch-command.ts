/** The command that follows a started run. */
import type { Command } from 'commander';
import type { WatchOptions } from '../commands/watch-run.ts';
import { withConnection } from '../options/connection-options.ts';
import { runLimitOption } from '../options/time-limit.ts';
import { addViewOptions } from '../options/view-options.ts';
import type { Act } from './act.ts';

/** `group` is that of the workflows. */
export function addWatchCommand(group: Command, act: Act): void {
  const watch = group
    .command('watch')
    .description('Follow a workflow to its end, as "tutti run --wait" does.');
  addViewOptions(withConnection(watch), 'tutti workflows watch 0198')
    .argument(
      '[id]',
      'id of a workflow, or the beginning of one; the one that was started last if absent',
    )
    .addOption(runLimitOption())
    .option('--no-hints', 'do not say what can be done next')
    .addHelpText('after', WATCH_HELP)
    .action(async (id: string | undefined, options: WatchOptions) => {
      const { watchRun } = await import('../commands/watch-run.ts');
      await act((io) => watchRun(id, options, io));
    });
}

const WATCH_HELP = `
Ctrl-C leaves, and so does the end of --timeout; the workflow goes on.

Exit codes:
  0  the workflow succeeded
  1  it failed, or was canceled
  2  wrong use, a refusal of the server, or a server that cannot be reached
  101  with --timeout: it is not over by then
  130, 143  Ctrl-C, or SIGTERM, while it goes on`;
