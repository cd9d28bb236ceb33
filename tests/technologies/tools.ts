/** The tools that the tests of technologies run: those of the machine, and those that are installed once, outside of the sources. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { installedProgram } from '../support/debian-program.ts';
import { eventually } from '../support/eventually.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/technologies');
/** Where a registry does not answer by then, it will not. */
const INSTALL_WITHIN_MS = 120_000;

/** What several files need is installed by one of them: so long the others wait. */
const OTHERS_WITHIN_MS = 2 * INSTALL_WITHIN_MS;

/** The example that these tests share tools with. */
export const EXAMPLE = join(ROOT, 'examples/technologies');

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

/** The tools of the example in one folder: programs of Python in `bin`, packages of Node in `node_modules`. */
export async function installExampleTools(): Promise<Found<string>> {
  const python = installPython();
  if ('missing' in python) return python;
  const wanted = ['requirements.txt', 'package.json', 'package-lock.json'].map((file) =>
    readFile(join(EXAMPLE, 'tools', file), 'utf8'),
  );
  return install(`example-${digest((await Promise.all(wanted)).join('\n'))}`, (folder) =>
    run('bash', [join(EXAMPLE, 'install.sh'), folder], CACHE),
  );
}

/** A folder of those tools. */
export async function installedTools(part: 'bin' | 'node_modules'): Promise<Found<string>> {
  const made = await installExampleTools();
  return 'missing' in made ? made : { tool: join(made.tool, part) };
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

/** Makes a folder of the cache whole, or not at all; of several who want it at a time one makes it. */
async function install(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<Found<string>> {
  const folder = join(CACHE, name);
  const marker = join(folder, '.installed');
  if (existsSync(marker)) return { tool: folder };
  await mkdir(CACHE, { recursive: true });
  const lock = `${folder}.lock`;
  await eventually(`the lock ${lock}`, () => isTaken(lock), { withinMs: OTHERS_WITHIN_MS });
  try {
    return existsSync(marker) ? { tool: folder } : await makeAnew(name, folder, marker, make);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** True once it is ours. One that is older than any installation was left by somebody who was killed. */
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
  return programFound(program, findProgram(program) ?? installedProgram(program, [wanted]));
}

/** Debian has what makes environments of Python in a package of its own. */
function installPython(): Found<string> {
  const python = installDebian('python3', 'python3-venv');
  if ('missing' in python) return python;
  const hasVenv = () => spawnSync(python.tool, ['-c', 'import ensurepip']).status === 0;
  if (!hasVenv()) installedProgram('python3', ['python3-venv']);
  return hasVenv() ? python : { missing: 'there is no python3 with venv' };
}

/** Maven, once it has all that the tests of the project in a folder need. */
export async function fetchWithMaven(source: string): Promise<Found<string>> {
  const compiler = installDebian('javac', 'default-jdk-headless');
  const maven = installDebian('mvn', 'maven');
  if ('missing' in compiler || 'missing' in maven) return 'missing' in maven ? maven : compiler;
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
