/** Files of definitions that an operator configures: read at the start, and anew when they change. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import type { Logger } from '../runtime/logger.ts';
import { readDocument, type SourceDocument } from './documents.ts';
import { decodeText } from './json.ts';

/** What the files define. */
export interface DefinitionKind<Definition> {
  /** For messages: `quality gates`. */
  readonly name: string;
  /** Throws `Invalid` with all that is wrong in a document. */
  parse(document: SourceDocument): readonly Definition[];
  /** Why the definitions of all files do not go together, as `Invalid`; absent where they always do. */
  check?(definitions: readonly Definition[]): void;
  /** What whoever wrote the definitions should know, as sentences. */
  warnings(definitions: readonly Definition[]): readonly string[];
  readonly limits: { readonly definitionBytes: number; readonly files: number };
}

interface DefinitionFile {
  readonly path: string;
  readonly size: bigint;
  /** Another text once the file is another one, or has another content. */
  readonly mark: string;
}

interface Loaded<Definition> {
  readonly mark: string;
  readonly definitions: readonly Definition[];
}

/**
 * Reads the definitions of all paths; of a directory, its files `*.yaml` and `*.yml` by name. Throws `Invalid` naming the file
 * and all that is wrong in it: a definition that is missing is noticed when somebody relies on it.
 */
export async function loadDefinitionFiles<Definition>(
  kind: DefinitionKind<Definition>,
  paths: readonly string[],
  logger: Logger,
): Promise<DefinitionFiles<Definition>> {
  const { mark, read } = await lookAt(kind, paths);
  return new DefinitionFiles(kind, paths, logger, { mark, definitions: await read() });
}

/**
 * Looks before each use whether a file changed, and reads all of them anew then. Definitions that became wrong are told in the
 * log, and the last good ones stay in use.
 */
export class DefinitionFiles<Definition> {
  readonly #kind: DefinitionKind<Definition>;
  readonly #paths: readonly string[];
  readonly #logger: Logger;
  #loaded: Loaded<Definition>;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(
    kind: DefinitionKind<Definition>,
    paths: readonly string[],
    logger: Logger,
    loaded: Loaded<Definition>,
  ) {
    this.#kind = kind;
    this.#paths = paths;
    this.#logger = logger;
    this.#loaded = loaded;
    this.#warn();
  }

  /** False when none are configured, whatever files there are. */
  get isConfigured(): boolean {
    return this.#paths.length > 0;
  }

  /** All of them, in the order of the files. */
  async all(): Promise<readonly Definition[]> {
    if (this.isConfigured) {
      // One after the other, so that what was read first is never in use last.
      this.#refreshing = this.#refreshing.then(() => this.#refresh());
      await this.#refreshing;
    }
    return this.#loaded.definitions;
  }

  async #refresh(): Promise<void> {
    const { mark, read } = await lookAt(this.#kind, this.#paths);
    if (mark === this.#loaded.mark) return;
    try {
      this.#loaded = { mark, definitions: await read() };
      this.#logger.info(`The ${this.#kind.name} were read anew.`);
      this.#warn();
    } catch (error) {
      // With the new mark, so that it is told once.
      this.#loaded = { ...this.#loaded, mark };
      this.#logger.error({ err: error }, `The changed ${this.#kind.name} are not usable.`);
    }
  }

  #warn(): void {
    for (const warning of this.#kind.warnings(this.#loaded.definitions)) this.#logger.warn(warning);
  }
}

/** What is there to read; where that cannot even be said, reading fails. */
async function lookAt<Definition>(kind: DefinitionKind<Definition>, paths: readonly string[]) {
  try {
    const files = await definitionFiles(kind, paths);
    const mark = files.map((file) => file.mark).join('\n');
    return { mark, read: () => readAll(kind, files) };
  } catch (error) {
    const mark = error instanceof Error ? error.message : String(error);
    return { mark, read: () => Promise.reject(error) };
  }
}

async function definitionFiles(
  { name, limits }: Pick<DefinitionKind<never>, 'name' | 'limits'>,
  paths: readonly string[],
): Promise<readonly DefinitionFile[]> {
  const files: DefinitionFile[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path)) files.push(await look(file));
  }
  if (files.length > limits.files) {
    const subject = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    throw new OrchestratorError(
      'Invalid',
      `${subject} may be defined in ${limits.files} files at most, not in ${files.length}.`,
    );
  }
  return files;
}

async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
    return names.sort().map((name) => join(path, name));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function look(path: string): Promise<DefinitionFile> {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    return { path, size, mark: [path, size, mtimeNs, ctimeNs, ino].join(':') };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function readAll<Definition>(
  kind: DefinitionKind<Definition>,
  files: readonly DefinitionFile[],
): Promise<readonly Definition[]> {
  const definitions: Definition[] = [];
  for (const file of files) definitions.push(...(await readOne(kind, file)));
  kind.check?.(definitions);
  return definitions;
}

async function readOne<Definition>(
  { parse, limits }: DefinitionKind<Definition>,
  { path, size }: DefinitionFile,
): Promise<readonly Definition[]> {
  try {
    if (size > limits.definitionBytes) {
      throw new OrchestratorError(
        'Invalid',
        `it may have ${limits.definitionBytes} bytes at most.`,
      );
    }
    return parse(readDocument(decodeText(await readFile(path), 'The definition')));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): OrchestratorError {
  if (isOrchestratorError(cause)) {
    return new OrchestratorError('Invalid', `${path}: ${cause.message}`, {
      details: cause.details,
      cause,
    });
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OrchestratorError('Invalid', `${path}: cannot be read: ${why}`, { cause });
}
