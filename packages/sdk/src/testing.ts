/** Runs scripts in temporary directories, for tests of providers. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ScriptRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs lines as an environment does: bash that stops at the first failing line. */
export async function runBash(script: string, cwd: string): Promise<ScriptRun> {
  const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  return await new Promise((resolve, reject) => {
    execFile('bash', options, { cwd }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr });
      else reject(error);
    });
  });
}

export async function inTemporaryDirectory(
  use: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'provider '));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
