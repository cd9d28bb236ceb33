/**
 * The directories whose files workflow commands may move. What a step prints may come from anywhere, so it names files of its
 * workspace and no others, unless whoever runs the agent allows more.
 */
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { RunOrder } from '@tutti/manifests';

/** Where the agent keeps what. Both are absolute. */
export interface AgentFolders {
  /** Commands run here, and relative paths of attachments are below it. */
  readonly workspaceDir: string;
  /** Scripts are written here. */
  readonly scriptPath: string;
}

export interface JobPlaces {
  /** A command of a job begins: what it says of its workspace holds until another command says so. */
  begin(command: Pick<RunOrder, 'command_id' | 'workspace'>): void;
  /** Real paths; those that are not there are left out. */
  roots(): readonly string[];
  /** Another directory of the job that runs, until the next job begins. */
  add(directory: string): void;
}

/** Ids of commands are those of their jobs, a slash, and a number. */
export const jobOf = (commandId: string): string => commandId.replace(/\/[^/]*$/, '');

export function createJobPlaces(
  { workspaceDir }: AgentFolders,
  allowed: readonly string[],
): JobPlaces {
  let jobId: string | null = null;
  let workspace: string | null = null;
  let more: readonly string[] = [];
  return {
    begin: (command) => {
      const next = jobOf(command.command_id);
      if (next !== jobId) [workspace, more] = [ownWorkspace(workspaceDir, next), []];
      jobId = next;
      const named = command.workspace;
      // Resolved now: what steps put in its place later does not count.
      if (named === next) workspace = ownWorkspace(workspaceDir, next);
      else if (named !== undefined) workspace = realOf(path.resolve(workspaceDir, named));
    },
    roots: () => [
      ...[workspace, ...more].filter((root) => root !== null),
      ...allowed.flatMap((directory) => realOf(directory) ?? []),
    ],
    add: (directory) => {
      more = [...more, directory];
    },
  };
}

/** Right below the directory that commands run in, whatever a step made of it: its own name is not resolved. */
function ownWorkspace(workspaceDir: string, jobId: string): string | null {
  const parent = realOf(workspaceDir);
  const isName = !/[/\\]|^\.{0,2}$/.test(jobId);
  return parent !== null && isName ? path.join(parent, jobId) : null;
}

/** Where the path leads; that of a directory which is not there yet leads where it will be. Null when it cannot be told. */
function realOf(directory: string): string | null {
  try {
    return realpathSync(directory);
  } catch {
    return realOfMissing(directory);
  }
}

function realOfMissing(directory: string): string | null {
  const parent = path.dirname(directory);
  // A link that leads nowhere may lead somewhere later.
  if (parent === directory || isThere(directory)) return null;
  const real = realOf(parent);
  return real === null ? null : path.join(real, path.basename(directory));
}

function isThere(at: string): boolean {
  try {
    lstatSync(at);
    return true;
  } catch {
    return false;
  }
}
