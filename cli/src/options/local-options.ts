/** The options of runs on this machine. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { addList, addPath } from './option-values.ts';

export interface LocalOptions {
  readonly local?: boolean;
  readonly tags?: readonly string[];
  readonly maxParallel?: number;
  readonly keepWorkspaces?: boolean;
  readonly allowPath?: readonly string[];
  readonly watch?: boolean;
}

const PARALLEL_MAX = 1_000;

export function withLocalOptions(command: Command): Command {
  return command
    .option('--local', 'run on this machine, whatever server is named or runs')
    .option(
      '--tags <list>',
      'on this machine: what it offers besides its operating system, as in node,docker',
      addList,
    )
    .option(
      '--max-parallel <number>',
      'on this machine: how many jobs run at a time; as many as it has processors if absent',
      readParallel,
    )
    .option(
      '--allow-path <dir>',
      'on this machine: a directory whose files ::attach, ::put and others may move, besides the current one; may be repeated',
      addPath,
    )
    .option(
      '--watch',
      'on this machine: run again whenever files below the current directory change, except files that git ignores',
    )
    .option('--keep-workspaces', 'on this machine: keep the directories of jobs, and say where');
}

function readParallel(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= PARALLEL_MAX) return number;
  throw new InvalidArgumentError(`It is a number from 1 to ${PARALLEL_MAX}.`);
}

const OS_TAGS: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' };

/** Tags of an agent without given tags: its operating system. */
export function defaultTags(platform: string): readonly string[] {
  return [OS_TAGS[platform] ?? 'linux'];
}
