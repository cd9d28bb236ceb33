/** What a job left on this machine goes without a shell: starting one takes longer than all of the rest. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Removal } from '../protocol.ts';
import type { AgentFolders } from './command-files.ts';

/** False when something is still there, of which the script of the command tells why. Never rejects. */
export async function removeLeftovers(
  removal: Removal,
  { workspaceDir, scriptPath }: AgentFolders,
  keepsWorkspaces = false,
): Promise<boolean> {
  try {
    const names = await readdir(scriptPath);
    const scripts = names.filter((name) => isScript(name, removal));
    const paths = [
      ...(keepsWorkspaces ? [] : [path.join(workspaceDir, removal.directory)]),
      ...scripts.map((name) => path.join(scriptPath, name)),
    ];
    // Not one by one: a workspace may take long, and a refusal of one is no reason to leave the others.
    const ends = await Promise.allSettled(paths.map(remove));
    return ends.every(({ status }) => status === 'fulfilled');
  } catch {
    return false;
  }
}

/** As the script has it, which means no more than one file by each name. */
const isScript = (name: string, { prefix, suffix }: Removal): boolean =>
  name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix);

const remove = (at: string): Promise<void> => rm(at, { recursive: true, force: true });
