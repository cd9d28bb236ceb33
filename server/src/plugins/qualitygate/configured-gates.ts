/** The quality gates that the server knows by name: the built-in ones and those of the configured files. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isOrchestratorError, OrchestratorError } from '@tutti/manifests';
import { BUILT_IN_GATES, type QualityGate } from '@tutti/workflow';
import { readDocument } from '../../http/documents.ts';
import { decodeText } from '../../http/json.ts';
import type { Logger } from '../../runtime/logger.ts';
import { duplicateWarning, type FoundGate, findGate, gatesOfChecked } from './gate-document.ts';
import { GATE_LIMITS } from './limits.ts';

interface DefinitionFile {
  readonly path: string;
  readonly size: bigint;
  /** Another text once the file is another one, or has another content. */
  readonly mark: string;
}

/**
 * Reads the definitions of all paths; of a directory, its files `*.yaml` and `*.yml` by name. Throws `Invalid` naming the file
 * and all that is wrong in it: a gate that is missing is noticed when a release waits for it.
 */
export async function loadConfiguredGates(
  paths: readonly string[],
  logger: Logger,
): Promise<ConfiguredGates> {
  const { mark, read } = await lookAt(paths);
  return new ConfiguredGates(paths, logger, { mark, gates: await read() });
}

interface Loaded {
  readonly mark: string;
  readonly gates: readonly QualityGate[];
}

/**
 * Looks before each use whether a file changed, and reads all of them anew then. Definitions that became wrong are told in the
 * log, and the last good ones stay in use.
 */
export class ConfiguredGates {
  readonly #paths: readonly string[];
  readonly #logger: Logger;
  #loaded: Loaded;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(paths: readonly string[], logger: Logger, loaded: Loaded) {
    this.#paths = paths;
    this.#logger = logger;
    this.#loaded = loaded;
    this.#warnOfDuplicates();
  }

  async find(name: string): Promise<FoundGate | null> {
    if (this.#paths.length > 0) {
      // One after the other, so that what was read first is never in use last.
      this.#refreshing = this.#refreshing.then(() => this.#refresh());
      await this.#refreshing;
    }
    return findGate(BUILT_IN_GATES, name) ?? findGate(this.#loaded.gates, name);
  }

  async #refresh(): Promise<void> {
    const { mark, read } = await lookAt(this.#paths);
    if (mark === this.#loaded.mark) return;
    try {
      this.#loaded = { mark, gates: await read() };
      this.#logger.info('The quality gates were read anew.');
      this.#warnOfDuplicates();
    } catch (error) {
      // With the new mark, so that it is told once.
      this.#loaded = { ...this.#loaded, mark };
      this.#logger.error({ err: error }, 'The changed quality gates are not usable.');
    }
  }

  #warnOfDuplicates(): void {
    const names = this.#loaded.gates.map(({ name }) => name);
    const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
    for (const name of new Set(duplicates)) this.#logger.warn(duplicateWarning(name));
  }
}

/** What is there to read; where that cannot even be said, reading fails. */
async function lookAt(paths: readonly string[]) {
  try {
    const files = await definitionFiles(paths);
    const mark = files.map((file) => file.mark).join('\n');
    return { mark, read: () => readAll(files) };
  } catch (error) {
    const mark = error instanceof Error ? error.message : String(error);
    return { mark, read: () => Promise.reject(error) };
  }
}

async function definitionFiles(paths: readonly string[]): Promise<readonly DefinitionFile[]> {
  const files: DefinitionFile[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path)) files.push(await look(file));
  }
  if (files.length > GATE_LIMITS.files) {
    throw new OrchestratorError(
      'Invalid',
      `Quality gates may be defined in ${GATE_LIMITS.files} files at most, not in ${files.length}.`,
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

async function readAll(files: readonly DefinitionFile[]): Promise<readonly QualityGate[]> {
  const gates: QualityGate[] = [];
  for (const file of files) gates.push(...(await readFileOfGates(file)));
  return gates;
}

async function readFileOfGates({ path, size }: DefinitionFile): Promise<readonly QualityGate[]> {
  try {
    if (size > GATE_LIMITS.definitionBytes) {
      throw new OrchestratorError(
        'Invalid',
        `it may have ${GATE_LIMITS.definitionBytes} bytes at most.`,
      );
    }
    const text = decodeText(await readFile(path), 'The definition');
    return gatesOfChecked(readDocument(text)).map(refuseBuiltIn);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Whoever asks for `strict` must get what the interface says it is. */
function refuseBuiltIn(gate: QualityGate): QualityGate {
  if (BUILT_IN_GATES.every(({ name }) => name !== gate.name)) return gate;
  throw new OrchestratorError(
    'Invalid',
    `The quality gate "${gate.name}" is built in and cannot be defined anew.`,
  );
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
