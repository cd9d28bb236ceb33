/** The tools that the tests of technologies run: those of the machine, and those that are installed once, outside of the sources. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/technologies');
/** Where a registry does not answer by then, it will not. */
const INSTALL_WITHIN_MS = 120_000;

/** The folder of a project whose tests pass, fail, break and are skipped. */
export const projectFolder = (name: string): string => join(import.meta.dirname, 'projects', name);

/** The first of the programs that is there; null when none is. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)];
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => existsSync(file)) ?? null;
}

/** What a test needs; or why it cannot be had here. */
export type Found<Tool> = { readonly tool: Tool } | { readonly missing: string };

/** The programs of the packages of Python's index, as the folder that they are in. */
export async function installPython(...wanted: readonly string[]): Promise<Found<string>> {
  const python = findProgram('python3');
  if (python === null) return { missing: 'there is no python3' };
  const name = `python-${digest(wanted.join(' '))}`;
  const made = await install(name, async (folder) => {
    await run(python, ['-m', 'venv', folder], CACHE);
    const pip = ['-m', 'pip', 'install', '--quiet', '--retries', '1', '--timeout', '20'];
    await run(join(folder, 'bin/python'), [...pip, ...wanted], CACHE);
  });
  return 'missing' in made ? made : { tool: join(made.tool, 'bin') };
}

/** The folder `node_modules` of a project, as its lock file has it. */
export async function installNode(project: string): Promise<Found<string>> {
  const source = projectFolder(project);
  const lock = await readFile(join(source, 'package-lock.json'), 'utf8');
  const made = await install(`${project}-${digest(lock)}`, async (folder) => {
    await mkdir(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json'])
      await cp(join(source, file), join(folder, file));
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    // Not "ci": that wants optional packages of all systems to be in the lock file.
    await run('npm', ['install', ...options, '--loglevel=error'], folder);
  });
  return 'missing' in made ? made : { tool: join(made.tool, 'node_modules') };
}

/** The packages that this repository has itself. */
export const ownPackages: Found<string> = { tool: join(ROOT, 'node_modules') };

/** Makes a folder of the cache whole, or not at all. */
async function install(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<Found<string>> {
  const folder = join(CACHE, name);
  const marker = join(folder, '.installed');
  if (existsSync(marker)) return { tool: folder };
  await mkdir(CACHE, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  try {
    await make(folder);
    await mkdir(`${marker}.part`, { recursive: true });
    await rename(`${marker}.part`, marker);
    return { tool: folder };
  } catch (error) {
    return { missing: `${name} cannot be installed: ${String(error).slice(0, 500)}` };
  }
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const options = { cwd, timeout: INSTALL_WITHIN_MS, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, _, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${error.message.slice(0, 200)}\n${stderr.slice(-1000)}`));
    });
  });
}

/** A program of the machine. */
export const programFound = (name: string, file: string | null): Found<string> =>
  file === null ? { missing: `there is no ${name}` } : { tool: file };

/** A program of a package of Debian, which is installed if this may be done here. */
export function installDebian(program: string, wanted: string): Found<string> {
  const found = findProgram(program);
  if (found !== null) return { tool: found };
  if (process.getuid?.() !== 0 || findProgram('apt-get') === null)
    return { missing: `there is no ${program}` };
  const install = () => aptGet('install', '-y', '--no-install-recommends', wanted);
  // What is known of packages may be too old to fetch them.
  if (!install() && aptGet('update')) install();
  return programFound(program, findProgram(program));
}

function aptGet(...args: readonly string[]): boolean {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    execFileSync('apt-get', args, { env, stdio: 'pipe', timeout: INSTALL_WITHIN_MS });
    return true;
  } catch {
    return false;
  }
}

/** Maven, once it has all that the tests of a project need. */
export async function fetchWithMaven(project: string): Promise<Found<string>> {
  const maven = installDebian('mvn', 'maven');
  if ('missing' in maven) return maven;
  const source = projectFolder(project);
  const made = await install(
    `maven-${digest(await readFile(join(source, 'pom.xml'), 'utf8'))}`,
    async (folder) => {
      await cp(source, folder, { recursive: true });
      // Fails, as tests of the project do.
      const words = ['--batch-mode', '--quiet', '-Dmaven.test.failure.ignore=true', 'test'];
      await run(maven.tool, words, folder);
    },
  );
  return 'missing' in made ? made : maven;
}
