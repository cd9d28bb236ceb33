/** The source files of the repository, read once per test file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The folder of the repository. */
export const ROOT = join(import.meta.dirname, '..', '..');
const FOLDERS = ['packages', 'server', 'agent', 'cli', 'web', 'bench', 'scripts', 'tests'] as const;
/** `projects` are those that tests run tools on. */
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', 'projects']);
const SOURCE = /\.(?:tsx?|mjs|js)$/;

/** All sources, those of tests included, in the order of their paths. */
export function readSourceFiles(): readonly SourceFile[] {
  return FOLDERS.flatMap((folder) => filesBelow(join(ROOT, folder)))
    .filter((file) => SOURCE.test(file))
    .map((file) => ({ path: toRepositoryPath(file), text: readFileSync(file, 'utf8') }));
}

/** A file of the repository as text; throws when it is not there. */
export function readRepositoryFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Names of the folders right below one of the repository. */
export function foldersIn(path: string): readonly string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/** Names of the files at the root of the repository that match. */
export function rootFiles(pattern: RegExp): readonly string[] {
  return readdirSync(ROOT).filter((name) => pattern.test(name));
}

/** Paths of the files below a folder that match, from the root of the repository. None if there is no such folder. */
export function pathsBelow(path: string, pattern: RegExp): readonly string[] {
  if (!existsSync(join(ROOT, path))) return [];
  return filesBelow(join(ROOT, path))
    .map(toRepositoryPath)
    .filter((file) => pattern.test(file));
}

/**
 * Tests and what only they use: conformance suites, samples, scripted servers. They may be long and need not be pure, but keep
 * to the import table.
 */
export function isTestCode(path: string): boolean {
  return (
    path.startsWith('tests/') ||
    /\.test\.ts$|\.fixture\.ts$|(?:^|\/)testing\.ts$|-conformance\.ts$|\/conformance-target\.ts$/.test(
      path,
    ) ||
    /\/(?:testing|conformance|fixtures)\//.test(path)
  );
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

function toRepositoryPath(file: string): string {
  return relative(ROOT, file).split(sep).join('/');
}
