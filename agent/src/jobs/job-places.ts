/**
 * Bounds the files that workflow commands may move. Output of a step may come from any source. So it may name only files of its
 * workspace, unless the operator allows more directories.
 */
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { RunOrder } from '@tutti/manifests';

/** The folders of the agent. Both are absolute. */
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
  /** Adds another directory of the running job, until the next job begins. */
  add(directory: string): void;
}

/** The id of a command is that of its job, a slash, and a number. */
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
      // Resolved now: later replacements by steps do not count.
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

/** The directory of the job directly below the workspace folder. Its own name is not resolved, whatever a step replaced it with. */
function ownWorkspace(workspaceDir: string, jobId: string): string | null {
  const parent = realOf(workspaceDir);
  const isName = !/[/\\]|^\.{0,2}$/.test(jobId);
  return parent !== null && isName ? path.join(parent, jobId) : null;
}

/** The resolved path; for a missing directory, its future path. Null if it cannot be resolved. */
function realOf(directory: string): string | null {
  try {
    return realpathSync(directory);
  } catch {
    return realOfMissing(directory);
  }
}

function realOfMissing(directory: string): string | null {
  const parent = path.dirname(directory);
  // A dangling link may lead somewhere later.
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
