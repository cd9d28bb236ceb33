/** The definitions of an operator: files, and directories of files. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { fileMark } from '../runtime/file-mark.ts';
import { readDocument, type SourceDocument } from './documents.ts';
import { readTextFile } from './text-files.ts';

/** The kind of definitions in the files. */
export interface DefinitionKind<Definition> {
  /** For messages: `quality gates`. */
  readonly name: string;
  /** Throws `Invalid` with all that is wrong in a document. */
  parse(document: SourceDocument): readonly Definition[];
  /** Remarks about an accepted document that is probably a mistake, as sentences. */
  remarks?(document: SourceDocument): readonly string[];
  /** Conflicts between the definitions of all files, as `Invalid`; absent if none are possible. */
  check?(definitions: readonly Definition[]): void;
  /** Warnings for the author of the definitions, as sentences. */
  warnings(definitions: readonly Definition[]): readonly string[];
  readonly limits: { readonly definitionBytes: number; readonly files: number };
}

/** The files behind a configured path. */
export interface FoundPath {
  readonly path: string;
  readonly files: readonly {
    readonly path: string;
    /** Changes when the file or its content is replaced. */
    readonly mark: string;
  }[];
  /** Reason why the path cannot be read; else null. */
  readonly problem: string | null;
  /** The error that was thrown. */
  readonly cause?: unknown;
}

/** Finds the files; in a directory, its `*.yaml` and `*.yml` by name. Never rejects. */
export async function findDefinitions(paths: readonly string[]): Promise<readonly FoundPath[]> {
  const found: FoundPath[] = [];
  for (const path of paths) found.push(await find(path));
  return found;
}

async function find(path: string): Promise<FoundPath> {
  try {
    const files: FoundPath['files'][number][] = [];
    for (const file of await filesOf(path)) files.push({ path: file, mark: await fileMark(file) });
    return { path, files, problem: null };
  } catch (error) {
    return { path, files: [], problem: whyUnusable(error), cause: error };
  }
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
  return names.sort().map((name) => join(path, name));
}

/** Checks the number of files. Throws `Invalid` for too many. */
export function refuseTooMany(
  { name, limits }: Pick<DefinitionKind<never>, 'name' | 'limits'>,
  found: readonly FoundPath[],
): void {
  const count = found.reduce((sum, { files }) => sum + files.length, 0);
  if (count <= limits.files) return;
  const subject = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  throw new OrchestratorError(
    'Invalid',
    `${subject} may be defined in ${limits.files} files at most, not in ${count}.`,
  );
}

export interface ReadDefinitions<Definition> {
  readonly definitions: readonly Definition[];
  readonly remarks: readonly string[];
}

/** Reads the definitions of a file. Rejects with its problems, or with the reason why it cannot be read; `whyUnusable` formats both. */
export async function readDefinitions<Definition>(
  { parse, remarks, limits }: Pick<DefinitionKind<Definition>, 'parse' | 'remarks' | 'limits'>,
  path: string,
): Promise<ReadDefinitions<Definition>> {
  const document = readDocument(await readTextFile(path, 'The definition', limits.definitionBytes));
  return { definitions: parse(document), remarks: remarks?.(document) ?? [] };
}

export function whyUnusable(error: unknown): string {
  if (isOrchestratorError(error)) return error.message;
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

/** `Invalid` for a server that does not start, with the file and its problems. */
export function unusableFile(path: string, cause: unknown): OrchestratorError {
  const details = isOrchestratorError(cause) ? { details: cause.details } : {};
  return new OrchestratorError('Invalid', `${path}: ${whyUnusable(cause)}`, { ...details, cause });
}
