/** Programs of PyPI in throw-away environments of Python, one for each version, installed once. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Found, installPython } from '../support/found-tool.ts';
import { makeEnvironment, PIP } from '../support/python-environment.ts';
import { digest, runInstaller, toolCache } from '../support/tool-cache.ts';
import type { Subject } from './subjects.ts';

const CONSTRAINTS = join(import.meta.dirname, 'constraints.txt');
/** Programs with thousands of modules, most of them unused. Compiling all would take most of the installation. */
const LARGE_PROGRAMS = ['opentf-agent-operator-nightly'];

/** A program that can be started. */
export interface Installed {
  /** The environment: `bin/python` runs the files beside it. */
  readonly folder: string;
}

const cache = toolCache('interop');
const installations = new Map<string, Promise<Found<Installed>>>();

/** Missing where there is no Python or no PyPI. Rejects when PyPI is there and the program cannot be installed all the same. */
export function installed(subject: Subject): Promise<Found<Installed>> {
  const wanted = `${subject.program}==${subject.version}`;
  const found = installations.get(wanted) ?? install(subject.program, wanted);
  installations.set(wanted, found);
  return found;
}

async function install(program: string, wanted: string): Promise<Found<Installed>> {
  const python = installPython();
  if ('missing' in python) return python;
  const name = `${wanted.replace('==', '-')}-${digest(readFileSync(CONSTRAINTS, 'utf8'))}`;
  const made = await cache.install(name, async (folder) => {
    await makeEnvironment(python.tool, folder);
    const options = LARGE_PROGRAMS.includes(program) ? ['--no-compile'] : [];
    const words = [...PIP, 'install', '--quiet', ...options, '--constraint', CONSTRAINTS, wanted];
    await runInstaller(join(folder, 'bin/python'), words, cache.folder);
  });
  if ('tool' in made) return { tool: { folder: made.tool } };
  if (await canBeReached(join(cache.folder, name, 'bin/python'))) throw new Error(made.missing);
  return { missing: 'PyPI cannot be reached' };
}

/** Whether the index that pip is configured for answers. Without pip it was not the index that failed. */
async function canBeReached(python: string): Promise<boolean> {
  if (!existsSync(python)) return true;
  try {
    await runInstaller(python, [...PIP, 'index', 'versions', 'pip'], cache.folder);
    return true;
  } catch {
    return false;
  }
}
