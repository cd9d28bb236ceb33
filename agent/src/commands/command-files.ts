/** The two files of a command: its script, and the file of variables it may leave. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { VARIABLES_BYTES_MAX } from '../limits.ts';
import { makeDirectory } from '../make-directory.ts';
import type { RunCommand } from '../protocol.ts';

/** Where the agent keeps what. Both are absolute. */
export interface AgentFolders {
  /** Commands run here, and relative paths of attachments are below it. */
  readonly workspaceDir: string;
  /** Scripts are written here. */
  readonly scriptPath: string;
}

/** Creates what is missing; other files are left alone. */
export function createFolders({ workspaceDir, scriptPath }: AgentFolders): void {
  makeDirectory(workspaceDir);
  makeDirectory(scriptPath);
}

/**
 * Synchronous, as the file is small and the command waits for it. Only the agent's user can read it: variables of the
 * workflow, also secret ones, are in there.
 */
export function writeScript(
  { filename, content, directory }: RunCommand,
  folders: AgentFolders,
): void {
  createFolders(folders);
  if (directory !== null) tryToMake(path.join(folders.workspaceDir, directory));
  writeFileSync(path.resolve(folders.scriptPath, filename), content, { mode: 0o600 });
}

/** Where that fails, the script tries it as well, and says why. */
function tryToMake(directory: string): void {
  try {
    mkdirSync(directory);
  } catch {
    return;
  }
}

/** The lines of the file without line ends; null when it is not there. Throws when it cannot be read or is too large. */
export function readVariables(variablesPath: string, folders: AgentFolders): string[] | null {
  const file = path.resolve(folders.workspaceDir, variablesPath);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return null;
  if (size > VARIABLES_BYTES_MAX) {
    throw new Error(`${file} has ${size} bytes, more than the ${VARIABLES_BYTES_MAX} allowed.`);
  }
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
