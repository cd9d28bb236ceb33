/** `--timeout` of waiting commands, with the same words in all of them. */
import { Option } from 'commander';
import { UsageError } from '../terminal/problem.ts';
import { readSeconds } from './option-values.ts';

/** `flag` is the option that makes the command wait; absent if it always waits. */
export function runLimitOption(flag?: string): Option {
  return limitOption(
    `${flag === undefined ? '' : `with ${flag}: `}for how long, as in 30 (seconds) or 5m; the exit code is 101 when the workflow is not over by then`,
  );
}

/** The option `--timeout` of lists that are watched, which never end. */
export function listLimitOption(flag: string): Option {
  return limitOption(`with ${flag}: end after that time, as in 30 (seconds) or 5m`);
}

function limitOption(description: string): Option {
  return new Option('--timeout <time>', description).argParser(readSeconds);
}

/** Checks the timeout of a command. Throws `UsageError` for one without an effect. */
export function checkLimit(timeout: number | undefined, flag: string, goesOn: boolean): void {
  if (timeout === undefined || goesOn) return;
  throw new UsageError(`--timeout goes with ${flag}.`, `add ${flag}, or leave it out.`);
}
