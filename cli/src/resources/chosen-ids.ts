/** The targets of a command for several things: named ones, selected ones, or all. */
import type { Client, JsonRecord, ResourceName } from '@tutti/client';
import { type SelectorOptions, selectionOf } from '../options/selector-options.ts';
import { UsageError } from '../terminal/problem.ts';
import { resolveId } from './resolve-id.ts';
import { textAt, valuePath } from './value-path.ts';

export interface ChoiceOptions extends SelectorOptions {
  readonly all?: boolean;
}

export interface ChoiceSource {
  /** Noun for the thing with the id: "agent". */
  readonly noun: string;
  readonly resource: ResourceName;
  /** The command that shows which there are: "tutti agents". */
  readonly listCommand: string;
  readonly idPath: string;
  /** Whether `--all` and selectors include an item; by default all. */
  readonly isMeant?: (item: JsonRecord) => boolean;
}

/** Whole ids without repetition; empty if the selector matches nothing. Throws `UsageError` for none or several ways of selection. */
export async function chosenIds(
  ids: readonly string[],
  options: ChoiceOptions,
  source: ChoiceSource,
  client: Client,
): Promise<readonly string[]> {
  const selects = options.selector !== undefined || options.fieldSelector !== undefined;
  checkOneWay([ids.length > 0, selects, options.all === true], source);
  if (ids.length === 0) {
    const isMeant = source.isMeant ?? (() => true);
    const items = await client.list(source.resource, selectionOf(options));
    return items.filter(isMeant).map((item) => idOf(item, source));
  }
  const listed = once(async () =>
    (await client.list(source.resource)).map((item) => idOf(item, source)),
  );
  const whole: string[] = [];
  for (const id of ids) {
    whole.push(await resolveId(id, { ...source, ids: listed, otherwise: byName(id) }));
  }
  return [...new Set(whole)];
}

/** Suggests a selector by name, the first column of most lists. Names that need quotes get no suggestion. */
const byName = (text: string): string | undefined =>
  /^[\w.-]+$/.test(text)
    ? `to choose by name, write: --field-selector metadata.name==${text}`
    : undefined;

/** One thing by its id, which may be shortened. */
export function chosenId(id: string, source: ChoiceSource, client: Client): Promise<string> {
  const ids = async () => (await client.list(source.resource)).map((item) => idOf(item, source));
  return resolveId(id, { ...source, ids });
}

function checkOneWay(ways: readonly boolean[], { noun }: ChoiceSource): void {
  const count = ways.filter((isTaken) => isTaken).length;
  if (count === 1) return;
  const next = `name ${noun}s by their ids, or choose them with -l or --field-selector, or take --all.`;
  throw new UsageError(
    count === 0
      ? `No ${noun} is named.`
      : `Ids, selectors and --all are several ways to say which ${noun}s are meant.`,
    next,
  );
}

const idOf = (item: JsonRecord, { idPath }: ChoiceSource): string =>
  textAt(item, valuePath(idPath) ?? []);

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  return () => {
    answer ??= ask();
    return answer;
  };
}
