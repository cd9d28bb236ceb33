/** A Git repository with the file of a local runner, which it works in. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runToItsEnd } from './program.ts';

/** Writes `files` into a new repository, and commits them. Contents are JSON, which YAML readers accept. */
export async function makeRepository(
  folder: string,
  files: Readonly<Record<string, object>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content));
  }
  const git = (...args: readonly string[]) => runToItsEnd({ command: 'git', args, folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('remote', 'add', 'origin', 'git@localhost:bench/others.git');
  await git('add', ...Object.keys(files));
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  await git(...who, 'commit', '--quiet', '-m', 'bench');
}
