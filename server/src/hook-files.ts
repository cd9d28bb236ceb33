/** The files of hooks that operators put around jobs and functions (wire facts 1.10). */
import {
  type Hook,
  type HookEvent,
  type HookStep,
  hooksSchema,
  problemsOfHooks,
  type StepId,
} from '@tutti/manifests';
import { sortProblems } from '@tutti/manifests/documents';
import { hookExpressionProblems } from '@tutti/workflow/validation';
import type { JSONSchema } from 'json-schema-to-ts';
import { whyUnusable } from './http/definition-sources.ts';
import {
  readDocument,
  type SourceDocument,
  warningTexts,
  wrongDocument,
} from './http/documents.ts';
import { readTextFile } from './http/text-files.ts';
import { createValidator, type Problem } from './http/validate.ts';
import type { Ids } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import { fileMark } from './runtime/file-mark.ts';
import type { Logger } from './runtime/logger.ts';

/** The part of the server whose work the hooks of a file surround. */
export type HookPlace = 'channel' | 'provider';

export interface HookFileDeps {
  readonly logger: Logger;
  readonly ids: Pick<Ids, 'random'>;
}

/** Bytes of a file. People write no set of hooks of this size, even within the limits of their number. */
const FILE_BYTES_MAX = 1024 * 1024;

const validator = createValidator({
  type: 'object',
  properties: { hooks: hooksSchema },
  required: ['hooks'],
} as const satisfies JSONSchema);

/**
 * The hooks of a file. A changed file is read again at the next look. The log of the server reports an invalid file. Every run gets one
 * failing hook in place of all others. A job must not run without the hooks of its operator.
 */
export class HookFile {
  readonly #path: string;
  readonly #place: HookPlace;
  readonly #deps: HookFileDeps;
  #mark: string | null = null;
  #hooks: readonly Hook[] = [];
  #refreshing: Promise<void> = Promise.resolve();

  constructor(path: string, place: HookPlace, deps: HookFileDeps) {
    this.#path = path;
    this.#place = place;
    this.#deps = deps;
  }

  /** Never rejects. */
  async hooks(): Promise<readonly Hook[]> {
    // One read after the other, so that an older content never replaces a newer one.
    this.#refreshing = this.#refreshing.then(() => this.#refresh());
    await this.#refreshing;
    return this.#hooks;
  }

  async #refresh(): Promise<void> {
    const { logger } = this.#deps;
    const mark = await fileMark(this.#path);
    if (mark === this.#mark) return;
    try {
      const { hooks, warnings } = await readHooks(this.#path, this.#place);
      this.#hooks = this.#withIds(hooks);
      for (const warning of warnings) logger.warn({ file: this.#path }, warning);
      if (this.#mark !== null) logger.info({ file: this.#path }, 'The hooks were read anew.');
    } catch (error) {
      const file = this.#path;
      logger.error({ file }, `The hooks of ${file} are not usable: ${whyUnusable(error)}`);
      this.#hooks = this.#withIds([invalidHook(this.#place)]);
    }
    this.#mark = mark;
  }

  /** Gives an id to each step without one. The ids are the same in all runs. */
  #withIds(hooks: readonly Hook[]): readonly Hook[] {
    const withId = (step: HookStep): HookStep => ({
      ...step,
      id: step.id ?? this.#deps.ids.random<StepId>(),
    });
    return hooks.map(({ before, after, ...hook }) => ({
      ...hook,
      ...(before === undefined ? {} : { before: before.map(withId) }),
      ...(after === undefined ? {} : { after: after.map(withId) }),
    }));
  }
}

/** The hooks of a server: around the jobs on its agents, and around its functions by their prefix. */
export interface OperatorHooks {
  /** Null when no file is configured. */
  readonly channel: HookFile | null;
  ofFunctions(prefix: string | null): Promise<readonly Hook[]>;
}

/** Reads all files once, so that the start reports their problems. `prefixes`: those of the server's functions. */
export async function openHookFiles(
  config: ServerConfig['hooks'],
  prefixes: ReadonlySet<string | null>,
  deps: HookFileDeps,
): Promise<OperatorHooks> {
  const channel =
    config.channel === undefined ? null : new HookFile(config.channel, 'channel', deps);
  const files = config.providers.map(({ prefix, path }) => {
    const file = path;
    if (!prefixes.has(prefix)) {
      deps.logger.warn({ file, prefix }, 'The hooks are for no function of this server.');
    }
    return { prefix, file: new HookFile(path, 'provider', deps) };
  });
  await Promise.all([channel, ...files.map(({ file }) => file)].map((file) => file?.hooks()));
  return {
    channel,
    async ofFunctions(prefix) {
      const own = files.filter((each) => each.prefix === prefix);
      return (await Promise.all(own.map(({ file }) => file.hooks()))).flat();
    },
  };
}

interface ReadHooks {
  readonly hooks: readonly Hook[];
  readonly warnings: readonly string[];
}

async function readHooks(path: string, place: HookPlace): Promise<ReadHooks> {
  const text = await readTextFile(path, 'The file of hooks', FILE_BYTES_MAX);
  return hooksOf(readDocument(text), place);
}

/** The hooks of a document. Throws `Invalid` with all problems. */
export function hooksOf(document: SourceDocument, place: HookPlace): ReadHooks {
  const ofShape = validator.problems(document.value);
  if (ofShape.length > 0) throw wrongHooks(document, ofShape);
  // The schema was checked above.
  const { hooks } = document.value as { readonly hooks: readonly Hook[] };
  const problems = [
    ...problemsOfHooks(hooks).map((problem) => ({
      ...problem,
      path: ['hooks', ...problem.path],
    })),
    ...problemsOfPlace(hooks, place),
    ...hookExpressionProblems(hooks),
  ];
  const { errors, warnings } = sortProblems(problems);
  if (errors.length > 0) throw wrongHooks(document, errors);
  return { hooks, warnings: warningTexts(document, warnings) };
}

const at = (path: Problem['path'], message: string): Problem => ({
  path: ['hooks', ...path],
  message,
});

const wrongHooks = (document: SourceDocument, problems: readonly Problem[]) =>
  wrongDocument('file of hooks', document, problems);

const isOfPlace: Readonly<Record<HookPlace, (event: HookEvent) => boolean>> = {
  channel: ({ channel }) => channel === 'setup' || channel === 'teardown',
  provider: ({ channel, category, categoryPrefix }) =>
    channel === undefined && (category ?? categoryPrefix) !== undefined,
};

/** Problems of hooks that fit nothing here, and so would never run. */
function problemsOfPlace(hooks: readonly Hook[], place: HookPlace): readonly Problem[] {
  return hooks.flatMap(({ name, events }, index) => {
    const isHere = events.every(isOfPlace[place]);
    const wanted = place === 'channel' ? 'of channels' : 'of functions';
    return isHere
      ? []
      : [at([index, 'events'], `Hook "${name}" has events that are not ${wanted}.`)];
  });
}

/** A line without quotes, which some shells would print, and without characters that a shell interprets. */
const INVALID_LINE =
  'echo ::error::The hooks that the operator of this server wants here are not valid and do not run. The log of the server says why.';

function invalidHook(place: HookPlace): Hook {
  const event: HookEvent = place === 'channel' ? { channel: 'setup' } : { category: '_' };
  return {
    name: 'invalid-external-hooks-definition',
    events: [event],
    before: [{ run: INVALID_LINE }],
  };
}
