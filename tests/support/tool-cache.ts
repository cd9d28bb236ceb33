/** Tools that tests install once, outside of the sources: each has a folder, which is complete or missing. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import type { Found } from './found-tool.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

/** A slower registry will not answer at all. */
const INSTALL_WITHIN_MS = 120_000;

/** One test file installs a shared tool, and the others wait for it. */
const OTHERS_WITHIN_MS = 2 * INSTALL_WITHIN_MS;

export interface ToolCache {
  readonly folder: string;
  /** Only one of concurrent callers makes the tool. Failures are reported as missing. */
  install(name: string, make: (folder: string) => Promise<void>): Promise<Found<string>>;
}

/** The tools of a suite. */
export function toolCache(suite: string): ToolCache {
  const cache = join(CACHE, suite);
  return {
    folder: cache,
    async install(name, make) {
      const folder = join(cache, name);
      const marker = join(folder, '.installed');
      if (existsSync(marker)) return { tool: folder };
      await mkdir(cache, { recursive: true });
      const lock = `${folder}.lock`;
      await eventually(`the lock ${lock}`, () => isTaken(lock), { withinMs: OTHERS_WITHIN_MS });
      try {
        return existsSync(marker) ? { tool: folder } : await makeAnew(name, folder, marker, make);
      } finally {
        await rm(lock, { recursive: true, force: true });
      }
    },
  };
}

/** True once it is ours. A lock older than any installation is the leftover of a killed process. */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const made = await stat(lock).catch(() => null);
    if (made !== null && Date.now() - made.mtimeMs > OTHERS_WITHIN_MS)
      await rm(lock, { recursive: true, force: true });
    return false;
  }
}

async function makeAnew(
  name: string,
  folder: string,
  marker: string,
  make: (folder: string) => Promise<void>,
): Promise<Found<string>> {
  await rm(folder, { recursive: true, force: true });
  try {
    await make(folder);
    await mkdir(`${marker}.part`, { recursive: true });
    await rename(`${marker}.part`, marker);
    return { tool: folder };
  } catch (error) {
    return { missing: `${name} cannot be installed: ${String(error).slice(0, 1_500)}` };
  }
}

export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Runs a step of an installation; rejects with the end of its output. */
export function runInstaller(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { ...process.env, ...environment };
  const options = { cwd, env, timeout: INSTALL_WITHIN_MS, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, _, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${error.message.slice(0, 200)}\n${stderr.slice(-1_000)}`));
    });
  });
}
