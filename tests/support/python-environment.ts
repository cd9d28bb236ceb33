/** Environments of Python: one is made, with pip, and all others begin as copies of it. To make one takes five seconds of a processor. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { runInstaller, toolCache } from './tool-cache.ts';

const cache = toolCache('python');

/** How pip is called by `bin/python` of an environment: the first line of its script would name the environment that was copied. */
export const PIP: readonly string[] = [
  ...['-m', 'pip', '--disable-pip-version-check', '--no-input', '--retries=2'],
];

/** Makes the folder, which is not there yet, an environment of this Python. */
export async function makeEnvironment(python: string, folder: string): Promise<void> {
  const made = await cache.install('environment', (first) =>
    runInstaller(python, ['-m', 'venv', join(first, 'copied')], cache.folder),
  );
  if ('missing' in made) throw new Error(made.missing);
  await cp(join(made.tool, 'copied'), folder, {
    recursive: true,
    // What Python compiled counts as long as its source has the time that it had.
    preserveTimestamps: true,
    verbatimSymlinks: true,
  });
}
