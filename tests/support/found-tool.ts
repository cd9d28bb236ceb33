/** Tools that tests need and that this repository does not bring: found on the machine, or said to be missing. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'vitest';
import { installedProgram } from './debian-program.ts';

/** A tool that a test needs, or the reason why it is missing. */
export type Found<Tool> = { readonly tool: Tool } | { readonly missing: string };

/** The tool; without it, the test is skipped with a message. */
export function need<Tool>(
  found: Found<Tool>,
  what: string,
  { skip }: Pick<TestContext, 'skip'>,
): Tool {
  if ('tool' in found) return found.tool;
  process.stderr.write(`SKIPPED: ${what} was not run, ${found.missing}\n`);
  return skip(found.missing);
}

/** The first existing program; null if none exists. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)];
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => existsSync(file)) ?? null;
}

/** A program of the machine. */
export const programFound = (name: string, file: string | null): Found<string> =>
  file === null ? { missing: `there is no ${name}` } : { tool: file };

/** A program of a package of Debian, which is installed if this may be done here. */
export function installDebian(program: string, wanted: string): Found<string> {
  return programFound(program, findProgram(program) ?? installedProgram(program, [wanted]));
}

/** Debian has the module for Python environments in a package of its own. */
export function installPython(): Found<string> {
  const python = installDebian('python3', 'python3-venv');
  if ('missing' in python) return python;
  const hasVenv = () => spawnSync(python.tool, ['-c', 'import ensurepip']).status === 0;
  if (!hasVenv()) installedProgram('python3', ['python3-venv']);
  return hasVenv() ? python : { missing: 'there is no python3 with venv' };
}
