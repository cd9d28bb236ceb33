/** A file of its own, so that only watching commands load the code for it. */
import { type Command, Option } from 'commander';
import { checkLimit, listLimitOption, runLimitOption } from './time-limit.ts';

export interface WatchOptions {
  readonly watch?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** `-w, --watch` and `--timeout` of a list that never ends. */
export function withWatch(command: Command): Command {
  return command.addOption(watchOption()).addOption(listLimitOption('--watch'));
}

/** Adds `--watch` to a list that ends with its run. */
export function withRunWatch(command: Command): Command {
  return command.addOption(watchOption()).addOption(runLimitOption('--watch'));
}

function watchOption(): Option {
  return new Option(
    '-w, --watch',
    'show changes until Ctrl-C. On a terminal, the table is updated; elsewhere, each new or changed row is a line (with -o json: a document)',
  );
}

/** Checks the options of a watched list. Throws `UsageError` for a timeout without an effect. */
export function checkWatchOptions({ watch = false, timeout }: WatchOptions): void {
  checkLimit(timeout, '--watch', watch);
}
