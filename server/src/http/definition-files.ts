/** Files of definitions that an operator configures: read at the start, and again when they change. */
import type { Logger } from '../runtime/logger.ts';
import {
  type DefinitionKind,
  type FoundPath,
  findDefinitions,
  readDefinitions,
  refuseTooMany,
  unusableFile,
  whyUnusable,
} from './definition-sources.ts';

/** A configured path, or a file of a directory that is configured. */
interface KnownFile<Definition> {
  readonly path: string;
  readonly mark: string;
  /** The last valid definitions; null without any. */
  readonly good: readonly Definition[] | null;
}

/** Files of each configured path, in order. */
type Known<Definition> = readonly (readonly KnownFile<Definition>[])[];

interface Loaded<Definition> {
  readonly found: readonly FoundPath[];
  readonly known: Known<Definition>;
  readonly definitions: readonly Definition[];
}

/**
 * Reads the definitions of all paths; in a directory, its `*.yaml` and `*.yml` by name. Throws `Invalid` with the file and its
 * problems, because a missing definition would be noticed too late.
 */
export async function loadDefinitionFiles<Definition>(
  kind: DefinitionKind<Definition>,
  paths: readonly string[],
  logger: Logger,
): Promise<DefinitionFiles<Definition>> {
  const found = await findDefinitions(paths);
  const lost = found.find(({ problem }) => problem !== null);
  if (lost !== undefined) throw unusableFile(lost.path, lost.cause);
  refuseTooMany(kind, found);
  const known: (readonly KnownFile<Definition>[])[] = [];
  for (const { files } of found) known.push(await readAll(kind, files, logger));
  const definitions = goodOf(known);
  kind.check?.(definitions);
  return new DefinitionFiles(kind, paths, logger, { found, known, definitions });
}

async function readAll<Definition>(
  kind: DefinitionKind<Definition>,
  files: FoundPath['files'],
  logger: Logger,
): Promise<readonly KnownFile<Definition>[]> {
  const read: KnownFile<Definition>[] = [];
  for (const { path, mark } of files) {
    try {
      read.push({ path, mark, good: await readOrLog(kind, path, logger) });
    } catch (cause) {
      throw unusableFile(path, cause);
    }
  }
  return read;
}

/** The definitions of a file; remarks go to the log. */
async function readOrLog<Definition>(
  kind: DefinitionKind<Definition>,
  file: string,
  logger: Logger,
): Promise<readonly Definition[]> {
  const { definitions, remarks } = await readDefinitions(kind, file);
  for (const remark of remarks) logger.warn({ file }, `${file}: ${remark}`);
  return definitions;
}

const isSame = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((each, index) => each === right[index]);

const goodOf = <Definition>(known: Known<Definition>): readonly Definition[] =>
  known.flat().flatMap(({ good }) => good ?? []);

/**
 * Rereads changed files before each use. A broken file is reported in the log; its last good version stays in use, as do other
 * files.
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

  /** False without configured paths. */
  get isConfigured(): boolean {
    return this.#paths.length > 0;
  }

  /** All definitions, in the order of the files. */
  async all(): Promise<readonly Definition[]> {
    if (this.isConfigured) {
      // Refreshes run one after the other, so that an older result never replaces a newer one.
      this.#refreshing = this.#refreshing.then(() => this.#refresh());
      await this.#refreshing;
    }
    return this.#loaded.definitions;
  }

  async #refresh(): Promise<void> {
    const before = this.#loaded.found;
    const found = await findDefinitions(this.#paths);
    if (JSON.stringify(found) === JSON.stringify(before)) return;
    // Stored at once, so that each problem is logged once.
    this.#loaded = { ...this.#loaded, found };
    try {
      refuseTooMany(this.#kind, found);
      await this.#take(found, before);
    } catch (error) {
      const what = `The changed ${this.#kind.name} are not usable, the last good ones stay in use`;
      this.#logger.error(`${what}: ${whyUnusable(error)}`);
    }
  }

  async #take(found: readonly FoundPath[], before: readonly FoundPath[]): Promise<void> {
    const known: (readonly KnownFile<Definition>[])[] = [];
    for (const [index, each] of found.entries()) {
      const lastGood = this.#loaded.known[index] ?? [];
      known.push(await this.#filesOf(each, lastGood, before[index]?.problem ?? null));
    }
    this.#loaded = { ...this.#loaded, known };
    const definitions = goodOf(known);
    if (isSame(definitions, this.#loaded.definitions)) return;
    this.#kind.check?.(definitions);
    this.#loaded = { ...this.#loaded, definitions };
    this.#logger.info(`The ${this.#kind.name} were read anew.`);
    this.#warn();
  }

  /** Files of a path that cannot be read stay as they were. */
  async #filesOf(
    { path, files, problem }: FoundPath,
    before: readonly KnownFile<Definition>[],
    logged: string | null,
  ): Promise<readonly KnownFile<Definition>[]> {
    if (problem !== null) {
      if (problem !== logged) this.#log(path, before.length > 0, problem);
      return before;
    }
    const read: KnownFile<Definition>[] = [];
    for (const { path: file, mark } of files) {
      const known = before.find((each) => each.path === file);
      read.push(known?.mark === mark ? known : await this.#read(file, mark, known?.good ?? null));
    }
    return read;
  }

  async #read(
    path: string,
    mark: string,
    lastGood: readonly Definition[] | null,
  ): Promise<KnownFile<Definition>> {
    try {
      return { path, mark, good: await readOrLog(this.#kind, path, this.#logger) };
    } catch (error) {
      this.#log(path, lastGood !== null, whyUnusable(error));
      return { path, mark, good: lastGood };
    }
  }

  #log(file: string, hasGood: boolean, why: string): void {
    const used = hasGood ? 'its last good version stays in use' : 'it is not used';
    this.#logger.error(
      { file },
      `The definition of ${this.#kind.name} ${file} is not usable, ${used}: ${why}`,
    );
  }

  #warn(): void {
    for (const warning of this.#kind.warnings(this.#loaded.definitions)) this.#logger.warn(warning);
  }
}
