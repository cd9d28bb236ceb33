/** Programs for tests that are no Node packages: found, or installed if allowed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Several test files may want something at a time. */
const OTHERS_WITHIN_S = 240;

/** The path of a program; null if it is missing. */
export function inPath(program: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? null;
}

/** Installs with Debian's package manager, if allowed; null if not, or on failure. */
export function installedProgram(program: string, packages: readonly string[]): string | null {
  if (process.getuid?.() !== 0 || inPath('apt-get') === null) return null;
  const install = () => aptGet('install', '-y', '--no-install-recommends', ...packages);
  // The package lists may be outdated.
  if (!install() && aptGet('update')) install();
  return inPath(program);
}

function aptGet(...args: readonly string[]): boolean {
  try {
    // At this run level no service is started by its installation.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    const options = ['-o', `DPkg::Lock::Timeout=${OTHERS_WITHIN_S}`];
    execFileSync('apt-get', [...options, ...args], { env, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
