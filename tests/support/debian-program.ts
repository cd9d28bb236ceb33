/** Programs that tests need and that are no packages of Node: found, or installed where that may be done. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Several test files may want something at a time. */
const OTHERS_WITHIN_S = 240;

/** The path of a program; null where there is none. */
export function inPath(program: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? null;
}

/** By the package manager of Debian, if this may be done here; null where it may not, or fails. */
export function installedProgram(program: string, packages: readonly string[]): string | null {
  if (process.getuid?.() !== 0 || inPath('apt-get') === null) return null;
  const install = () => aptGet('install', '-y', '--no-install-recommends', ...packages);
  // What is known of packages may be too old to fetch them.
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
