/** Environments of Python: one is made with pip, and others are copies. Making one takes five seconds of a processor. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { runInstaller, toolCache } from './tool-cache.ts';

const cache = toolCache('python');

/** Arguments that call pip through `bin/python`: the first line of pip's own script would name the copied environment. */
export const PIP: readonly string[] = [
  ...['-m', 'pip', '--disable-pip-version-check', '--no-input', '--retries=2'],
];

/** Makes the folder, which must be missing, an environment of this Python. */
export async function makeEnvironment(python: string, folder: string): Promise<void> {
  const made = await cache.install('environment', (first) =>
    runInstaller(python, ['-m', 'venv', join(first, 'copied')], cache.folder),
  );
  if ('missing' in made) throw new Error(made.missing);
  await cp(join(made.tool, 'copied'), folder, {
    recursive: true,
    // Compiled Python files are valid only while their sources keep their times.
    preserveTimestamps: true,
    verbatimSymlinks: true,
  });
}
