/** Removes the leftovers of a job without a shell, whose start would take longer than the rest. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Removal } from '@tutti/manifests';
import type { JobSettings } from '../jobs/job-keeper.ts';
import { removeTree } from '../jobs/remove-tree.ts';

type Settings = Pick<JobSettings, 'folders' | 'keepsWorkspaces' | 'users'>;

/** False if something remains; the command's script reports why. Never rejects. */
export async function removeLeftovers(removal: Removal, settings: Settings): Promise<boolean> {
  const { folders, keepsWorkspaces, users } = settings;
  const { workspaceDir, scriptPath } = folders;
  const remove = users === null ? removePath : removeTree;
  try {
    const names = await readdir(scriptPath);
    // Concurrently: a workspace may take long, and one refusal must not keep the others.
    const ends = await Promise.allSettled([
      ...(keepsWorkspaces ? [] : [remove(workspaceDir, removal.directory)]),
      ...names.filter((name) => isScript(name, removal)).map((name) => remove(scriptPath, name)),
    ]);
    return ends.every(({ status }) => status === 'fulfilled');
  } catch {
    return false;
  }
}

/** The pattern of the script, with at most one match per name. */
const isScript = (name: string, { prefix, suffix }: Removal): boolean =>
  name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix);

const removePath = (directory: string, name: string): Promise<void> =>
  rm(path.join(directory, name), { recursive: true, force: true });
