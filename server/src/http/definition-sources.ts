/** Where the definitions of an operator are: files, and directories of files. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { fileMark } from '../runtime/file-mark.ts';
import { readDocument, type SourceDocument } from './documents.ts';
import { readTextFile } from './text-files.ts';

/** What the files define. */
export interface DefinitionKind<Definition> {
  /** For messages: `quality gates`. */
  readonly name: string;
  /** Throws `Invalid` with all that is wrong in a document. */
  parse(document: SourceDocument): readonly Definition[];
  /** What is taken in a document that `parse` took, and yet cannot be meant, as sentences. */
  remarks?(document: SourceDocument): readonly string[];
  /** Why the definitions of all files do not go together, as `Invalid`; absent where they always do. */
  check?(definitions: readonly Definition[]): void;
  /** What whoever wrote the definitions should know, as sentences. */
  warnings(definitions: readonly Definition[]): readonly string[];
  readonly limits: { readonly definitionBytes: number; readonly files: number };
}

/** What a configured path stands for. */
export interface FoundPath {
  readonly path: string;
  readonly files: readonly {
    readonly path: string;
    /** Another text once the file is another one, or has another content. */
    readonly mark: string;
  }[];
  /** Why that cannot be said; null where it can. */
  readonly problem: string | null;
  /** What was thrown then. */
  readonly cause?: unknown;
}

/** Of a directory, its files `*.yaml` and `*.yml` by name. Never rejects. */
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

/** Throws `Invalid` where there are more than anybody has. */
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

/** Rejects with what is wrong in the file, or why it cannot be read; `whyUnusable` tells it. */
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

/** `Invalid` for a server that does not start, with the file and what is wrong with it. */
export function unusableFile(path: string, cause: unknown): OrchestratorError {
  const details = isOrchestratorError(cause) ? { details: cause.details } : {};
  return new OrchestratorError('Invalid', `${path}: ${whyUnusable(cause)}`, { ...details, cause });
}
